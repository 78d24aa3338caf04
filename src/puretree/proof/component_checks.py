"""Does a certificate speak of the run that it lies in? Both are read, and both may have been written by a forger.

A proof of one problem is no proof of another: the tree, the table, the rows that trained and the wishes of the run must
be those of the certificate. That the tree is the same is told by its digest, which is part of the claim.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from .._support.clock import Clock, TimeIsOver
from ..errors import FormatError, InputError
from ..runs import Run, load_run, read_json, read_model
from .checkers import bound, purity
from .formula_file import SmallerTree, read_examples
from .manifest import FORMULA, LOG, MODEL, PROBLEM, TABLE, Manifest, checker_sources, describe_file, proof_name
from .problem_file import ProblemFile
from .proof_checking import check_proof
from .refutation import FORMS


def require_same(run: Run, problem: Any, table: Mapping[str, Any] | None) -> None:
    """Refuse a certificate of other data or of other wishes than the run tells of.

    Parameters
    ----------
    run : Run
    problem : object
        The content of problem.json.
    table : dict or None
        What the certificate says of the bytes of its table. Data that are known by name have no bytes of their own.
    """
    if not isinstance(problem, dict):
        raise FormatError("problem.json is no problem")
    if run.data.is_file and (table is None or table["sha256"] != run.data.sha256):
        raise FormatError("the table of the certificate is not the file that the run was made of")
    said = {"target": problem.get("target"), "rows": problem.get("rows"), "max_depth": problem.get("max_depth")}
    expected = {
        "target": run.data.target,
        "rows": None if run.training_rows is None else list(run.training_rows),
        "max_depth": run.parameters.get("max_depth"),
    }
    for name, value in expected.items():
        if said[name] != value:
            raise FormatError(f"problem.json does not have the {name!r} of the run")
    if (problem.get("roots") is None) != (run.parameters.get("root") is None):
        raise FormatError("problem.json does not have the 'root' of the run")
    _require_asked(run, problem.get("columns"))


def _require_asked(run: Run, columns: Any) -> None:
    """Refuse a problem in which columns may not be asked that the run did not forbid: fewer trees are larger trees."""
    if not isinstance(columns, list) or not all(isinstance(column, dict) for column in columns):
        raise FormatError("problem.json has no columns")
    forbidden = run.parameters.get("forbidden") or ()
    for place, column in enumerate(columns):
        if column.get("may_be_asked") is not True and not any(
            name in (place, column.get("name")) for name in forbidden
        ):
            raise FormatError(f"problem.json does not ask column {column.get('name')!r}, which the run did not forbid")


# The parts of a certificate, each checked by itself: files, purity, bound and refutation.
#
# A part that does not hold is an error; what could not be checked is told, with the reason.

Result = Literal["verified", "not checked", "not made"]
CheckResult = tuple[Result, str]


def check_files(manifest: Manifest, proof: Path, run: Path | None) -> CheckResult:
    """Check that every byte is the one that was written, and that the run says what the certificate claims."""
    manifest.require_files(proof)
    tree = read_model(proof / MODEL)
    if tree.digest != manifest.claim["tree"]:
        raise FormatError(f"{MODEL} is another tree than the one that the claim is of")
    doubts = _tell_foreign_programs(manifest)
    if run is None:
        return "verified", f"{len(manifest.files)} files without the run, seal {manifest.seal}{doubts}"
    loaded = load_run(run)
    manifest.require_run(loaded, run)
    require_same(loaded, read_json(proof / PROBLEM), manifest.table)
    if not loaded.data.is_file:
        doubts += f"; that the table is {loaded.data.source} is not checked"
    return "verified", f"{len(manifest.files) + len(manifest.run)} files, seal {manifest.seal}{doubts}"


def _tell_foreign_programs(manifest: Manifest) -> str:
    """Warn of programs that are not ours: they are never run here, but whoever reads 'verified' may run them."""
    own = {name: sha256(source).hexdigest() for name, source in checker_sources().items()}
    foreign = [name for name in own if name in manifest.files and manifest.files[name]["sha256"] != own[name]]
    return f"; not the programs of this release: {', '.join(foreign)}" if foreign else ""


def check_purity(manifest: Manifest, proof: Path, table: Path | None) -> CheckResult:
    """Check that the tree is right on the rows that count, by the data in the certificate or by a file."""
    if table is None and TABLE not in manifest.files:
        return "not checked", "the data are not in the certificate; name the file with --data"
    if table is not None and describe_file(table) != manifest.table:
        raise InputError(f"{table} is not the table that the certificate is of; give the file that was fitted")
    found = purity.check(proof, table)
    if found["n_nodes"] != manifest.claim["n_nodes"]:
        raise FormatError(f"the tree has {found['n_nodes']} nodes, not {manifest.claim['n_nodes']}")
    return "verified", _tell_purity(found, read_json(proof / PROBLEM))


def _tell_purity(found: dict[str, Any], problem: dict[str, Any]) -> str:
    """Tell what the tree is right on, and all that makes the claim a smaller one: the problem may be anybody's."""
    others = found["n_table_rows"] - found["n_rows"]
    limits = (
        (others, f"{others} rows of the table did not train"),
        (found["n_left_out"], f"{found['n_left_out']} contradict others"),
        (found["n_cuts_not_asked"], f"{found['n_cuts_not_asked']} cuts by one value are none of the questions"),
        (found["forbidden"], f"not asked: {', '.join(map(repr, found['forbidden']))}"),
    )
    right = f"{found['n_nodes']} nodes, right on {found['n_rows'] - found['n_left_out']} rows"
    return "; ".join([right, *(told for holds, told in limits if holds), *wishes_of(problem)])


def wishes_of(problem: dict[str, Any]) -> tuple[str, ...]:
    """Tell what else is asked of a tree: one that does not keep to it may be smaller."""
    roots, max_depth = problem["roots"], problem["max_depth"]
    columns = ", ".join(map(repr, purity.columns_of(problem, roots or ())))
    wishes = (
        (roots is not None, f"the first test is about {columns}"),
        (max_depth is not None, f"at most {max_depth} tests on a path"),
    )
    return tuple(told for is_wished, told in wishes if is_wished)


def check_bound(manifest: Manifest, proof: Path, clock: Clock) -> CheckResult:
    """Check the search's log."""
    if LOG not in manifest.files:
        return "not made", _one_line(manifest.parts["bound"]["told"])
    log = (proof / LOG).read_bytes().decode("ascii", "replace")  # what is no text is no line of a log
    try:
        n_tests = bound.check(read_json(proof / PROBLEM), log, clock.require_time)
    except TimeIsOver:
        return "not checked", "the time was over before the log was read to its end; allow more"
    _require_bound(2 * n_tests + 1, manifest, LOG)
    return "verified", f"no tree of fewer than {2 * n_tests + 1} nodes, by the search's log"


def check_refutation(manifest: Manifest, proof: Path, checker: str | None, clock: Clock) -> CheckResult:
    """Check that the formula is that of a smaller tree, made anew here, and that it has no model."""
    forms = [form for form in FORMS if proof_name(form) in manifest.files]
    if not forms:
        return "not made", _one_line(manifest.parts["refutation"]["told"])
    if len(forms) > 1:
        raise FormatError("there are two refutations, and one of them would not be checked")
    (form,) = forms
    n_nodes = int(manifest.claim["lower_bound"]) - 2
    try:
        _require_formula(manifest, proof, n_nodes, clock)
    except TimeIsOver:
        return "not checked", "the time was over before the formula was made anew; allow more"
    checked = check_proof(proof / FORMULA, proof / proof_name(form), form, checker=checker, clock=clock)
    if checked.verdict is None:
        return "not checked", "; ".join(checked.reasons)
    if not checked.verdict:
        raise FormatError(f"{proof_name(form)} does not refute {FORMULA}: {'; '.join(checked.reasons)}")
    doubts = f" ({'; '.join(checked.reasons)})" if checked.reasons else ""
    return "verified", f"no tree of at most {n_nodes} nodes, by {checked.how}{doubts}"


def _require_formula(manifest: Manifest, proof: Path, n_nodes: int, clock: Clock) -> None:
    """Refuse a formula that is not the one of a pure tree of so many nodes, made anew from the problem."""
    read = ProblemFile.from_dict(read_json(proof / PROBLEM))
    if n_nodes < 3 or FORMULA not in manifest.files:
        raise FormatError(f"there is a refutation, and no formula that it could be of, for {n_nodes} nodes")
    smaller = SmallerTree(read.problem, read.constraints, n_nodes, read_examples(proof / FORMULA))
    if smaller.digest(clock) != manifest.files[FORMULA]["sha256"]:
        raise FormatError(f"{FORMULA} does not say that there is a pure tree of at most {n_nodes} nodes")


def _one_line(told: str) -> str:
    """Return what a certificate tells of itself so that it cannot pass for a line of ours."""
    return " ".join(told.split())


def _require_bound(proved: int, manifest: Manifest, name: str) -> None:
    if proved < manifest.claim["lower_bound"]:
        raise FormatError(f"{name} proves {proved} nodes, not {manifest.claim['lower_bound']}")
