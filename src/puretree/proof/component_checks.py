"""The checks of a certificate's components: files, table, purity, bound and refutation.

A component that does not hold raises an error; one that could not be checked is reported with the reason. Everything
that is read here, the certificate as well as the run, may have been written by a forger. In particular, a proof about
one problem is no proof about another: the tree, the table, the training rows and the constraints of the run must be
those of the certificate. The tree is compared by its digest, which is part of the claim.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, NamedTuple

from .._support.clock import Clock, TimeLimitReached
from .._support.text import quantity
from ..errors import FormatError, InputError
from ..runs import Run, load_run, read_json, read_model
from .checkers import bound, purity, table
from .formula_file import SmallerTreeFormula, read_examples
from .manifest import FORMULA, LOG, MODEL, PROBLEM, TABLE, Manifest, checker_sources, describe_file, proof_name
from .problem_file import ProblemFile
from .proof_checking import check_proof
from .refutation import FORMS

Result = Literal["verified", "not checked", "not made"]


class CheckResult(NamedTuple):
    """The result of a check.

    Parameters
    ----------
    result : {"verified", "not checked", "not made"}
    detail : str
        What it found, or why it could not be made.
    scope : str
        What the claim is about, if the check establishes that.
    """

    result: Result
    detail: str
    scope: str = ""


def check_files(manifest: Manifest, proof: Path, run: Path | None) -> CheckResult:
    """Check that no byte was changed, and that the run makes the claim of the certificate."""
    manifest.require_files(proof)
    tree = read_model(proof / MODEL)
    if tree.digest != manifest.claim["tree"]:
        raise FormatError(f"{MODEL} holds another tree than the claim")
    caveats = _describe_foreign_programs(manifest)
    if run is None:
        return CheckResult("verified", f"{len(manifest.files)} files without the run, seal {manifest.seal}{caveats}")
    loaded = load_run(run)
    manifest.require_run(loaded, run)
    require_same_problem(loaded, read_json(proof / PROBLEM), manifest.table)
    if not loaded.data.is_file:
        caveats += f"; that the table is {loaded.data.source} is not checked"
    return CheckResult("verified", f"{len(manifest.files) + len(manifest.run)} files, seal {manifest.seal}{caveats}")


def _describe_foreign_programs(manifest: Manifest) -> str:
    """Name checkers in the certificate that are not ours: ``verify`` never runs them, but its reader might."""
    own = {name: sha256(source).hexdigest() for name, source in checker_sources().items()}
    foreign = [name for name in own if name in manifest.files and manifest.files[name]["sha256"] != own[name]]
    return f"; not the programs of this release: {', '.join(foreign)}" if foreign else ""


def require_same_problem(run: Run, problem: Any, table_entry: Mapping[str, Any] | None) -> None:
    """Reject a certificate whose data or constraints are not those of the run.

    Parameters
    ----------
    run : Run
    problem : object
        The content of problem.json.
    table_entry : dict or None
        Hash and size of the certificate's table. They are not compared for named data sets, which are in no file.
    """
    if not isinstance(problem, dict):
        raise FormatError("problem.json does not hold a problem")
    if run.data.is_file and (table_entry is None or table_entry["sha256"] != run.data.sha256):
        raise FormatError("the table of the certificate is not the data file of the run")
    expected = {
        "target": run.data.target,
        "rows": None if run.training_rows is None else list(run.training_rows),
        "max_depth": run.parameters.get("max_depth"),
    }
    for name, value in expected.items():
        if problem.get(name) != value:
            raise FormatError(f"problem.json does not have the {name!r} of the run")
    columns = problem.get("columns")
    if not isinstance(columns, list) or not all(isinstance(column, dict) for column in columns):
        raise FormatError("problem.json has no columns")
    root = problem.get("root")
    is_root = type(root) is int and 0 <= root < len(columns) and _is_named(columns, root, [run.parameters.get("root")])
    if not is_root and (root is not None or run.parameters.get("root") is not None):
        raise FormatError("problem.json does not have the 'root' of the run")
    forbidden = run.parameters.get("forbidden") or ()
    for index, column in enumerate(columns):
        undeclared = [text for text in column.get("missing_values") or () if not _is_missing(text, run)]
        if undeclared:
            raise FormatError(f"problem.json reads {undeclared[0]!r} as missing, which the run does not")
        if column.get("is_forbidden") is not _is_named(columns, index, forbidden):
            raise FormatError(
                f"problem.json and the run disagree on whether column {column.get('name')!r} is forbidden"
            )


def _is_missing(text: Any, run: Run) -> bool:
    """Return whether a run reads a cell as missing: as declared, or as "nan" among numbers."""
    return text in (run.data.missing_values or ()) or str(text).strip().lower().lstrip("+-") == "nan"


def _is_named(columns: Sequence[Mapping[str, Any]], index: int, names: Collection[Any]) -> bool:
    """Return whether a column is one of those that a parameter names, by name or index."""
    return any(name in (index, columns[index].get("name")) for name in names)


def check_table(manifest: Manifest, proof: Path, file: Path | None) -> CheckResult:
    """Check that the problem is that of the certificate's table, or of a file."""
    if file is None and TABLE not in manifest.files:
        return CheckResult("not checked", "the data are not in the certificate; pass the file with --data")
    if file is not None and describe_file(file) != manifest.table:
        raise InputError(f"{file} is not the table of the certificate; pass the file that was used for fitting")
    summary = table.check(proof, file)
    return CheckResult("verified", describe_table(summary), table.state_scope(summary))


def describe_table(summary: Mapping[str, Any]) -> str:
    """Describe the result of the table checker."""
    nouns = {"n_rows": "training row", "n_examples": "example", "n_features": "feature"}
    return ", ".join(quantity(summary[key], noun) for key, noun in nouns.items())


def check_purity(manifest: Manifest, proof: Path) -> CheckResult:
    """Check that the tree classifies the examples correctly."""
    summary = purity.check(proof)
    if summary["n_nodes"] != manifest.claim["n_nodes"]:
        raise FormatError(f"the tree has {summary['n_nodes']} nodes, not {manifest.claim['n_nodes']}")
    return CheckResult("verified", describe_purity(summary))


def describe_purity(summary: Mapping[str, Any]) -> str:
    """Describe the result of the purity checker."""
    return f"{quantity(summary['n_nodes'], 'node')}, {quantity(summary['n_rows'], 'row')} classified correctly"


def check_bound(manifest: Manifest, proof: Path, clock: Clock) -> CheckResult:
    """Check the search's log."""
    if LOG not in manifest.files:
        return CheckResult("not made", _one_line(manifest.parts["bound"]["detail"]))
    log = (proof / LOG).read_bytes().decode("ascii", "replace")  # the checker rejects the replacement character
    try:
        n_tests = bound.check(read_json(proof / PROBLEM), log, clock.require_time)
    except TimeLimitReached:
        return CheckResult("not checked", "time limit reached before the whole log was checked; allow more time")
    n_nodes = 2 * n_tests + 1
    if n_nodes < manifest.claim["lower_bound"]:
        raise FormatError(f"{LOG} proves {n_nodes} nodes, not {manifest.claim['lower_bound']}")
    return CheckResult("verified", f"no tree of fewer than {n_nodes} nodes, by the log of the search")


def check_refutation(manifest: Manifest, proof: Path, checker: str | None, clock: Clock) -> CheckResult:
    """Check that the formula encodes a smaller tree, by writing it again, and that the proof refutes it."""
    forms = [form for form in FORMS if proof_name(form) in manifest.files]
    if not forms:
        return CheckResult("not made", _one_line(manifest.parts["refutation"]["detail"]))
    if len(forms) > 1:
        raise FormatError("there are two refutations, of which only one would be checked; remove one")
    (form,) = forms
    n_nodes = int(manifest.claim["lower_bound"]) - 2
    try:
        _require_formula(manifest, proof, n_nodes, clock)
    except TimeLimitReached:
        return CheckResult("not checked", "time limit reached before the formula was compared; allow more time")
    checked = check_proof(proof / FORMULA, proof / proof_name(form), form, checker=checker, clock=clock)
    if checked.verdict is None:
        return CheckResult("not checked", "; ".join(checked.reasons))
    if not checked.verdict:
        raise FormatError(f"{proof_name(form)} does not refute {FORMULA}: {'; '.join(checked.reasons)}")
    caveats = f" ({'; '.join(checked.reasons)})" if checked.reasons else ""
    return CheckResult("verified", f"no tree of at most {n_nodes} nodes, by {checked.accepted_by}{caveats}")


def _require_formula(manifest: Manifest, proof: Path, n_nodes: int, clock: Clock) -> None:
    """Reject a formula that does not encode a pure tree of at most ``n_nodes`` nodes for the problem."""
    contents = ProblemFile.from_dict(read_json(proof / PROBLEM))
    if n_nodes < 3 or FORMULA not in manifest.files:
        raise FormatError(f"there is a refutation, but no formula for trees of at most {n_nodes} nodes")
    formula = SmallerTreeFormula(contents.problem, contents.constraints, n_nodes, read_examples(proof / FORMULA))
    if formula.digest(clock) != manifest.files[FORMULA]["sha256"]:
        raise FormatError(f"{FORMULA} is not the formula of a pure tree of at most {n_nodes} nodes")


def _one_line(detail: str) -> str:
    """Return text of a certificate on one line, so that it cannot imitate a line of the verdict."""
    return " ".join(detail.split())
