"""Checked fields of parsed JSON: each has one of the expected types, and numbers are finite."""

from __future__ import annotations

import math
from typing import Any

from ..errors import FormatError


def read_field(data: Any, name: str, kinds: Any) -> Any:
    """Return a field of an object; raise FormatError if it is missing or has another type.

    Parameters
    ----------
    data : value
        Parsed JSON; anything but an object has no fields.
    name : str
    kinds : type or union of types
        A Boolean is no number.
    """
    if not isinstance(data, dict) or name not in data:
        raise FormatError(f"{name!r} is missing; the file is incomplete")
    value = data[name]
    is_odd = isinstance(value, bool) and kinds is not bool
    if is_odd or not isinstance(value, kinds) or (isinstance(0.0, kinds) and not _is_float(value)):
        raise FormatError(f"{name!r} has the invalid value {value!r}")
    return value


def _is_float(value: Any) -> bool:
    """Whether a number is finite as a float."""
    try:
        return value is None or math.isfinite(value)
    except OverflowError:
        return False
