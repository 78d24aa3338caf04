"""Proofs as solvers write them, made text.

Proofs are kept as text, whatever the solver writes. In bytes they are a third as large, but nothing in a file says that
it is in bytes: drat-trim guesses from its first ten, and a wrong guess would say of a good proof that it is not one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO, Literal

from .. import _native
from .._support import resources
from .._support.clock import Clock, TimeIsOver
from ..encoding import TreeEncoding
from ..errors import InputError, SolverError, UnfinishedError
from ..formula import Block, ClauseLines
from ..problem import BinaryProblem, Constraints
from ..sat.isolated import IsolatedOracle
from .formula_file import SmallerTree
from .rup import check_rup

WRITES_BYTES = {"cadical153": True, "cadical195": True, "cadical300": True, "glucose4": False}
"""The solvers that are known to write proofs by RUP steps alone, and whether they write them in bytes."""

_PIECE = 1 << 24  # bytes of a proof that are rewritten at once


def write_text(solver: str, raw: Path, text: Path, clock: Clock) -> None:
    """Make text of the proof of a solver; its own file is gone then.

    Raises
    ------
    SolverError
        If it is no proof, or not all of one: a solver does not notice that the disk is full.
    TimeIsOver
    """
    if not WRITES_BYTES[solver]:
        raw.replace(text)
        return
    with raw.open("rb") as source, text.open("wb") as target:
        rest = b""
        while piece := source.read(_PIECE):
            clock.require_time()
            lines, n_read = _rewrite(solver, rest + piece)
            rest = (rest + piece)[n_read:]
            target.write(lines)
    raw.unlink()
    if rest:
        raise SolverError(f"the proof of {solver} ends in the middle of a step; see whether the disk is full")


def _rewrite(solver: str, piece: bytes) -> tuple[bytes, int]:
    try:
        return _native.drat_to_text(piece)
    except ValueError as error:
        raise SolverError(f"the proof of {solver} cannot be read: expected {error.args[1]}") from None


# No pure tree has at most so many nodes, as a formula without a model and the proof that it has none.
#
# The proof needs a solve of its own: what a solver learned under assumptions, as engines ask for smaller and smaller
# trees, refutes nothing by itself. The formula is written as it is made, to the file and to the solver at once, so that
# there is never a whole one in Python.

Form = Literal["drat", "lrat"]
FORMS: tuple[Form, ...] = ("drat", "lrat")

DEFAULT_SOLVER = "cadical195"


@dataclass(frozen=True, slots=True)
class Refutation:
    """What was written.

    Parameters
    ----------
    n_nodes : int
        No pure tree has at most so many.
    n_vars, n_clauses : int
        Of the formula.
    form : {"drat", "lrat"}
        Of the proof.
    solver : str
    seconds : float
        What the solver took, with the time to hand it the formula.
    """

    n_nodes: int
    n_vars: int
    n_clauses: int
    form: Form
    solver: str
    seconds: float


def refute(
    problem: BinaryProblem,
    constraints: Constraints,
    n_nodes: int,
    *,
    formula: Path,
    proof: Path,
    clock: Clock,
    form: Form = "drat",
    solver: str = DEFAULT_SOLVER,
    examples: Sequence[int] | None = None,
) -> Refutation | None:
    """Write the formula "there is a pure tree of at most n nodes" and the proof that it has no model.

    Parameters
    ----------
    problem : BinaryProblem
        With two classes or more.
    constraints : Constraints
        Its root and depth are part of the formula; what is minimised is not: the number of nodes alone is refuted.
    n_nodes : int
        The claim is that every pure tree has more.
    formula, proof : Path
        The files to write. They are there if this returns a refutation, and else they are not.
    clock : Clock
    form : {"drat", "lrat"}, default="drat"
        LRAT names the reasons of each step, and has only the steps that are needed. It is made of the DRAT proof.
    solver : str, default="cadical195"
        One of those in :data:`~puretree.proof.solver_proofs.WRITES_BYTES`.
    examples : sequence of int, optional
        The examples that no such tree is right on, ascending; all by default.

    Returns
    -------
    Refutation or None
        None if n_nodes is below 3: a single leaf is wrong on one of two classes, and no formula is needed to say so.

    Raises
    ------
    SolverError
        If there is such a tree (the claim is wrong), or the solver dies or leaves no proof.
    UnfinishedError
        If the time was over first, or the formula needs more than half of the memory.
    """
    _require(constraints, form, solver)
    if n_nodes < 3:
        return None
    n_nodes -= (n_nodes + 1) % 2  # trees have odd numbers of nodes
    smaller = SmallerTree(problem, constraints, n_nodes, examples)
    if TreeEncoding.n_bytes(smaller.spoken_of, n_nodes) > resources.MOST_BYTES:
        raise UnfinishedError(
            f"the formula for trees of at most {n_nodes} nodes needs more than half of the memory; use more of it",
            None,
        )
    with _all_or_nothing(formula, proof), _saying_when_time_is_over(n_nodes):
        work = _Work(smaller, formula, proof, clock, solver)
        return work.run(form)


def _require(constraints: Constraints, form: str, solver: str) -> None:
    if form not in FORMS:
        raise InputError(f"form={form!r} is not known; use {' or '.join(map(repr, FORMS))}")
    if solver not in WRITES_BYTES:
        raise InputError(f"solver={solver!r} is not known to write proofs; use one of {', '.join(WRITES_BYTES)}")
    if constraints.min_samples_leaf > 1:
        raise InputError(
            f"min_samples_leaf={constraints.min_samples_leaf} is not part of the formula, so that trees which keep to it cannot be refuted"
        )


@contextmanager
def _all_or_nothing(*files: Path) -> Iterator[None]:
    try:
        yield
    except BaseException:
        for file in files:
            file.unlink(missing_ok=True)
        raise


@contextmanager
def _saying_when_time_is_over(n_nodes: int) -> Iterator[None]:
    try:
        yield
    except TimeIsOver:
        raise UnfinishedError(
            f"the time was over before trees of at most {n_nodes} nodes were refuted; allow more", None
        ) from None


@dataclass(frozen=True, slots=True)
class _Work:
    """One refutation, from the formula to the two files."""

    smaller: SmallerTree
    formula: Path
    proof: Path
    clock: Clock
    solver: str

    def run(self, form: Form) -> Refutation:
        with ExitStack() as stack:
            folder = Path(stack.enter_context(TemporaryDirectory(prefix=".", dir=self.proof.parent)))
            n_clauses = self.smaller.count_clauses(self.clock)
            started = Clock()
            self._solve(folder / "raw", n_clauses)
            seconds = started.seconds
            text = self.proof if form == "drat" else folder / "drat"
            write_text(self.solver, folder / "raw", text, self.clock)
            if form == "lrat":
                self._elaborate(text)
            encoding = self.smaller.encoding
            return Refutation(encoding.n_nodes, encoding.pool.n_vars, n_clauses, form, self.solver, seconds)

    def _solve(self, raw: Path, n_clauses: int) -> None:
        encoding = self.smaller.encoding
        with IsolatedOracle(self.solver, proof=raw) as oracle:
            with self.formula.open("wb") as file:
                file.writelines(self.smaller.head(n_clauses))
                encoding.write(_Both(file, oracle, self.clock), self.clock)
            has_model = oracle.solve([], self.clock)
            if has_model is None:
                raise TimeIsOver
            if has_model:
                tree = encoding.tree(oracle.model(encoding.pool.n_vars))
                raise SolverError(
                    f"the claim is wrong: {self.solver} found a pure tree of {tree.n_nodes} nodes where none of at "
                    f"most {encoding.n_nodes} should exist; this is an error in puretree: please report it"
                )

    def _elaborate(self, drat: Path) -> None:
        with self.proof.open("wb") as target:
            verdict = check_rup(self.formula, drat, self.clock, lrat=target)
        if not verdict.is_refuted:
            raise SolverError(f"the proof of {self.solver} is none: {verdict.reason}")


class _Both:
    """A sink that hands clauses to a file and to a solver, so that both have the same."""

    def __init__(self, file: BinaryIO, oracle: IsolatedOracle, clock: Clock) -> None:
        self._lines = ClauseLines(file, b"", clock)
        self._oracle = oracle
        self._clock = clock

    def add(self, block: Block) -> None:
        self._lines.add(block)
        self._oracle.add(block, self._clock)
