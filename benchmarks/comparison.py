"""What a line of a table says about one instance, and what many lines say together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from statistics import median

from contenders import DEEPEST, PEER, Answer
from stopwatch import Result

from puretree import BinaryProblem

SLOW = 1.0  # seconds; ratios are summed up where the best peer takes longer


@dataclass(frozen=True, slots=True)
class Line:
    """One instance: what the engine in question answers (``ours``), and what the others do.

    Parameters
    ----------
    limit : float
        Seconds that the peers had.
    """

    name: str
    problem: BinaryProblem
    ours: Result[Answer]
    peers: dict[str, Result[Answer]]
    trees: Result[int]
    limit: float

    @property
    def proved(self) -> bool:
        """Whether the engine in question proves its tree to be minimum."""
        return self.ours.value is not None and self.ours.value.proved

    @property
    def same(self) -> dict[str, Result[Answer]]:
        """The peers that prove the same size."""
        return {name: peer for name, peer in self.peers.items() if self.proved and proves(peer, self.ours)}

    @property
    def best_peer(self) -> float | None:
        """The seconds of the fastest peer that proves the same; None if there is none."""
        return min((peer.seconds for peer in self.same.values()), default=None)

    @property
    def ratio(self) -> float | None:
        """How many times as long the best peer takes, counted up to the limit; None where nothing was proved."""
        if not self.proved or not self.peers:
            return None
        return (self.limit if self.best_peer is None else self.best_peer) / self.ours.seconds

    @property
    def is_settled_by_a_peer(self) -> bool:
        """Whether a peer has a proof."""
        return any(peer.value is not None and peer.value.proved for peer in self.peers.values())

    @property
    def is_disputed(self) -> bool:
        """Whether a peer that answers the same question proves another size."""
        peers = {name: peer.value for name, peer in self.peers.items() if peer.value and peer.value.proved}
        ours = self.ours.value
        if ours is None:
            return False
        return any(contradicts(peer, ours, is_narrow=name == PEER) for name, peer in peers.items())


def proves(peer: Result[Answer], ours: Result[Answer]) -> bool:
    """Whether a peer proves the same size."""
    return (
        peer.value is not None and ours.value is not None and peer.value.proved and peer.value.upper == ours.value.upper
    )


def contradicts(peer: Answer, ours: Answer, *, is_narrow: bool) -> bool:
    """Whether a size that a peer proves cannot be if ours is right; of few tests on a path it may be larger."""
    assert peer.upper is not None
    least = ours.upper if ours.proved else ours.lower
    if least is not None and peer.upper < least:
        return True
    if ours.upper is None or peer.upper <= ours.upper:
        return False
    return not (is_narrow and ours.upper > DEEPEST)


def header(subject: str, peers: Sequence[str]) -> str:
    """Return the head of a table."""
    titles = ["instance", "rows × features", "s", "nodes", "trees", "counted in", subject, *peers, "ratio"]
    return f"| {' | '.join(titles)} |\n|{'---|' * len(titles)}"


def written(line: Line) -> str:
    """Write a line as a row of the table."""
    cells = [
        line.name,
        f"{line.problem.n_examples} × {line.problem.n_features}",
        size(line.ours.value),
        size(line.ours.value, factor=2, plus=1),
        number(line.trees.value),
        seconds(line.trees.seconds) if line.trees.value else "–",
        *(cell(result) for result in (line.ours, *line.peers.values())),
        times(line),
    ]
    return f"| {' | '.join(cells)} |"


def times(line: Line) -> str:
    """Write the ratio, as a lower bound where no peer has a proof."""
    if line.ratio is None:
        return "–"
    digits = f"{line.ratio:,.0f}" if line.ratio >= 100 else f"{line.ratio:.2g}"
    return f"{'> ' if line.best_peer is None else ''}{digits}×"


def size(answer: Answer | None, factor: int = 1, plus: int = 0) -> str:
    """Write the size of a minimum tree, or the sizes it can have; other units of it by a factor and a summand."""
    if answer is None:
        return "–"
    lower = None if answer.lower is None else factor * answer.lower + plus
    upper = None if answer.upper is None else factor * answer.upper + plus
    if answer.proved:
        return str(upper)
    if lower is None:
        return "–" if upper is None else f"≤ {upper}"
    return f"≥ {lower}" if upper is None else f"{lower}–{upper}"


def cell(result: Result[Answer]) -> str:
    """Write the seconds of a proof; where there is none, what is known and why it ended."""
    if result.value is None:
        return result.reason.split(":")[0]
    if not result.value.proved:
        return f"open: {size(result.value)}"
    return seconds(result.seconds)


def seconds(value: float) -> str:
    """Write seconds with about three digits."""
    return f"{value:.4f}" if value < 0.1 else f"{value:.2f}" if value < 10 else f"{value:.0f}"


def number(value: int | None) -> str:
    """Write a number in full, unless it is very long."""
    if value is None:
        return "–"
    return f"{value:,}" if value < 10**15 else f"{Decimal(value):.3e}"


def summary(lines: Sequence[Line], subject: str) -> Iterator[str]:
    """Yield what the lines say together."""
    proved = [line for line in lines if line.proved]
    yield f"{subject} proves {len(proved)} of {len(lines)}" + listed(" (open: {})", [x for x in lines if not x.proved])
    if proved:
        slowest = max(proved, key=lambda line: line.ours.seconds)
        yield f"slowest proof: {slowest.name}, {seconds(slowest.ours.seconds)} s"
    yield "a second or longer: " + (listed("{}", [x for x in proved if x.ours.seconds >= SLOW]) or "none")
    for peer in lines[0].peers:
        yield f"{peer} proves the same on {sum(peer in line.same for line in lines)}"
    ahead = [line for line in lines if not line.proved and line.is_settled_by_a_peer]
    yield f"a peer proves what {subject} leaves open: " + (listed("{}", ahead) or "nowhere")
    yield from compared([line for line in proved if line.peers])
    yield "sizes that contradict each other: " + (listed("{}", [x for x in lines if x.is_disputed]) or "none")


def compared(lines: Sequence[Line]) -> Iterator[str]:
    """Yield what proved lines say of the peers."""
    slow = [line for line in lines if line.best_peer is None or line.best_peer > SLOW]
    ratios = [line.ratio for line in slow if line.ratio is not None]
    if ratios:
        open_ones = sum(line.best_peer is None for line in slow)
        yield (
            f"median ratio where the best peer takes over {SLOW:.0f} s: {median(ratios):,.0f}× on {len(ratios)} "
            f"instances, {open_ones} of which no peer proves and which count at the limit"
        )
    faster = [line for line in lines if line.best_peer is not None and line.best_peer < line.ours.seconds]
    yield "a peer that proves the same is faster: " + (listed("{}", faster) or "nowhere")


def listed(words: str, lines: Sequence[Line]) -> str:
    """Write the names of lines into words; nothing if there are none."""
    return words.format("; ".join(line.name for line in lines)) if lines else ""
