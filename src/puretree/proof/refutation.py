"""Refutations: a formula that encodes "there is a pure tree of at most n nodes", and a proof that it has no model.

The proof needs a separate solve: the clauses that a solver learns under assumptions, while an engine looks for smaller
and smaller trees, refute nothing by themselves. The formula is streamed to the file and to the solver at the same time,
so that it is never held in Python as a whole.

Proofs are stored as text, whatever the solver writes. Binary proofs are a third as large, but nothing in the file marks
them as binary: drat-trim guesses from the first ten bytes, and a wrong guess would reject a valid proof.
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
from .._support.clock import Clock, TimeLimitReached
from ..encoding import TreeEncoding
from ..errors import InputError, SolverError, UnfinishedError
from ..formula import Block, ClauseLines
from ..problem import BinaryProblem, Constraints
from ..sat.isolated import IsolatedOracle
from .formula_file import SmallerTreeFormula
from .rup import check_rup

Form = Literal["drat", "lrat"]
FORMS: tuple[Form, ...] = ("drat", "lrat")

WRITES_BINARY = {"cadical153": True, "cadical195": True, "cadical300": True, "glucose4": False}
"""The solvers known to write proofs of RUP steps only, and whether they write them in the binary format."""

DEFAULT_SOLVER = "cadical195"

_CHUNK_BYTES = 1 << 24  # of a binary proof that are converted at once


class SmallerTreeError(SolverError):
    """The formula has a model: a pure tree is smaller than the claimed minimum."""


@dataclass(frozen=True, slots=True)
class Refutation:
    """Description of a refutation that was written.

    Parameters
    ----------
    n_nodes : int
        No pure tree has at most this many nodes.
    n_vars, n_clauses : int
        Size of the formula.
    form : {"drat", "lrat"}
        Format of the proof.
    solver : str
    seconds : float
        Time of the solver, including the time to pass it the formula.
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
        The root and the maximum depth are part of the formula. The objective is not: only the number of nodes is
        refuted.
    n_nodes : int
        The claim is that every pure tree has more nodes.
    formula, proof : Path
        The files to write. They exist only if a refutation is returned.
    clock : Clock
    form : {"drat", "lrat"}, default="drat"
        LRAT lists the antecedents of each step, and contains only the steps that are needed. It is derived from the
        DRAT proof.
    solver : str, default="cadical195"
        One of :data:`WRITES_BINARY`.
    examples : sequence of int, optional
        The examples to encode, in ascending order; all by default.

    Returns
    -------
    Refutation or None
        None if n_nodes is below 3: a single leaf misclassifies one of two classes, so no formula is needed.

    Raises
    ------
    SolverError
        If such a tree exists (the claim is wrong), or if the solver crashes or writes no valid proof.
    UnfinishedError
        If the time limit is reached, or the formula needs more than half of the memory.
    """
    _check_arguments(constraints, form, solver)
    if n_nodes < 3:
        return None
    n_nodes -= (n_nodes + 1) % 2  # trees have odd numbers of nodes
    smaller_tree = SmallerTreeFormula(problem, constraints, n_nodes, examples)
    if TreeEncoding.n_bytes(smaller_tree.encoded_problem, n_nodes) > resources.MOST_BYTES:
        raise UnfinishedError(
            f"the formula for trees of at most {n_nodes} nodes needs more than half of the memory; use a machine with "
            "more memory",
            None,
        )
    with _remove_on_error(formula, proof), _report_timeout(n_nodes):
        return _RefutationWriter(smaller_tree, formula, proof, clock, solver).write(form)


def _check_arguments(constraints: Constraints, form: str, solver: str) -> None:
    if form not in FORMS:
        raise InputError(f"is unknown; use {' or '.join(map(repr, FORMS))}", parameter="form", value=form)
    if solver not in WRITES_BINARY:
        raise InputError(
            f"is unknown to write proofs; use one of {', '.join(WRITES_BINARY)}", parameter="solver", value=solver
        )
    if constraints.min_samples_leaf > 1:
        raise InputError(
            f"min_samples_leaf={constraints.min_samples_leaf} is not part of the formula, so trees that satisfy it "
            "cannot be refuted; fit without that constraint"
        )


@contextmanager
def _remove_on_error(*files: Path) -> Iterator[None]:
    try:
        yield
    except BaseException:
        for file in files:
            file.unlink(missing_ok=True)
        raise


@contextmanager
def _report_timeout(n_nodes: int) -> Iterator[None]:
    try:
        yield
    except TimeLimitReached:
        raise UnfinishedError(
            f"time limit reached before trees of at most {n_nodes} nodes were refuted; allow more time", None
        ) from None


@dataclass(frozen=True, slots=True)
class _RefutationWriter:
    """Solves the formula and writes the two files."""

    smaller_tree: SmallerTreeFormula
    formula: Path
    proof: Path
    clock: Clock
    solver: str

    def write(self, form: Form) -> Refutation:
        with ExitStack() as stack:
            folder = Path(stack.enter_context(TemporaryDirectory(prefix=".", dir=self.proof.parent)))
            n_clauses = self.smaller_tree.count_clauses(self.clock)
            watch = Clock()
            self._solve(folder / "raw", n_clauses)
            seconds = watch.seconds
            drat = self.proof if form == "drat" else folder / "drat"
            convert_to_text(self.solver, folder / "raw", drat, self.clock)
            if form == "lrat":
                self._convert_to_lrat(drat)
            encoding = self.smaller_tree.encoding
            return Refutation(encoding.n_nodes, encoding.pool.n_vars, n_clauses, form, self.solver, seconds)

    def _solve(self, raw: Path, n_clauses: int) -> None:
        """Write the formula, and the solver's own proof to ``raw``."""
        encoding = self.smaller_tree.encoding
        with IsolatedOracle(self.solver, proof=raw) as oracle:
            with self.formula.open("wb") as file:
                file.writelines(self.smaller_tree.header(n_clauses))
                encoding.write(_FileAndSolver(file, oracle, self.clock), self.clock)
            has_model = oracle.solve([], self.clock)
            if has_model is None:
                raise TimeLimitReached
            if has_model:
                tree = encoding.tree(oracle.model(encoding.pool.n_vars))
                raise SmallerTreeError(
                    f"the claim is wrong: {self.solver} found a pure tree of {tree.n_nodes} nodes where none of at "
                    f"most {encoding.n_nodes} should exist; this is a bug in puretree: please report it"
                )

    def _convert_to_lrat(self, drat: Path) -> None:
        with self.proof.open("wb") as file:
            verdict = check_rup(self.formula, drat, self.clock, lrat=file)
        if not verdict.is_refuted:
            raise SolverError(f"the proof of {self.solver} is invalid: {verdict.reason}")


class _FileAndSolver:
    """A sink that passes the same clauses to a file and to a solver."""

    def __init__(self, file: BinaryIO, oracle: IsolatedOracle, clock: Clock) -> None:
        self._lines = ClauseLines(file, b"", clock)
        self._oracle = oracle
        self._clock = clock

    def add(self, block: Block) -> None:
        self._lines.add(block)
        self._oracle.add(block, self._clock)


def convert_to_text(solver: str, raw: Path, text: Path, clock: Clock) -> None:
    """Convert the proof of a solver to text, and remove the solver's file.

    Raises
    ------
    SolverError
        If the file is not a complete proof: a solver does not notice that the disk is full.
    TimeLimitReached
    """
    if not WRITES_BINARY[solver]:
        raw.replace(text)
        return
    with raw.open("rb") as source, text.open("wb") as target:
        rest = b""
        while chunk := source.read(_CHUNK_BYTES):
            clock.require_time()
            lines, n_read = _steps_to_text(solver, rest + chunk)
            rest = (rest + chunk)[n_read:]
            target.write(lines)
    raw.unlink()
    if rest:
        raise SolverError(f"the proof of {solver} ends in the middle of a step; check whether the disk is full")


def _steps_to_text(solver: str, data: bytes) -> tuple[bytes, int]:
    """Return the complete steps of a binary proof as text, and the number of bytes that they take."""
    try:
        return _native.drat_to_text(data)
    except ValueError as error:
        raise SolverError(f"the proof of {solver} cannot be read: expected {error.args[1]}") from None
