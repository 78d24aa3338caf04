"""Make the certificate of a run, every component anew from the data and the tree.

Of the run, only the tree, the claim and the parameters of the problem are used: the search runs again to write its log,
and an independent SAT solver refutes the formula of a smaller tree. A component that cannot be made within the limits
is recorded with the reason. If the tree is not pure, nothing is written.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .._support.clock import Clock
from ..datasets import Dataset
from ..errors import InputError, PuretreeError, UnfinishedError
from ..outcome import UNITS
from ..runs import Run, rebuild_problem, replacement_folder, write_and_sync
from ..selection import Rows
from .bound_log import bound_log
from .checkers import purity, table
from .component_checks import describe_purity, describe_table
from .formula_file import choose_core
from .manifest import FORMULA, LOG, MANIFEST, MODEL, PROBLEM, PROOF, TABLE, Manifest, checker_sources, proof_name
from .problem_file import ProblemFile, missing_cells, problem_to_dict, table_to_csv
from .refutation import FORMS, Form, SmallerTreeError, refute

PROOF_FRACTION = 0.5  # of the time limit, for each of the two proofs of minimality
TIME_LIMIT = 60.0

Component = dict[str, Any]


@dataclass(frozen=True, slots=True)
class CertifyOptions:
    """Options of :func:`certify`.

    Parameters
    ----------
    form : {"drat", "lrat"} or None, default="drat"
        Proof format of the refutation; None makes no refutation.
    with_data : bool, default=True
        Include the table in the certificate; without it, verification needs the file.
    clock : Clock, optional
        Each of the two proofs of minimality takes at most half of the time limit; 60 s by default.
    memory_limit : float, optional
        Bytes that the process may use; half of the machine's memory by default.
    on_start : callable, optional
        Called with the name of each component before it is made.
    on_done : callable, optional
        Called with the name of each component, its entry in the manifest, and the seconds it took.
    """

    form: Form | None = "drat"
    with_data: bool = True
    clock: Clock = field(default_factory=lambda: Clock(TIME_LIMIT))
    memory_limit: float | None = None
    on_start: Callable[[str], None] = lambda name: None
    on_done: Callable[[str, Component, float], None] = lambda name, component, seconds: None

    def __post_init__(self) -> None:
        if self.form not in (*FORMS, None):
            raise InputError(f"is unknown; use one of {', '.join(FORMS)}, or None", parameter="form", value=self.form)

    @property
    def proof_limit(self) -> float:
        """The seconds that a proof of minimality may take."""
        return PROOF_FRACTION * self.clock.limit

    def start_proof(self) -> Clock:
        """Start the clock of a proof of minimality."""
        return Clock(min(self.proof_limit, self.clock.left))


def certify(
    run: Run,
    folder: Path,
    dataset: Dataset,
    options: CertifyOptions | None = None,
    *,
    file: Path | None = None,
    force: bool = False,
) -> Manifest:
    """Make the certificate of a run, in the subfolder ``proof`` of its folder.

    Parameters
    ----------
    run : Run
        The run as read from the folder.
    folder : Path
        The run folder.
    dataset : Dataset
        The data of the run.
    options : CertifyOptions, optional
    file : Path, optional
        The CSV file that the data come from; a named data set is written as CSV. Other files cannot be certified.
    force : bool, default=False
        Replace an existing certificate; the new one may have a different seal.

    Returns
    -------
    Manifest
        Contents of the certificate; ``parts`` says which components could not be made, and why.
    """
    options = options or CertifyOptions()
    if run.allows_errors:
        raise InputError(
            "the run allows errors: certificates are about minimum trees without errors, and there is none of the "
            "fewest errors for a size; fit without --alpha, --max-errors and --max-nodes"
        )
    if UNITS[run.outcome.minimised] != "size":
        raise InputError(f"the run minimised {run.outcome.minimised}; only the size of a tree can be certified")
    if dataset.table.weights is not None or (run.data.is_file and file is None):
        raise InputError(
            f"{run.data.source}: a certificate contains the data file as CSV, with every row; save the table as a CSV "
            "file of at most 64 MiB, without compression, and fit again"
        )
    prepared = rebuild_problem(run, Rows.read(dataset.table, dataset.target))
    table_csv = _to_csv(run, dataset) if file is None else file.read_bytes()
    spellings = missing_cells(table_csv, dataset.table, dataset.missing_values)
    problem = problem_to_dict(
        prepared, run.tree, run.parameters.get("max_depth"), run.data.target, dataset.n_rows, spellings
    )
    if (folder / PROOF).exists() and not force:
        raise InputError(f"{folder} already holds a certificate, whose seal others may know; use --force to replace it")
    with replacement_folder(folder / PROOF) as proof:
        write_and_sync(proof / MODEL, (folder / MODEL).read_bytes())
        write_and_sync(proof / PROBLEM, (json.dumps(problem, indent=1) + "\n").encode())
        write_and_sync(proof / TABLE, table_csv)
        makers = _component_makers(problem, run, proof, options)
        components = {name: _make_component(name, make, options) for name, make in makers.items()}
        for name, source in checker_sources().items():
            write_and_sync(proof / name, source)
        manifest = Manifest.of(run, folder, proof, components, leave_out=() if options.with_data else (TABLE,))
        for name in manifest.left_out:
            (proof / name).unlink()
        write_and_sync(proof / MANIFEST, manifest.to_bytes())
    return manifest


def _to_csv(run: Run, dataset: Dataset) -> bytes:
    return table_to_csv(dataset.table, run.data.target, dataset.target.tolist())


def _component_makers(
    problem: dict[str, Any], run: Run, proof: Path, options: CertifyOptions
) -> dict[str, Callable[[], str]]:
    lower_bound = int(run.outcome.lower_bound)  # of the size
    return {
        "table": lambda: _check_table(proof),
        "purity": lambda: _prove_purity(proof),
        "bound": lambda: _write_log(problem, lower_bound, proof, options),
        "refutation": lambda: _write_refutation(problem, run, lower_bound - 2, proof, options),
    }


def _make_component(name: str, make: Callable[[], str], options: CertifyOptions) -> Component:
    """Make a component and return its entry in the manifest; Ctrl-C interrupts only this component."""
    clock = Clock()
    options.on_start(name)
    try:
        component = {"made": True, "detail": make()}
    except (UnfinishedError, InputError) as error:
        component = {"made": False, "detail": str(error)}
    except KeyboardInterrupt:
        component = {"made": False, "detail": "interrupted"}
    options.on_done(name, component, clock.seconds)
    return component


def _check_table(proof: Path) -> str:
    try:
        summary = table.check(proof)
    except table.Rejected as error:
        raise PuretreeError(f"the data cannot be certified: {error}") from None
    return describe_table(summary)


def _prove_purity(proof: Path) -> str:
    try:
        summary = purity.check(proof)
    except purity.Rejected as error:
        raise PuretreeError(f"the tree of the run is not pure on its data: {error}; fit again") from None
    return describe_purity(summary)


def _write_log(problem: dict[str, Any], lower_bound: int, proof: Path, options: CertifyOptions) -> str:
    if lower_bound < 3:
        raise InputError("no proof is needed: no tree is smaller than a single leaf")
    contents = ProblemFile.from_dict(problem)
    clock = options.start_proof()
    log = bound_log(contents.problem, contents.constraints, lower_bound, clock, options.memory_limit)
    write_and_sync(proof / LOG, log)
    n_lines = log.count(b"\n")
    return f"no tree of fewer than {lower_bound} nodes: log of the search, {n_lines} lines, {len(log)} bytes"


def _write_refutation(problem: dict[str, Any], run: Run, n_nodes: int, proof: Path, options: CertifyOptions) -> str:
    if options.form is None:
        raise InputError("not requested")
    if n_nodes < 3:
        raise InputError("no formula is needed: a single leaf misclassifies one of two classes")
    clock = options.start_proof()
    contents = ProblemFile.from_dict(problem)
    path = proof / proof_name(options.form)
    log = (proof / LOG).read_bytes() if (proof / LOG).exists() else None
    examples = choose_core(contents.problem, contents.constraints, log)
    try:
        refutation = refute(
            contents.problem,
            contents.constraints,
            n_nodes,
            formula=proof / FORMULA,
            proof=path,
            clock=clock,
            form=options.form,
            examples=examples,
        )
    except UnfinishedError as error:
        if not clock.is_over:
            raise
        raise UnfinishedError(_describe_unfinished(n_nodes, options, log), None) from error
    except SmallerTreeError:
        min_samples_leaf = run.parameters.get("min_samples_leaf", 1)
        if min_samples_leaf == 1:
            raise
        raise InputError(
            f"the bound depends on min_samples_leaf={min_samples_leaf}, which the formula does not express"
        ) from None
    assert refutation is not None  # n_nodes is at least 3
    subset = "" if examples is None else f" about {len(examples)} of {contents.problem.n_examples} examples"
    return (
        f"no tree of at most {n_nodes} nodes: {refutation.n_clauses} clauses{subset} refuted by {refutation.solver}, "
        f"{refutation.form} proof of {path.stat().st_size} bytes"
    )


def _describe_unfinished(n_nodes: int, options: CertifyOptions, log: bytes | None) -> str:
    """Say how long the refutation was tried, how to give it longer, and what proves the bound without it."""
    instead = "" if log is None else "; the bound log proves the same"
    more = 10 * max(TIME_LIMIT, options.clock.limit)
    return (
        f"time limit reached: trees of at most {n_nodes} nodes were not refuted within {options.proof_limit:g} s, half "
        f"of the time limit; --time-limit {more:g} gives it longer{instead}"
    )
