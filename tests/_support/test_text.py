"""Numbers of trees as text and as JSON, however long they are."""

import json
import sys

import pytest

from puretree._support.strict_json import MAX_DIGITS, MAX_READ_DIGITS, read_integer, to_json
from puretree._support.text import format_count

COUNTS = {
    "0": 0,
    "5,616": 5616,
    "999,999,999,999,999": 10**15 - 1,
    "about 1.00e15": 10**15,
    "about 1.00e18": 999_999_999_999_999_999,
    "about 1.23e5000": 12345 * 10**4996,
    "about 3.00e1000100": 3 * 10**1_000_100,
}


@pytest.mark.parametrize("text", COUNTS)
def test_counts_for_people(text: str) -> None:
    """A small count is exact, a larger one is rounded to three digits, and none is too large."""
    assert format_count(COUNTS[text]) == text


@pytest.mark.parametrize("n_digits", [1, MAX_DIGITS, MAX_DIGITS + 1, 4300, 4301, 20_000])
def test_integers_survive_json(n_digits: int) -> None:
    """Integers that every reader accepts are numbers, longer ones are strings of their digits; both are read back."""
    number = 10**n_digits // 7 + 10 ** (n_digits - 1)
    (value,) = json.loads(to_json([number]))
    assert isinstance(value, str) == (n_digits > MAX_DIGITS)
    assert read_integer(value) == number


def test_json_does_not_depend_on_the_limit_of_python() -> None:
    """The text is the same under the lowest limit that Python allows."""
    data = {"n_trees": 10**MAX_DIGITS - 1, "nested": [(10**5000, True, None, 0.5, "a")]}
    expected, limit = to_json(data), sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(MAX_DIGITS)
    try:
        assert to_json(data) == expected
    finally:
        sys.set_int_max_str_digits(limit)


@pytest.mark.parametrize("value", ["", "12", "x" * 1000, "1" * (MAX_READ_DIGITS + 1), "٣" * 1000, None, 5])
def test_other_values_are_not_integers(value: object) -> None:
    """Only strings of digits that are too long for a number are read as integers."""
    assert read_integer(value) is value
