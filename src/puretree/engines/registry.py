"""The engines by name."""

from __future__ import annotations

from collections.abc import Callable

from ..errors import InputError
from .auto import Auto
from .base import Engine
from .maxsat import MaxSat
from .mindt import MinDt
from .search import Search

ENGINES: dict[str, Callable[[], Engine]] = {
    "auto": Auto,
    "search": Search,
    "maxsat": MaxSat,
    "mindt": MinDt,
}


def make_engine(engine: str | Engine) -> Engine:
    """Return an engine by its name, or the engine itself."""
    if isinstance(engine, type):
        raise InputError(f"engine={engine.__name__} is a class; use {engine.__name__}()")
    if not isinstance(engine, str):
        return engine
    if engine not in ENGINES:
        raise InputError(f"engine={engine!r} is not known; use one of {', '.join(ENGINES)}, or an engine object")
    return ENGINES[engine]()
