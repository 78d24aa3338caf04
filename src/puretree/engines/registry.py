"""The engines by name, with options in Python's call syntax: ``maxsat``, ``maxsat(backend="rc2")``."""

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
from .local_improvement import LocalImprovement
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
    "local-improvement": LocalImprovement,
    "local-search": Anytime,
    "local-search-c": partial(Anytime, "c"),
    "local-search-ck": partial(Anytime, "ck"),
    "psk": Psk,
    "lsk": Lsk,
    "ask": Ask,
    "dl85": Dl85,
    "streed": Streed,
}

_SPECIFICATION = re.compile(r"\s*(?P<name>[^()\s]*)\s*(?:\((?P<options>.*)\)\s*)?", re.DOTALL)


def make_engine(engine: str | Engine, memory_limit: float | None = None, **defaults: Any) -> Engine:
    """Return an engine by its name, or the engine itself.

    Parameters
    ----------
    engine : str or Engine
        A name, optionally with options, or an engine object.
    memory_limit : float, optional
        Memory limit of the process in bytes, for an engine given by name that has this option.
    **defaults
        Other defaults than the engine's own, for an engine given by name, where it has these options.

    Examples
    --------
    >>> make_engine("mindt(solver='glucose4')")
    MinDt(solver='glucose4', isolated=True, warm_start=False, upper_bound='best')
    """
    if isinstance(engine, type):
        raise InputError(f"engine={engine.__name__} is a class; use {engine.__name__}()")
    if not isinstance(engine, str):
        if not hasattr(engine, "search"):
            raise InputError(
                f"is not an engine; use one of {', '.join(ENGINES)}, or an engine object",
                parameter="engine",
                value=engine,
            )
        return engine
    name, options = _parse(engine)
    if name not in ENGINES:
        raise InputError(f"is unknown; use one of {', '.join(ENGINES)}", parameter="engine", value=engine)
    default: Any = ENGINES[name]()
    known = options_of(default)
    defaults = {"memory_limit": memory_limit, **defaults}
    options = {name: value for name, value in defaults.items() if name in known} | options
    if unknown := sorted(set(options) - set(known)):
        raise InputError(
            f"is invalid: {name} has no option {unknown[0]}; use {_describe_options(known)}",
            parameter="engine",
            value=engine,
        )
    with_options: Engine = replace(default, **options)
    return with_options


def options_of(engine: Engine) -> dict[str, Any]:
    """Return the options of an engine with their values."""
    instance: Any = engine
    return {field.name: getattr(engine, field.name) for field in fields(instance)}


def _describe_options(options: dict[str, Any]) -> str:
    return f"one of {', '.join(options)}" if options else "the name alone"


def _parse(text: str) -> tuple[str, dict[str, Any]]:
    """Parse a name and its options, whose values must be Python literals."""
    specification = _SPECIFICATION.fullmatch(text)
    if specification is None:
        raise InputError("is not valid; write a name, or name(option=value)", parameter="engine", value=text)
    if specification["options"] is None:
        return specification["name"], {}
    try:
        call = ast.parse(f"engine({specification['options']})", mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
            raise ValueError
        if any(keyword.arg is None for keyword in call.keywords):
            raise ValueError
        return specification["name"], {str(option.arg): ast.literal_eval(option.value) for option in call.keywords}
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        raise InputError(
            "is not valid; write name(option=value), as in maxsat(lazy=True)", parameter="engine", value=text
        ) from None
