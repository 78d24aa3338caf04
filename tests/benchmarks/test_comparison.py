"""The tables and the summary of the search benchmark."""

from comparison import Comparison, format_row, summary
from contenders import SolverResult
from helpers.random_problems import xor
from stopwatch import Measurement

PROVED = Measurement(SolverResult(True, 3, 3), 0.001)
OPEN = Measurement(SolverResult(False, 2, 5), 60.0)
KILLED: Measurement[SolverResult] = Measurement(None, 60.0, "killed")


def compare(ours: Measurement[SolverResult], **peers: Measurement[SolverResult]) -> Comparison:
    """Make a comparison on a small problem."""
    return Comparison("xor", xor(), ours, peers, Measurement(2, 0.002), limit=60.0)


def test_the_ratio_is_that_of_the_fastest_proof() -> None:
    """The fastest peer that proves the same counts; peers without a proof do not."""
    fast, slow = Measurement(SolverResult(True, None, 3), 2.0), Measurement(SolverResult(True, None, 3), 4.0)
    both = compare(PROVED, fast=fast, slow=slow, killed=KILLED)
    assert both.ratio == 2000
    assert format_row(both) == "| xor | 4 × 2 | 3 | 7 | 2 | 0.0020 | 0.0010 | 2.00 | 4.00 | killed | 2,000× |"


def test_without_a_proof_of_a_peer_the_limit_counts() -> None:
    """The ratio is then a lower bound, and is formatted as one."""
    alone = compare(PROVED, peer=OPEN)
    assert (alone.best_peer, alone.ratio) == (None, 60_000)
    assert format_row(alone).endswith("| 0.0010 | open: 2–5 | > 60,000× |")


def test_without_a_proof_there_is_no_ratio() -> None:
    """A size without a proof is formatted as its bounds."""
    unproved = compare(OPEN, peer=PROVED)
    assert unproved.ratio is None
    assert "| 2–5 | 5–11 |" in format_row(unproved)


def test_a_depth_limited_peer_may_prove_a_larger_size() -> None:
    """The trees of pystreed have depth 20 at most: with more inner nodes, a larger size is no contradiction."""
    deep = Measurement(SolverResult(True, 30, 30), 1.0)
    larger = Measurement(SolverResult(True, None, 31), 1.0)
    assert not compare(deep, pystreed=larger).is_contradicted
    assert compare(deep, maxsat=larger).is_contradicted
    assert compare(larger, pystreed=deep).is_contradicted
    assert compare(PROVED, pystreed=deep).is_contradicted


def test_the_summary_lists_unproved_instances_and_faster_peers() -> None:
    """The summary has the unproved instances, the faster peers and the median ratio."""
    faster = Measurement(SolverResult(True, None, 3), 0.0005)
    comparisons = [compare(PROVED, peer=faster), compare(PROVED, peer=OPEN), compare(OPEN, peer=faster)]
    text = "\n".join(summary(comparisons, "search"))
    assert "a peer proves what search leaves open: xor" in text
    assert "search proves 2 of 3 (open: xor)" in text
    assert "60,000× on 1 instances, 1 of which no peer proves" in text
    assert "a peer that proves the same is faster: xor" in text
