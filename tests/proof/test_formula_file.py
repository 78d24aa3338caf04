"""Formulas about a subset of the examples: they refute as much, and verify checks the subset."""

import re
from pathlib import Path

import numpy as np
import pytest
from helpers.bound_logs import fewest_tests, log_of
from helpers.certificates import reseal
from helpers.random_problems import decision_list, formula, random_problem, rows_of

from puretree._support.clock import NO_LIMIT
from puretree.cli import main
from puretree.errors import FormatError, RejectedError
from puretree.pipeline import prepare
from puretree.problem import Constraints
from puretree.proof import PROOF, verify
from puretree.proof.formula_file import SmallerTreeFormula, choose_core, examples_in_log, read_examples, restrict
from puretree.proof.proof_checking import check_proof
from puretree.proof.refutation import refute

BAD_EXAMPLES = {"empty": (), "unsorted": (1, 0), "repeated": (1, 1), "too large": (0, 10**6), "negative": (-1, 2)}


def checkerboard() -> tuple[np.ndarray, np.ndarray]:
    """Return rows of two numbers whose classes form a 2 × 2 checkerboard: of many thresholds, two are needed."""
    X = np.random.default_rng(3).uniform(size=(40, 2)).round(3)
    return X, (X[:, 0] > 0.5) ^ (X[:, 1] > 0.4)


@pytest.mark.parametrize("make", [random_problem, decision_list])
def test_the_examples_of_a_log_need_as_many_tests_as_all(make: object) -> None:
    """By brute force, the examples that a log names have the same minimum as all examples."""
    n_fewer = 0
    for seed in range(60):
        problem = make(seed)  # type: ignore[operator]
        best = fewest_tests(problem)
        core = examples_in_log(log_of(problem, int(best)).encode())
        assert fewest_tests(restrict(problem, core)) == best
        n_fewer += len(core) < problem.n_examples
    assert n_fewer > 20


def test_features_that_are_equal_on_the_subset_are_merged() -> None:
    """The restricted problem has the rows of its examples, and its features refer to those of the whole problem."""
    problem = prepare(*checkerboard(), binarize="thresholds").problem
    examples = (0, 3, 7, 20)
    subset = restrict(problem, examples)
    columns = np.array(rows_of(problem))[list(examples)]
    assert np.array_equal(
        np.array(rows_of(subset)), columns[:, subset.merge.original_of_feature][subset.example_of_row.argsort()]
    )
    distinct = {min(column, tuple(1 - bit for bit in column)) for column in map(tuple, columns.T.tolist())}
    assert subset.n_features == len(distinct - {(0, 0, 0, 0)}) < problem.n_features


def test_a_subset_is_chosen_only_if_it_removes_features() -> None:
    """The subset is chosen if it removes features and there is no root constraint."""
    problem = prepare(*checkerboard(), binarize="thresholds").problem
    log = log_of(problem, 3).encode()
    assert choose_core(problem, Constraints(), log) == examples_in_log(log)
    assert choose_core(problem, Constraints(max_depth=3), log) == examples_in_log(log)
    assert choose_core(problem, Constraints(root=[0]), log) is None
    assert choose_core(problem, Constraints(), None) is None
    mux = formula("mux6")
    assert choose_core(mux, Constraints(), log_of(mux, 7).encode()) is None  # all six bits are needed


def test_a_formula_lists_its_examples(tmp_path: Path) -> None:
    """The examples are read back from the file, and with them the file can be written again byte by byte."""
    problem = prepare(*checkerboard(), binarize="thresholds").problem
    examples = examples_in_log(log_of(problem, 3).encode())
    files = {"formula": tmp_path / "formula.cnf", "proof": tmp_path / "proof.drat"}
    assert refute(problem, Constraints(), 5, **files, clock=NO_LIMIT, examples=examples)
    assert check_proof(files["formula"], files["proof"], "drat", clock=NO_LIMIT).verdict
    assert read_examples(files["formula"]) == examples
    assert max(map(len, files["formula"].read_bytes().splitlines())) < 120
    smaller = SmallerTreeFormula(problem, Constraints(), 5, examples)
    header = b"".join(smaller.header(smaller.count_clauses(NO_LIMIT)))
    assert files["formula"].read_bytes().startswith(header)
    assert refute(problem, Constraints(), 5, **files, clock=NO_LIMIT)
    assert read_examples(files["formula"]) is None


@pytest.mark.parametrize("examples", BAD_EXAMPLES.values(), ids=BAD_EXAMPLES)
def test_an_invalid_subset_is_rejected(examples: tuple[int, ...]) -> None:
    """Examples that are unsorted, repeated or out of range raise FormatError: the file may be forged."""
    with pytest.raises(FormatError, match="not a subset of the problem's"):
        restrict(random_problem(0), examples)


def test_a_root_needs_all_examples() -> None:
    """With a root constraint a subset is rejected, since the feature of the root may be constant on it."""
    with pytest.raises(FormatError, match="root constraint must encode all examples"):
        _ = SmallerTreeFormula(random_problem(0), Constraints(root=[0]), 5, (0, 1)).encoding


def test_another_subset_is_rejected(tmp_path: Path) -> None:
    """A certificate whose formula lists other examples, or invalid ones, is rejected."""
    X, y = checkerboard()
    table, run = tmp_path / "table.csv", tmp_path / "run"
    rows = (f"{a},{b},{label}\n" for (a, b), label in zip(X, y, strict=True))
    table.write_text("a,b,y\n" + "".join(rows))
    assert main(["fit", str(table), "-t", "y", "--quiet", "--out", str(run)]) == 0
    assert main(["certify", str(run), "--quiet"]) == 0
    verdict = verify(run)
    assert {check.result for check in verdict.checks} == {"verified"}
    assert re.search(r"about \d+ of 40 examples", verdict.manifest.parts["refutation"]["detail"])
    path = run / PROOF / "formula.cnf"
    whole = path.read_bytes()
    line = next(line for line in whole.splitlines() if line.startswith(b"c example"))
    for instead in (line[:-2], line + b" 999", b"c example 3 2", b"c example -1", b"c", line + b" " + b"9" * 9):
        path.write_bytes(whole.replace(line, instead, 1))
        reseal(run / PROOF)
        with pytest.raises(RejectedError, match=r"not a subset of the problem's|is not the formula of a pure tree"):
            verify(run)
