"""Validation of options: errors name the option and the valid values."""

import pytest

from puretree.bench.options import require_count, require_distinct, require_known, require_limits
from puretree.errors import InputError


def test_valid_options_pass() -> None:
    """Known names, counts from 1, and positive limits are valid."""
    require_distinct("shares", (0.4, 0.6))
    require_known("methods", ("psk",), ("psk", "lsk"))
    require_count("samples", 1)
    require_limits(0.5, None)
    require_limits(1, 2e9)


@pytest.mark.parametrize("values", [(), ("a", "a")])
def test_empty_lists_and_duplicates_are_rejected(values: tuple[str, ...]) -> None:
    """There must be at least one value, without duplicates."""
    with pytest.raises(InputError, match=r"shares=.* must list at least one value, without duplicates"):
        require_distinct("shares", values)


def test_unknown_names_are_rejected() -> None:
    """The message suggests a similar name and lists all valid ones."""
    with pytest.raises(InputError, match=r"methods='pks' is unknown \(did you mean 'psk'\?\); choose from psk, lsk"):
        require_known("methods", ("lsk", "pks"), ("psk", "lsk"))


@pytest.mark.parametrize("count", [0, -1, 1.0, True, "2"])
def test_invalid_counts_are_rejected(count: object) -> None:
    """A count must be an integer of at least 1."""
    with pytest.raises(InputError, match=r"samples=.* must be an integer of at least 1"):
        require_count("samples", count)  # type: ignore[arg-type]


@pytest.mark.parametrize("number", [0, -1.0, float("nan"), float("inf"), True, "2"])
def test_invalid_limits_are_rejected(number: object) -> None:
    """Time and memory limits must be positive and finite."""
    with pytest.raises(InputError, match=r"time_limit=.* must be a finite number of seconds above 0"):
        require_limits(number, None)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"memory_limit=.* must be a number of bytes above 0"):
        require_limits(1.0, number)  # type: ignore[arg-type]
