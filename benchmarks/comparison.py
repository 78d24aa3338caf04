"""Compare an engine with its peers on one instance, and summarise several comparisons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from statistics import median

from contenders import MAX_DEPTH, PEER, SolverResult
from stopwatch import Measurement

from puretree import BinaryProblem

SLOW = 1.0  # seconds; the median ratio is over instances where the best peer takes longer


@dataclass(frozen=True, slots=True)
class Comparison:
    """The results of the engine in question (``ours``) and of its peers on one instance.

    Parameters
    ----------
    name : str
    problem : BinaryProblem
    ours : Measurement of SolverResult
    peers : dict of str to Measurement of SolverResult
    trees : Measurement of int
        The number of minimum trees.
    limit : float
        Time limit of the peers in seconds.
    """

    name: str
    problem: BinaryProblem
    ours: Measurement[SolverResult]
    peers: dict[str, Measurement[SolverResult]]
    trees: Measurement[int]
    limit: float

    @property
    def proved(self) -> bool:
        """Whether our engine proves its tree minimum."""
        return self.ours.value is not None and self.ours.value.proved

    @property
    def agreeing_peers(self) -> dict[str, Measurement[SolverResult]]:
        """The peers that prove the same size."""
        return {name: peer for name, peer in self.peers.items() if self.proved and proves_same(peer, self.ours)}

    @property
    def best_peer(self) -> float | None:
        """The seconds of the fastest peer that proves the same size; None if there is none."""
        return min((peer.seconds for peer in self.agreeing_peers.values()), default=None)

    @property
    def ratio(self) -> float | None:
        """The time of the best peer, or the time limit, divided by ours; None without a proof of ours."""
        if not self.proved or not self.peers:
            return None
        return (self.limit if self.best_peer is None else self.best_peer) / self.ours.seconds

    @property
    def is_proved_by_a_peer(self) -> bool:
        """Whether a peer has a proof."""
        return any(peer.value is not None and peer.value.proved for peer in self.peers.values())

    @property
    def is_contradicted(self) -> bool:
        """Whether a peer proves a size that contradicts ours."""
        peers = {name: peer.value for name, peer in self.peers.items() if peer.value and peer.value.proved}
        ours = self.ours.value
        if ours is None:
            return False
        return any(contradicts(peer, ours, is_depth_limited=name == PEER) for name, peer in peers.items())


def proves_same(peer: Measurement[SolverResult], ours: Measurement[SolverResult]) -> bool:
    """Return whether a peer proves the same size."""
    return (
        peer.value is not None and ours.value is not None and peer.value.proved and peer.value.upper == ours.value.upper
    )


def contradicts(peer: SolverResult, ours: SolverResult, *, is_depth_limited: bool) -> bool:
    """Return whether the proved size of a peer contradicts our bounds; with a depth limit it may be larger."""
    assert peer.upper is not None
    least = ours.upper if ours.proved else ours.lower
    if least is not None and peer.upper < least:
        return True
    if ours.upper is None or peer.upper <= ours.upper:
        return False
    return not (is_depth_limited and ours.upper > MAX_DEPTH)


def header(subject: str, peers: Sequence[str]) -> str:
    """Return the header of a table."""
    titles = ["instance", "rows × features", "s", "nodes", "trees", "counted in", subject, *peers, "ratio"]
    return f"| {' | '.join(titles)} |\n|{'---|' * len(titles)}"


def format_row(comparison: Comparison) -> str:
    """Format a comparison as a row of the table."""
    cells = [
        comparison.name,
        f"{comparison.problem.n_examples} × {comparison.problem.n_features}",
        format_size(comparison.ours.value),
        format_size(comparison.ours.value, factor=2, plus=1),
        format_integer(comparison.trees.value),
        format_seconds(comparison.trees.seconds) if comparison.trees.value else "–",
        *(format_result(result) for result in (comparison.ours, *comparison.peers.values())),
        format_ratio(comparison),
    ]
    return f"| {' | '.join(cells)} |"


def format_ratio(comparison: Comparison) -> str:
    """Format the ratio; it is a lower bound if no peer has a proof."""
    if comparison.ratio is None:
        return "–"
    digits = f"{comparison.ratio:,.0f}" if comparison.ratio >= 100 else f"{comparison.ratio:.2g}"
    return f"{'> ' if comparison.best_peer is None else ''}{digits}×"


def format_size(result: SolverResult | None, factor: int = 1, plus: int = 0) -> str:
    """Format the size of a minimum tree, or its bounds, as ``factor`` times the inner nodes plus ``plus``."""
    if result is None:
        return "–"
    lower = None if result.lower is None else factor * result.lower + plus
    upper = None if result.upper is None else factor * result.upper + plus
    if result.proved:
        return str(upper)
    if lower is None:
        return "–" if upper is None else f"≤ {upper}"
    return f"≥ {lower}" if upper is None else f"{lower}–{upper}"


def format_result(measurement: Measurement[SolverResult]) -> str:
    """Format the seconds to the proof; without a proof, the bounds or the reason for the failure."""
    if measurement.value is None:
        return measurement.reason.split(":")[0]
    if not measurement.value.proved:
        return f"open: {format_size(measurement.value)}"
    return format_seconds(measurement.seconds)


def format_seconds(value: float) -> str:
    """Format seconds with about three digits."""
    return f"{value:.4f}" if value < 0.1 else f"{value:.2f}" if value < 10 else f"{value:.0f}"


def format_integer(value: int | None) -> str:
    """Format an integer, in scientific notation if it is very large."""
    if value is None:
        return "–"
    return f"{value:,}" if value < 10**15 else f"{Decimal(value):.3e}"


def summary(comparisons: Sequence[Comparison], subject: str) -> Iterator[str]:
    """Yield the sentences of a summary."""
    proved = [comparison for comparison in comparisons if comparison.proved]
    unproved = [comparison for comparison in comparisons if not comparison.proved]
    yield f"{subject} proves {len(proved)} of {len(comparisons)}" + format_names(" (open: {})", unproved)
    if proved:
        slowest = max(proved, key=lambda comparison: comparison.ours.seconds)
        yield f"slowest proof: {slowest.name}, {format_seconds(slowest.ours.seconds)} s"
    slow = [comparison for comparison in proved if comparison.ours.seconds >= SLOW]
    yield "a second or longer: " + (format_names("{}", slow) or "none")
    for peer in comparisons[0].peers:
        n_agreeing = sum(peer in comparison.agreeing_peers for comparison in comparisons)
        yield f"{peer} proves the same on {n_agreeing}"
    peer_only = [comparison for comparison in unproved if comparison.is_proved_by_a_peer]
    yield f"a peer proves what {subject} leaves open: " + (format_names("{}", peer_only) or "nowhere")
    yield from peer_summary([comparison for comparison in proved if comparison.peers])
    contradicted = [comparison for comparison in comparisons if comparison.is_contradicted]
    yield "sizes that contradict each other: " + (format_names("{}", contradicted) or "none")


def peer_summary(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """Yield the sentences about peers on proved instances."""
    slow = [comparison for comparison in comparisons if comparison.best_peer is None or comparison.best_peer > SLOW]
    ratios = [comparison.ratio for comparison in slow if comparison.ratio is not None]
    if ratios:
        n_unproved = sum(comparison.best_peer is None for comparison in slow)
        yield (
            f"median ratio where the best peer takes over {SLOW:.0f} s: {median(ratios):,.0f}× on {len(ratios)} "
            f"instances, {n_unproved} of which no peer proves and which count at the limit"
        )
    faster = [
        comparison
        for comparison in comparisons
        if comparison.best_peer is not None and comparison.best_peer < comparison.ours.seconds
    ]
    yield "a peer that proves the same is faster: " + (format_names("{}", faster) or "nowhere")


def format_names(template: str, comparisons: Sequence[Comparison]) -> str:
    """Insert the names of instances into a template; return an empty string if there are none."""
    return template.format("; ".join(comparison.name for comparison in comparisons)) if comparisons else ""
