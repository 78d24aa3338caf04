"""Make the certificate of a run: every part afresh, from the data and the tree alone.

Nothing is taken from the run but the tree, what is claimed of it, and how the table was asked: the search runs again to
write down its bound, and a SAT solver that knows nothing of the first refutes a smaller tree. What cannot be made
within the limits is told, with the reason; without a pure tree nothing is written at all.
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
from ..runs import Run, building_folder, rebuild_problem, write_lasting
from ..selection import Rows
from .bound_log import bound_log
from .checkers import purity
from .formula_file import choose_core
from .manifest import FORMULA, LOG, MANIFEST, MODEL, PROBLEM, PROOF, TABLE, Manifest, checker_sources, proof_name
from .problem_file import ProblemFile, problem_to_dict, table_to_csv
from .refutation import FORMS, Form, refute

LOG_SHARE = 0.5  # of the time: the rest is the solver's

Part = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Certifying:
    """What a certificate is made with.

    Parameters
    ----------
    form : {"drat", "lrat"} or None, default="drat"
        How the refutation is written down; None leaves it out.
    with_data : bool, default=True
        Put the table into the certificate; without it, whoever verifies needs the file.
    clock : Clock, optional
    memory_limit : float, optional
        Bytes that the process may take; half of the machine's by default.
    begin : callable, optional
        Gets the name of each part before it is made.
    tell : callable, optional
        Gets the name of each part, what came of it, and the seconds it took.
    """

    form: Form | None = "drat"
    with_data: bool = True
    clock: Clock = field(default_factory=Clock)
    memory_limit: float | None = None
    begin: Callable[[str], None] = lambda name: None
    tell: Callable[[str, Part, float], None] = lambda name, part, seconds: None

    def __post_init__(self) -> None:
        if self.form not in (*FORMS, None):
            raise InputError(f"form={self.form!r} is not known; use one of {', '.join(FORMS)}, or None")


def certify(
    run: Run,
    folder: Path,
    dataset: Dataset,
    given: Certifying | None = None,
    *,
    file: Path | None = None,
    force: bool = False,
) -> Manifest:
    """Make the certificate of a run, in the folder ``proof`` beside its files.

    Parameters
    ----------
    run : Run
        As it was read from the folder.
    folder : Path
        The run folder.
    dataset : Dataset
        The data of the run.
    given : Certifying, optional
    file : Path, optional
        The CSV file that the data are from; data that are known by name are written into one.
    force : bool, default=False
        Replace an older certificate: whoever knows its seal would not know the new one.

    Returns
    -------
    Manifest
        What the certificate holds; ``parts`` tells what could not be made, and why.
    """
    given = given or Certifying()
    if UNITS[run.outcome.minimised] != "size":
        raise InputError(f"the tree was made for the smallest {run.outcome.minimised}, and size alone can be certified")
    prepared = rebuild_problem(run, Rows.read(dataset.table, dataset.target))
    problem = problem_to_dict(prepared, run.parameters.get("max_depth"), run.data.target, dataset.n_rows)
    if (folder / PROOF).exists() and not force:
        raise InputError(f"{folder} holds a certificate already, whose seal others may know; use --force to replace it")
    with building_folder(folder / PROOF) as proof:
        write_lasting(proof / MODEL, (folder / MODEL).read_bytes())
        write_lasting(proof / PROBLEM, (json.dumps(problem, indent=1) + "\n").encode())
        write_lasting(proof / TABLE, _as_csv(run, dataset) if file is None else file.read_bytes())
        parts = {name: _make(name, make, given) for name, make in _makers(problem, run, proof, given).items()}
        for name, source in checker_sources().items():
            write_lasting(proof / name, source)
        manifest = Manifest.of(run, folder, proof, parts, leave_out=() if given.with_data else (TABLE,))
        for name in manifest.left_out:
            (proof / name).unlink()
        write_lasting(proof / MANIFEST, manifest.to_bytes())
    return manifest


def _as_csv(run: Run, dataset: Dataset) -> bytes:
    return table_to_csv(dataset.table, run.data.target, dataset.target.tolist())


def _makers(problem: dict[str, Any], run: Run, proof: Path, given: Certifying) -> dict[str, Callable[[], str]]:
    lower = run.outcome.lower_bound
    return {
        "purity": lambda: _prove_purity(proof),
        "bound": lambda: _write_log(problem, lower, proof, given),
        "refutation": lambda: _write_refutation(problem, lower - 2, proof, given),
    }


def _make(name: str, make: Callable[[], str], given: Certifying) -> Part:
    """Make a part, and tell what came of it; Ctrl-C ends that part alone."""
    clock = Clock()
    given.begin(name)
    try:
        part = {"made": True, "told": make()}
    except (UnfinishedError, InputError) as error:
        part = {"made": False, "told": str(error)}
    except KeyboardInterrupt:
        part = {"made": False, "told": "interrupted"}
    given.tell(name, part, clock.seconds)
    return part


def _prove_purity(proof: Path) -> str:
    try:
        found = purity.check(proof)
    except purity.Rejected as error:
        raise PuretreeError(f"the tree of the run is not right on its data: {error}; fit again") from None
    return f"{found['n_nodes']} nodes, right on {found['n_rows'] - found['n_left_out']} rows"


def _write_log(problem: dict[str, Any], lower: int, proof: Path, given: Certifying) -> str:
    if lower < 3:
        raise InputError("no tree is smaller than a single leaf")
    read = ProblemFile.from_dict(problem)
    log = bound_log(read.problem, read.constraints, lower, given.clock.part(LOG_SHARE), given.memory_limit)
    write_lasting(proof / LOG, log)
    n_lines = log.count(b"\n")
    return f"no tree of fewer than {lower} nodes: the search's log of {n_lines} lines, {len(log)} bytes"


def _write_refutation(problem: dict[str, Any], n_nodes: int, proof: Path, given: Certifying) -> str:
    if given.form is None:
        raise InputError("it was not asked for")
    if n_nodes < 3:
        raise InputError("no formula is needed: a single leaf is wrong on one of two classes")
    read = ProblemFile.from_dict(problem)
    path = proof / proof_name(given.form)
    log = (proof / LOG).read_bytes() if (proof / LOG).exists() else None
    examples = choose_core(read.problem, read.constraints, log)
    made = refute(
        read.problem,
        read.constraints,
        n_nodes,
        formula=proof / FORMULA,
        proof=path,
        clock=given.clock,
        form=given.form,
        examples=examples,
    )
    assert made is not None  # it is not that small
    of_some = "" if examples is None else f" about {len(examples)} of {read.problem.n_examples} examples"
    return (
        f"no tree of at most {n_nodes} nodes: {made.n_clauses} clauses{of_some} refuted by {made.solver}, {made.form} "
        f"proof of {path.stat().st_size} bytes"
    )
