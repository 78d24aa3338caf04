"""The tables of the benchmark say what was measured, and no more."""

from comparison import Line, summary, written
from contenders import Answer
from helpers.random_problems import xor
from stopwatch import Result

PROVED = Result(Answer(True, 3, 3), 0.001)
OPEN = Result(Answer(False, 2, 5), 60.0)
KILLED: Result[Answer] = Result(None, 60.0, "killed")


def line(ours: Result[Answer], **peers: Result[Answer]) -> Line:
    """Make a line about a small problem."""
    return Line("xor", xor(), ours, peers, Result(2, 0.002), limit=60.0)


def test_the_ratio_is_that_of_the_fastest_proof() -> None:
    """Of peers that prove the same the fastest counts; one that proves nothing does not."""
    fast, slow = Result(Answer(True, None, 3), 2.0), Result(Answer(True, None, 3), 4.0)
    both = line(PROVED, fast=fast, slow=slow, killed=KILLED)
    assert both.ratio == 2000
    assert written(both) == "| xor | 4 × 2 | 3 | 7 | 2 | 0.0020 | 0.0010 | 2.00 | 4.00 | killed | 2,000× |"


def test_where_no_peer_proves_the_limit_counts() -> None:
    """The ratio is then a lower bound, and is written as one."""
    alone = line(PROVED, peer=OPEN)
    assert (alone.best_peer, alone.ratio) == (None, 60_000)
    assert written(alone).endswith("| 0.0010 | open: 2–5 | > 60,000× |")


def test_without_a_proof_there_is_no_ratio() -> None:
    """An open size is written as the sizes it can have."""
    unproved = line(OPEN, peer=PROVED)
    assert unproved.ratio is None
    assert "| 2–5 | 5–11 |" in written(unproved)


def test_a_peer_of_few_tests_on_a_path_may_prove_more() -> None:
    """The trees of pystreed have at most 20 tests on a path: beyond that a larger size is no contradiction."""
    deep = Result(Answer(True, 30, 30), 1.0)
    larger = Result(Answer(True, None, 31), 1.0)
    assert not line(deep, pystreed=larger).is_disputed
    assert line(deep, maxsat=larger).is_disputed
    assert line(larger, pystreed=deep).is_disputed
    assert line(PROVED, pystreed=deep).is_disputed


def test_the_summary_names_what_matters() -> None:
    """Open instances, faster peers and the median are told."""
    faster = Result(Answer(True, None, 3), 0.0005)
    lines = [line(PROVED, peer=faster), line(PROVED, peer=OPEN), line(OPEN, peer=faster)]
    words = "\n".join(summary(lines, "search"))
    assert "a peer proves what search leaves open: xor" in words
    assert "search proves 2 of 3 (open: xor)" in words
    assert "60,000× on 1 instances, 1 of which no peer proves" in words
    assert "a peer that proves the same is faster: xor" in words
