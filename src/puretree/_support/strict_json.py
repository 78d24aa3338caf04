"""JSON in which every reader sees the same: finite numbers only, and no name twice in an object."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import Any

from ..errors import FormatError


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
