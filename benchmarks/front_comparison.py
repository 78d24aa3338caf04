"""The answers of puretree and of its peers to one question, and what many of them say."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import TypeVar

from comparison import SLOW, format_seconds
from stopwatch import Measurement

T = TypeVar("T")
Proved = float | tuple[int, ...] | None  # errors, an objective value, or errors for k = 0, 1, …; None without a proof
OPEN = "open"
TOLERANCE = 1e-6  # of objective values


@dataclass(frozen=True, slots=True)
class Timed:
    """The processor seconds to a proved answer, and the answer; or the reason why there is none."""

    seconds: float
    answer: Proved = None
    reason: str = OPEN

    @property
    def proved(self) -> bool:
        """Whether there is a proved answer."""
        return self.answer is not None


def timed(measurement: Measurement[T], answer: Callable[[T], Proved]) -> Timed:
    """Return a measurement with what ``answer`` makes of its value: None if nothing is proved."""
    if measurement.value is None:
        return Timed(measurement.seconds, reason=measurement.reason.split(":")[0])
    return Timed(measurement.seconds, answer(measurement.value))


@dataclass(frozen=True, slots=True)
class Comparison:
    """One question to puretree and to peers.

    Parameters
    ----------
    table, shape, question : str
    ours : Timed or None
        None if only the peers were asked.
    peers : dict of str to Timed
    limit : float
        Seconds for each peer.
    """

    table: str
    shape: str
    question: str
    ours: Timed | None
    peers: dict[str, Timed] = field(default_factory=dict)
    limit: float = 60.0

    @property
    def title(self) -> str:
        """The table and the question."""
        return f"{self.table}, {self.question}"

    def peer_seconds(self, peer: str) -> float:
        """Return the seconds of a peer: those that it used in vain if it proves nothing, the limit if it failed."""
        timed = self.peers[peer]
        return timed.seconds if timed.proved or timed.reason == OPEN else max(timed.seconds, self.limit)

    def ratio(self, peer: str) -> float | None:
        """Return the time of a peer divided by ours; None without a proof of ours."""
        if self.ours is None or not self.ours.proved:
            return None
        return self.peer_seconds(peer) / max(self.ours.seconds, 1e-6)

    def contradictions(self) -> list[str]:
        """Return the peers that prove something else."""
        if self.ours is None or not self.ours.proved:
            return []
        return [
            name for name, peer in self.peers.items() if peer.proved and not _is_same(peer.answer, self.ours.answer)
        ]


def _is_same(one: Proved, other: Proved) -> bool:
    if isinstance(one, int | float) and isinstance(other, int | float):
        return abs(one - other) <= TOLERANCE
    return one == other


def format_line(cells: Sequence[str]) -> str:
    """Format the cells of a Markdown row."""
    return f"| {' | '.join(cells)} |"


def header(cells: Sequence[str]) -> str:
    """Format the header of a Markdown table."""
    return f"{format_line(cells)}\n|{'---|' * len(cells)}"


def titles(question: str, answer: str, peers: Sequence[str]) -> list[str]:
    """Return the titles of the columns of :func:`format_row`."""
    ratios = [f"{peer} / puretree" for peer in peers]
    return ["table", "rows × columns", question, answer, "puretree", *peers, *ratios]


def format_row(comparison: Comparison) -> str:
    """Format a comparison as a row of a table: seconds to the proofs, and ratios of them."""
    found = [timed.answer for timed in (comparison.ours, *comparison.peers.values()) if timed and timed.proved]
    cells = [comparison.table, comparison.shape, comparison.question, format_answer(found[0]) if found else "–"]
    cells += [format_timed(timed) for timed in (comparison.ours, *comparison.peers.values())]
    cells += [format_ratio(comparison, peer) for peer in comparison.peers]
    if comparison.contradictions():
        cells[3] += " (contradicted)"
    return format_line(cells)


def format_answer(answer: Proved) -> str:
    """Format an answer; of a curve, its last point."""
    return f"{answer[-1] if isinstance(answer, tuple) else answer:g}"


def format_timed(timed: Timed | None) -> str:
    """Format the seconds to the proof, or the reason why there is none."""
    if timed is None:
        return "–"
    return format_seconds(timed.seconds) if timed.proved else timed.reason


def format_ratio(comparison: Comparison, peer: str) -> str:
    """Format a ratio, which is a lower bound if the peer has no proof."""
    ratio = comparison.ratio(peer)
    if ratio is None:
        return "–"
    digits = f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.2g}"
    return f"{'' if comparison.peers[peer].proved else '> '}{digits}×"


def summary(comparisons: Sequence[Comparison], peer: str) -> Iterator[str]:
    """Yield the sentences about puretree and one of its peers."""
    asked = [comparison for comparison in comparisons if comparison.ours is not None and peer in comparison.peers]
    if not asked:
        return
    unproved = [comparison for comparison in asked if comparison.ours and not comparison.ours.proved]
    yield f"puretree proves {len(asked) - len(unproved)} of {len(asked)}, open: {format_titles(unproved)}"
    neither = [comparison for comparison in unproved if not comparison.peers[peer].proved]
    if neither:
        yield f"neither answers: {format_titles(neither)}"
    answered = [comparison for comparison in asked if comparison not in neither]
    slow = [comparison for comparison in answered if comparison.peer_seconds(peer) > SLOW]
    ratios = [comparison.ratio(peer) or 0.0 for comparison in slow]
    if ratios:
        n_open = sum(not comparison.peers[peer].proved for comparison in slow)
        yield (
            f"median ratio where {peer} needs over {SLOW:g} s: {median(ratios):,.3g}× on {len(slow)} questions, "
            f"{n_open} of which it does not answer and which count with the time they had; least {min(ratios):.3g}×"
        )
    behind = [comparison for comparison in answered if (comparison.ratio(peer) or 0.0) < 1]
    yield f"puretree is slower: {format_titles(behind)}"
    lags = [comparison.ours.seconds - comparison.peer_seconds(peer) for comparison in behind if comparison.ours]
    if lags:
        yield f"at most {max(lags):.3f} s behind"
    contradicted = [comparison for comparison in asked if peer in comparison.contradictions()]
    yield f"answers that contradict each other: {format_titles(contradicted)}"


def format_titles(comparisons: Sequence[Comparison]) -> str:
    """Join the titles of comparisons."""
    return "; ".join(comparison.title for comparison in comparisons) or "none"
