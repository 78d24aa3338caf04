"""The engines by name, with options as Python writes them: ``maxsat``, ``maxsat(backend="rc2")``."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import fields, replace
from functools import partial
from typing import Any

from ..errors import InputError
from .auto import Auto
from .base import Engine
from .bessiere import Bessiere
from .dtfinder import DtFinder
from .dtmax import DtMax
from .infer_depth import InferDepth
from .infer_size import InferSize
from .local_search import Anytime
from .maxsat import MaxSat
from .mindt import MinDt
from .peers import Dl85, Streed
from .search import Search
from .sklearn_trees import Ask, Lsk, Psk

ENGINES: dict[str, Callable[..., Engine]] = {
    "auto": Auto,
    "search": Search,
    "maxsat": MaxSat,
    "mindt": MinDt,
    "bessiere": Bessiere,
    "dtfinder": DtFinder,
    "infer-depth": InferDepth,
    "infer-size": InferSize,
    "dtmax": DtMax,
    "local-search": Anytime,
    "local-search-c": partial(Anytime, "c"),
    "local-search-ck": partial(Anytime, "ck"),
    "psk": Psk,
    "lsk": Lsk,
    "ask": Ask,
    "dl85": Dl85,
    "streed": Streed,
}

_SPELLED = re.compile(r"\s*(?P<name>[^()\s]*)\s*(?:\((?P<options>.*)\)\s*)?", re.DOTALL)


def make_engine(engine: str | Engine, memory_limit: float | None = None) -> Engine:
    """Return an engine by its name, or the engine itself.

    Parameters
    ----------
    engine : str or Engine
        A name, with options if need be.
    memory_limit : float, optional
        Bytes that an engine by name may take with the rest of the process, if it counts them.

    Examples
    --------
    >>> make_engine("mindt(solver='glucose4')")
    MinDt(solver='glucose4', isolated=True)
    """
    if isinstance(engine, type):
        raise InputError(f"engine={engine.__name__} is a class; use {engine.__name__}()")
    if not isinstance(engine, str):
        if not hasattr(engine, "search"):
            raise InputError(f"engine={engine!r} is no engine; use one of {', '.join(ENGINES)}, or an engine object")
        return engine
    name, options = _parse(engine)
    if name not in ENGINES:
        raise InputError(f"engine={engine!r} is not known; use one of {', '.join(ENGINES)}, or an engine object")
    made: Any = ENGINES[name]()
    known = options_of(made)
    if "memory_limit" in known:
        options = {"memory_limit": memory_limit, **options}
    if wrong := sorted(set(options) - set(known)):
        raise InputError(f"engine={engine!r}: {name} has no option {wrong[0]}; use {_one_of(known)}")
    with_options: Engine = replace(made, **options)
    return with_options


def options_of(engine: Engine) -> dict[str, Any]:
    """Return the options of an engine and what they are."""
    given: Any = engine
    return {field.name: getattr(engine, field.name) for field in fields(given)}


def _one_of(options: dict[str, Any]) -> str:
    return f"one of {', '.join(options)}" if options else "it without options"


def _parse(text: str) -> tuple[str, dict[str, Any]]:
    """Read a name and its options; nothing but plain values is taken for an option."""
    spelled = _SPELLED.fullmatch(text)
    if spelled is None:
        raise InputError(f"engine={text!r} cannot be read; write a name, or name(option=value)")
    if spelled["options"] is None:
        return spelled["name"], {}
    try:
        call = ast.parse(f"engine({spelled['options']})", mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
            raise ValueError
        if any(keyword.arg is None for keyword in call.keywords):
            raise ValueError
        return spelled["name"], {str(word.arg): ast.literal_eval(word.value) for word in call.keywords}
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        raise InputError(f"engine={text!r} cannot be read; write name(option=value), as in maxsat(lazy=True)") from None
