"""``puretree engines``: what can look for the smallest tree."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from . import options


def engines(json: options.Json = False) -> int:
    """List the engines; every one proves what it calls minimum."""
    from ..engines import ENGINES
    from .output import put, put_json, put_table

    told = [_tell(name, kind) for name, kind in ENGINES.items()]
    if json:
        put_json(told)
        return 0
    put_table(["engine", "what it does"], [(each["name"], each["about"]) for each in told])
    put()
    put("options in Python:")
    for each in told:
        given = ", ".join(f"{name}={value!r}" for name, value in each["options"].items())
        put(f"  {each['class']}({given})")
    return 0


def _tell(name: str, kind: Any) -> dict[str, Any]:
    return {
        "name": name,
        "class": kind.__name__,
        "about": kind.__doc__.splitlines()[0],
        "options": {field.name: field.default for field in fields(kind)},
    }
