"""Formatted values of tables."""

import math

import pytest

from puretree.bench.output.value_format import format_value
from puretree.bench.result_table import Estimate, Reproduction, Value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        ("psk", "psk"),
        (99_999, "99999"),
        (100_000, "100,000"),
        (-7, "−7"),
        (10**20, "about 1.00e20"),
        (71.049, "71.05"),
        (-0.004, "0.00"),
        (-1.25, "−1.25"),
        (math.nan, "–"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
        (Estimate(71.05, 0.314), "71.05 ± 0.31"),
        (Estimate(71.05), "71.05"),
        (Reproduction(71.05, 70.48), "71.05 (70.48)"),
        (Reproduction(528, 505), "528 (505)"),
        (Reproduction(Estimate(71.05, 0.31), 70.48), "71.05 ± 0.31 (70.48)"),
        (Reproduction(None, 70.48), "– (70.48)"),
        (Reproduction(71.05, None), "71.05"),
        (Reproduction(None, None), "–"),
        (Reproduction(Estimate(71.05, 0.31), 70.48, "*"), "71.05 ± 0.31* (70.48)"),
    ],
)
def test_values_are_formatted(value: Value, text: str) -> None:
    """Numbers have two decimals, then the standard error, then the published value in brackets."""
    assert format_value(value) == text


def test_digits_apply_to_all_numbers() -> None:
    """The number of decimals applies to means, standard errors and published values."""
    assert format_value(Reproduction(Estimate(1.0, 0.25), 2.0), digits=0) == "1 ± 0 (2)"
    assert format_value(1.23456, digits=4) == "1.2346"
