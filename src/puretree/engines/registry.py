"""The engines by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

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


def make_engine(engine: str | Engine, memory_limit: float | None = None) -> Engine:
    """Return an engine by its name, or the engine itself.

    Parameters
    ----------
    engine : str or Engine
    memory_limit : float, optional
        Bytes that an engine by name may take with the rest of the process, if it counts them.
    """
    if isinstance(engine, type):
        raise InputError(f"engine={engine.__name__} is a class; use {engine.__name__}()")
    if not isinstance(engine, str):
        if not hasattr(engine, "search"):
            raise InputError(f"engine={engine!r} is no engine; use one of {', '.join(ENGINES)}, or an engine object")
        return engine
    if engine not in ENGINES:
        raise InputError(f"engine={engine!r} is not known; use one of {', '.join(ENGINES)}, or an engine object")
    made = ENGINES[engine]()
    return replace(made, memory_limit=memory_limit) if isinstance(made, Auto | Search) else made
