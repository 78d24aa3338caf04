"""``puretree engines``: what can look for trees, and what each can be relied on for: the paper's Table 1, and more."""

from __future__ import annotations

from typing import Any

from . import options


def engines(json: options.Json = False) -> int:
    """List the engines: what each minimises, whether its trees are pure, and whether it proves them minimum."""
    from ..engines import ENGINES
    from .output import put, put_json, put_table

    told = [_tell(name, make()) for name, make in ENGINES.items()]
    if json:
        put_json(told)
        return 0
    header = ["engine", "objective", "pure", "minimum", "source"]
    put_table(header, [[_say(each[word]) for word in ("name", *header[1:])] for each in told])
    put()
    put("options, as in --engines 'maxsat(lazy=True)':")
    for each in told:
        given = ", ".join(f"{name}={value!r}" for name, value in each["options"].items())
        put(f"  {each['name']}({given})")
    return 0


def _tell(name: str, engine: Any) -> dict[str, Any]:
    from ..engines import options_of

    return {
        "name": name,
        "objective": engine.promise.objective,
        "pure": engine.promise.is_pure,
        "minimum": engine.promise.is_minimum,
        "source": engine.source,
        "class": type(engine).__name__,
        "about": (type(engine).__doc__ or "").partition("\n")[0],
        "options": options_of(engine),
    }


def _say(value: str | bool) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else value
