"""What options must be: each refusal names the option and what would be right."""

import pytest

from puretree.bench.provenance import require_count, require_known, require_limits, require_some
from puretree.errors import InputError


def test_what_is_right_passes() -> None:
    """Names that are known, counts from 1, and limits above 0."""
    require_some("shares", (0.4, 0.6))
    require_known("methods", ("psk",), ("psk", "lsk"))
    require_count("samples", 1)
    require_limits(0.5, None)
    require_limits(1, 2e9)


@pytest.mark.parametrize("values", [(), ("a", "a")])
def test_nothing_or_twice(values: tuple[str, ...]) -> None:
    """There must be one, and each once."""
    with pytest.raises(InputError, match=r"shares=.* must name one or more, and each once"):
        require_some("shares", values)


def test_a_name_that_is_not_known() -> None:
    """It is told with what was meant, and all that there are."""
    with pytest.raises(InputError, match=r"methods='pks' is not known \(did you mean 'psk'\?\); use some of psk, lsk"):
        require_known("methods", ("lsk", "pks"), ("psk", "lsk"))


@pytest.mark.parametrize("count", [0, -1, 1.0, True, "2"])
def test_a_count_that_is_none(count: object) -> None:
    """Only whole numbers from 1 count."""
    with pytest.raises(InputError, match=r"samples=.* is not a whole number of at least 1"):
        require_count("samples", count)  # type: ignore[arg-type]


@pytest.mark.parametrize("number", [0, -1.0, float("nan"), float("inf"), True, "2"])
def test_limits_that_are_none(number: object) -> None:
    """Neither time nor memory can be less than something, or endless."""
    with pytest.raises(InputError, match=r"limit=.* is not a finite number of seconds above 0"):
        require_limits(number, None)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"memory=.* is not a number of bytes above 0"):
        require_limits(1.0, number)  # type: ignore[arg-type]
