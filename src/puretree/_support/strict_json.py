"""JSON in which every reader sees the same: finite numbers only, no name twice in an object, no integer too long."""

from __future__ import annotations

import json
import math
import sys
from collections import Counter
from typing import Any

from ..errors import FormatError
from .text import to_decimal


def parse_json(text: str) -> Any:
    """Parse JSON; raise FormatError if it is invalid, repeats a name, or holds NaN or infinite numbers."""
    try:
        return json.loads(
            text, parse_constant=_reject_constant, parse_float=parse_finite, object_pairs_hook=_require_unique
        )
    except (ValueError, RecursionError) as error:
        raise FormatError(f"this is not valid or not complete JSON: {error}") from None


def parse_finite(number: str) -> float:
    """Parse a number; raise ValueError if it is not finite."""
    value = float(number)
    return value if math.isfinite(value) else _reject_constant(number)  # 1e999 would be read as infinity


def _reject_constant(constant: str) -> Any:
    raise ValueError(f"{constant} is not a finite number")


def _require_unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    repeated = [name for name, count in Counter(name for name, _ in pairs).items() if count > 1]
    if repeated:  # readers would disagree on which value counts
        raise ValueError(f"{repeated[0]!r} occurs twice in an object")
    return dict(pairs)


# Python converts integers of so many digits whatever its limit is set to; the default limit is 4300 digits.
MAX_DIGITS = sys.int_info.str_digits_check_threshold
LONG_INTEGER = 10**MAX_DIGITS
MAX_READ_DIGITS = 10**6  # a second; no forest has so many trees, and a damaged file should not take minutes


def to_json(data: Any) -> str:
    """Write data as JSON; an integer of more than 640 digits is written as a string of its digits.

    :func:`read_integer` reads it back.
    """
    return json.dumps(long_integers_as_text(data), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def long_integers_as_text(data: Any) -> Any:
    """Return JSON data with strings of digits for integers of more than 640 digits."""
    if isinstance(data, dict):
        return {key: long_integers_as_text(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [long_integers_as_text(value) for value in data]
    return f"{to_decimal(data):f}" if isinstance(data, int) and abs(data) >= LONG_INTEGER else data


def read_integer(value: Any) -> Any:
    """Return the integer of a string of more than 640 digits, as :func:`to_json` writes it; else the value itself."""
    is_long = isinstance(value, str) and MAX_DIGITS < len(value) <= MAX_READ_DIGITS
    return _from_digits(value) if is_long and value.isascii() and value.isdecimal() else value


def read_integers(data: Any) -> Any:
    """Return JSON data with integers for all strings that :func:`read_integer` reads as such."""
    if isinstance(data, dict):
        return {key: read_integers(value) for key, value in data.items()}
    return [read_integers(value) for value in data] if isinstance(data, list) else read_integer(data)


def _from_digits(digits: str) -> int:
    """Convert digits of any length, by halves."""
    if len(digits) <= MAX_DIGITS:
        return int(digits)
    n_low = len(digits) // 2
    power: int = 10**n_low
    return _from_digits(digits[:-n_low]) * power + _from_digits(digits[-n_low:])
