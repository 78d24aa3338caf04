"""Comparisons of the front's benchmark say who is ahead, and who contradicts whom."""

import pytest
from front_comparison import Comparison, Timed, format_row, summary, timed, titles
from stopwatch import Measurement

OPEN = Timed(60.3)


def compare(ours: Timed | None, peer: Timed, question: str = "3") -> Comparison:
    """Make a comparison with one peer."""
    return Comparison("xor", "4 × 2", question, ours, {"peer": peer}, limit=60.0)


def test_a_ratio_is_of_two_proofs_or_a_lower_bound() -> None:
    """Without a proof of the peer its time counts, or the limit after a failure; without ours there is no ratio."""
    assert compare(Timed(0.5, 7), Timed(2.0, 7)).ratio("peer") == 4
    assert compare(Timed(0.5, 7), OPEN).ratio("peer") == 120.6
    assert compare(Timed(0.5, 7), Timed(3.0, reason="crashed")).ratio("peer") == 120
    assert compare(OPEN, Timed(2.0, 7)).ratio("peer") is None
    assert compare(None, Timed(2.0, 7)).ratio("peer") is None


def test_rows_have_a_cell_for_each_title() -> None:
    """A row has the seconds of proofs, reasons without one, and ratios."""
    assert format_row(compare(Timed(0.5, 7), OPEN)) == "| xor | 4 × 2 | 3 | 7 | 0.50 | open | > 121× |"
    assert format_row(compare(None, Timed(2.0, (9, 7)))) == "| xor | 4 × 2 | 3 | 7 | – | 2.00 | – |"
    assert len(titles("k", "errors", ["peer"])) == format_row(compare(OPEN, OPEN)).count("|") - 1


@pytest.mark.parametrize(
    ("ours", "peer", "is_contradicted"),
    [
        (Timed(1, 7), Timed(1, 7.0), False),
        (Timed(1, 17.25), Timed(1, 17.25 + 1e-9), False),
        (Timed(1, (9, 7)), Timed(1, (9, 7)), False),
        (Timed(1, 7), OPEN, False),
        (OPEN, Timed(1, 7), False),
        (Timed(1, 7), Timed(1, 8), True),
        (Timed(1, (9, 7)), Timed(1, (9, 8)), True),
    ],
)
def test_proofs_of_different_answers_are_contradictions(ours: Timed, peer: Timed, is_contradicted: bool) -> None:
    """Answers are the same up to rounding; curves must be the same at every point."""
    comparison = compare(ours, peer)
    assert comparison.contradictions() == ["peer"] * is_contradicted
    assert ("contradicted" in format_row(comparison)) == is_contradicted


def test_measurements_without_a_value_keep_their_reason() -> None:
    """The kind of an error is the reason; a value that proves nothing is open."""
    assert timed(Measurement(None, 3.0, "ValueError: x"), lambda value: value).reason == "ValueError"
    assert not timed(Measurement(None, 3.0, "killed"), lambda value: value).proved
    assert timed(Measurement(5, 3.0), lambda value: None).reason == "open"
    assert timed(Measurement(5, 3.0), float) == Timed(3.0, 5.0)


def test_the_summary_counts_slow_questions_and_lists_lags() -> None:
    """The median is of answered questions where the peer needs over a second; where it is ahead, the lag is said."""
    text = "\n".join(
        summary(
            [
                compare(Timed(0.1, 7), Timed(2.0, 7), "1"),
                compare(Timed(0.1, 7), OPEN, "2"),
                compare(Timed(0.1, 7), Timed(0.05, 7), "3"),
                compare(OPEN, Timed(0.5, 8), "4"),
                compare(Timed(0.1, 7), Timed(0.5, 8), "5"),
                compare(None, Timed(0.5, 8), "6"),
                compare(OPEN, OPEN, "7"),
            ],
            "peer",
        )
    )
    assert "puretree proves 4 of 6, open: xor, 4; xor, 7" in text
    assert "neither answers: xor, 7" in text
    assert "over 1 s: 311× on 2 questions, 1 of which it does not answer" in text
    assert "; least 20×" in text
    assert "puretree is slower: xor, 3; xor, 4" in text
    assert "at most 59.800 s behind" in text
    assert "contradict each other: xor, 5" in text
    assert list(summary([compare(None, OPEN)], "peer")) == []
