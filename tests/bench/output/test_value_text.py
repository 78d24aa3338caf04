"""Single values of tables."""

import math

import pytest

from puretree.bench.cell import Beside, Estimate, Value
from puretree.bench.output.value_text import value_text


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
        (Beside(71.05, 70.48), "71.05 (70.48)"),
        (Beside(528, 505), "528 (505)"),
        (Beside(Estimate(71.05, 0.31), 70.48), "71.05 ± 0.31 (70.48)"),
        (Beside(None, 70.48), "– (70.48)"),
        (Beside(71.05, None), "71.05"),
        (Beside(None, None), "–"),
    ],
)
def test_values_are_written_for_people(value: Value, text: str) -> None:
    """Decimals, errors and the paper's figures stand where a reader looks for them."""
    assert value_text(value) == text


def test_decimals_are_the_tables() -> None:
    """A table says how many decimals its floats have, errors and the paper's figures included."""
    assert value_text(Beside(Estimate(1.0, 0.25), 2.0), digits=0) == "1 ± 0 (2)"
    assert value_text(1.23456, digits=4) == "1.2346"
