"""All readers of external files, with valid files to corrupt: a new reader is a new entry of ``READERS``."""

import contextlib
import copy
import io
import json
import tempfile
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
from helpers.certificates import MANIFEST_FIELDS, reseal, write_purity_files

from puretree import PureTreeClassifier, PuretreeError, Tree, minimum_tree
from puretree._support.clock import Clock
from puretree.binarize.predicate import columns_of
from puretree.datasets import read_csv
from puretree.datasets.csv_file import MISSING_VALUES, CsvFile
from puretree.datasets.prediction_rows import read_rows
from puretree.errors import InputTypeError, MissingValuesWarning, MixedColumnWarning, RejectedError
from puretree.formula.wcnf_format import read_wcnf
from puretree.proof import Manifest, verify
from puretree.proof.bound_log import bound_log
from puretree.proof.checkers import bound, lrat, purity, table
from puretree.proof.claim import certificate
from puretree.proof.manifest import COMPONENTS, FORMULA, LOG, MANIFEST, MODEL, PROBLEM, TABLE, describe_file
from puretree.proof.problem_file import ProblemFile
from puretree.proof.refutation import FORMS, refute
from puretree.proof.rup import check_rup
from puretree.runs import DataRecord, Run, load_run, read_json, read_model, save_run
from puretree.runs.store import FILES

LOANS = pd.DataFrame(
    {
        "income": [2100.0, 3400.5, None, 5200.0, 1800.0, 4100.0],
        "housing": ["rent", "own", "rent", "ümlaut, comma", None, 'a "quote"'],
        "smoker": [True, False, False, True, True, False],
    }
)
REPAID = ["no", "yes", "no", "yes", "no", "maybe"]


@dataclass(frozen=True)
class Reader:
    """A reader of external files.

    Parameters
    ----------
    name : str
    read : callable
        Called with the path of the corrupted file.
    valid : callable
        Returns the contents of valid files, to be corrupted.
    weight : int
        Relative number of inputs for this reader.
    file : str
        Name of the file.
    siblings : callable
        Returns the other files of its folder, by name.
    expected_errors : tuple of exception types
        Exceptions that the reader may raise.
    """

    name: str
    read: Callable[[Path], Any]
    valid: Callable[[], list[bytes]]
    weight: int
    file: str = "input"
    siblings: Callable[[], Mapping[str, bytes]] = field(default=dict)
    expected_errors: tuple[type[BaseException], ...] = (PuretreeError,)


@cache
def model() -> PureTreeClassifier:
    """Return a classifier with all kinds of columns."""
    return PureTreeClassifier(random_state=0, max_depth=4).fit(LOANS, REPAID)


@cache
def trees() -> tuple[Tree, ...]:
    """Return trees with names and without, with counts and without."""
    small = Tree.from_nested((0, "a", (2, "b", "a")))
    wide = minimum_tree([["red", 1.0], ["red", 3.0], ["blue", 1.0]], [1, 0, 0]).tree
    assert wide is not None
    return small, wide, model().tree_, replace(model().tree_, counts=None)


def csv_files() -> list[bytes]:
    """Return tables with numbers, names, missing values, quotes, a byte order mark and all kinds of line ends."""
    loans = LOANS.assign(repaid=REPAID).rename(columns={"repaid": "class"}).to_csv(index=False)
    return [
        loans.encode(),
        loans.replace("\n", "\r\n").encode("utf-8-sig"),
        b"a,b,class\n1,2,x\n,nan,y\n007,1e3,x\n",
        b'"two\nlines",class\n"a ""b""",1\n\n"c,d",2\n',
        b"class,a\n1,inf\n0,-3\n",
    ]


def formulas() -> list[bytes]:
    """Return formulas in the three formats."""
    return [
        b"c n_vars 4\nc var 1 a[0,1]\nc var 2 two\\{a}lines\nh 1 -2 0\nh 3 0\n5 -1 0\n17 2 -3 4 0\n",
        b"c from elsewhere\np wcnf 3 4 20\n20 1 2 0\n20 -1 3 0\n3 -2 0\n4 -3 0\n",
        b"p cnf 3 2\n1 -3 0\n2 3\n-1 0\n%\n0\n",
        b"p wcnf 2 2\n9 1 0\n99999999999999999999999999 -2 0\n",
    ]


@cache
def run_files() -> dict[str, bytes]:
    """Return the files of a run folder."""
    result, tree = model()._result, model().tree_
    outcome = replace(result.outcome, tree=tree)
    shares = tuple(map(tuple, result.leaf_shares()[tree.left < 0].tolist()))
    data = DataRecord("/a/table.csv", True, "0" * 64, "1" * 64, "repaid", tuple(LOANS), {"income": 3400.0})
    claim = certificate(result.prepared, outcome, tree, result.constraints)
    run = Run(outcome, 10**30, result.scores, {"engine": "auto", "max_depth": 4}, claim, data, shares)
    with tempfile.TemporaryDirectory() as folder:
        save_run(run, Path(folder) / "run")
        return {name: (Path(folder) / "run" / name).read_bytes() for name in FILES}


def read_table_fully(path: Path) -> None:
    """Read a CSV file in all ways; a column with one corrupted cell, and missing values may cause a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MixedColumnWarning)
        warnings.simplefilter("ignore", MissingValuesWarning)
        file = CsvFile.read(path)
        for name in file.header:
            file.column(name).values()
        read_csv(path)


def read_tree_and_use_it(path: Path) -> None:
    """Read a tree, which must then print, predict, and be written as it was read."""
    tree = read_model(path)
    if tree.n_nodes < 200:
        tree.to_text()
    assert Tree.from_json(tree.to_json()) == tree
    if tree.predicates is not None and tree.n_columns == len(LOANS.columns):
        tree.predict(LOANS)


def favourites() -> list[bytes]:
    """Return favourites with a note, and without."""
    of_model, small = model().tree_.to_dict(), trees()[0].to_dict()
    noted = {"format": "puretree-favourites", "version": 1, "trees": [{"tree": of_model, "note": "ümlaut, \n line"}]}
    return [json.dumps(noted, ensure_ascii=False).encode(), json.dumps({**noted, "trees": [{"tree": small}]}).encode()]


def adopt_favourite(path: Path) -> None:
    """Read favourites; what is adopted classifies all training rows correctly and has the size of the fitted tree."""
    fitted = model()
    try:
        adopted = copy.copy(fitted).adopt(path)
    except InputTypeError:
        raise AssertionError("a reader returns trees") from None
    assert (adopted.predict(LOANS) == REPAID).all()
    assert adopted.n_nodes_ == fitted.n_nodes_


def read_classifier_and_use_it(path: Path) -> None:
    """Read a classifier, which must then predict and be written as it was read."""
    saved = PureTreeClassifier.load(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the names of the columns may be missing in the file
        assert saved.predict_proba(LOANS).shape == (len(LOANS), len(saved.classes_))
    assert PureTreeClassifier.from_json(saved.to_json()).tree_ == saved.tree_


def read_rows_of_tree(path: Path) -> None:
    """Read rows to predict."""
    predicates = model().tree_.predicates
    assert predicates is not None
    model().tree_.predict(read_rows(path, columns_of(list(predicates.values())), MISSING_VALUES))


@cache
def proof_files() -> dict[str, bytes]:
    """Return the files of a certificate, with a refutation in both forms."""
    lights = [["red", 1.0], ["red", 3.0], ["blue", 1.0], ["blue", 3.0]], ["stop", "go", "go", "stop"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        contents = ProblemFile.from_dict(write_purity_files(folder, *lights))
        (folder / LOG).write_bytes(bound_log(contents.problem, contents.constraints, 7, Clock()))
        for form in FORMS:
            paths = {"formula": folder / FORMULA, "proof": folder / f"proof.{form}"}
            refute(contents.problem, contents.constraints, 5, **paths, clock=Clock(), form=form)
        components = {name: {"made": True, "detail": ""} for name in COMPONENTS}
        digest = read_model(folder / MODEL).digest
        claim = {"n_nodes": 7, "lower_bound": 7, "is_minimum": True, "tree": digest}
        files = {path.name: describe_file(path) for path in folder.iterdir()}
        (folder / MANIFEST).write_bytes(Manifest(claim, files, {}, {}, components, {"puretree": "0"}).to_bytes())
        return {path.name: path.read_bytes() for path in folder.iterdir()}


def check_by_program(checker: Any) -> Callable[[Path], None]:
    """Return a function that runs a stand-alone checker on the folder of a file, as a user would."""

    def check(path: Path) -> None:
        with contextlib.redirect_stdout(io.StringIO()) as output:
            code = checker.main([str(path.parent)])
        if code == 1:
            raise RejectedError(output.getvalue())
        assert code == 0

    return check


def check_drat(path: Path) -> None:
    """Check a refutation with the built-in checker."""
    verdict = check_rup(path.parent / FORMULA, path, Clock(2))
    if not verdict.is_refuted:
        raise RejectedError(verdict.reason)


def read_sealed(path: Path) -> None:
    """Read a manifest with a matching seal, as a forger would make it."""
    content = read_json(path)
    if not isinstance(content, dict) or not all(name in content for name in MANIFEST_FIELDS):
        raise RejectedError("this cannot be sealed")
    Manifest.from_bytes(Manifest(*(content[name] for name in MANIFEST_FIELDS)).to_bytes())


def verify_sealed(path: Path) -> None:
    """Verify a certificate with matching hashes and seal."""
    (path.parent / "proof.lrat").unlink(missing_ok=True)  # one refutation is enough
    reseal(path.parent)
    verify(path.parent)


def of_certificate(name: str, read: Callable[[Path], Any], file: str, weight: int) -> Reader:
    """Return a reader of one file of a certificate, with the other files in its folder."""
    return Reader(name, read, lambda: [proof_files()[file]], weight, file=file, siblings=proof_files)


READERS = [
    Reader("csv", read_table_fully, csv_files, weight=20),
    Reader("rows to predict", read_rows_of_tree, csv_files, weight=5),
    Reader("wcnf", read_wcnf, formulas, weight=24),
    Reader("tree", read_tree_and_use_it, lambda: [tree.to_json().encode() for tree in trees()], weight=15),
    Reader("favourites", adopt_favourite, favourites, weight=6),
    Reader("classifier", read_classifier_and_use_it, lambda: [model().to_json().encode()], weight=4),
    of_certificate("manifest", read_sealed, MANIFEST, weight=4),
    of_certificate("certificate", verify_sealed, PROBLEM, weight=1),
    of_certificate("problem", lambda path: ProblemFile.from_dict(read_json(path)), PROBLEM, weight=3),
    of_certificate("table: problem", check_by_program(table), PROBLEM, weight=2),
    of_certificate("table: table", check_by_program(table), TABLE, weight=2),
    of_certificate("purity: tree", check_by_program(purity), MODEL, weight=2),
    of_certificate("bound: problem", check_by_program(bound), PROBLEM, weight=1),
    of_certificate("bound: log", check_by_program(bound), LOG, weight=3),
    of_certificate("lrat: formula", check_by_program(lrat), FORMULA, weight=1),
    of_certificate("lrat: proof", check_by_program(lrat), "proof.lrat", weight=2),
    of_certificate("drat", check_drat, "proof.drat", weight=1),
    *(
        Reader(
            f"run folder: {name}",
            lambda path: load_run(path.parent).summary(),
            lambda name=name: [run_files()[name]],
            weight=2,
            file=name,
            siblings=run_files,
        )
        for name in FILES
    ),
]
