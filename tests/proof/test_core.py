"""Refutations that speak of some examples: they refute as much, and a verifier sees that they are examples."""

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
from puretree.proof.formula_file import SmallerTree, choose_core, named_examples, read_examples, restrict
from puretree.proof.proof_checking import check_proof
from puretree.proof.refutation import refute

BAD_EXAMPLES = {"none": (), "not in order": (1, 0), "twice": (1, 1), "too high": (0, 10**6), "negative": (-1, 2)}


def numbers() -> tuple[np.ndarray, np.ndarray]:
    """Make rows of two numbers whose classes are a board of four fields: of many thresholds, two are needed."""
    X = np.random.default_rng(3).uniform(size=(40, 2)).round(3)
    return X, (X[:, 0] > 0.5) ^ (X[:, 1] > 0.4)


@pytest.mark.parametrize("make", [random_problem, decision_list])
def test_the_examples_of_a_log_need_as_many_tests_as_all(make: object) -> None:
    """By brute force: whoever refutes the few refutes all."""
    n_fewer = 0
    for seed in range(60):
        problem = make(seed)  # type: ignore[operator]
        best = fewest_tests(problem)
        core = named_examples(log_of(problem, int(best)).encode())
        assert fewest_tests(restrict(problem, core)) == best
        n_fewer += len(core) < problem.n_examples
    assert n_fewer > 20


def test_questions_that_the_examples_answer_alike_become_one() -> None:
    """The problem of some examples is that of their rows; the numbers of its features are those of the whole one."""
    problem = prepare(*numbers(), binarize="thresholds").problem
    examples = (0, 3, 7, 20)
    some = restrict(problem, examples)
    columns = np.array(rows_of(problem))[list(examples)]
    assert np.array_equal(
        np.array(rows_of(some)), columns[:, some.merge.original_of_feature][some.example_of_row.argsort()]
    )
    ways = {min(column, tuple(1 - bit for bit in column)) for column in map(tuple, columns.T.tolist())}
    assert some.n_features == len(ways - {(0, 0, 0, 0)}) < problem.n_features


def test_when_some_examples_are_better_than_all() -> None:
    """Where questions go with the other examples, and the root may ask any of them."""
    problem = prepare(*numbers(), binarize="thresholds").problem
    log = log_of(problem, 3).encode()
    assert choose_core(problem, Constraints(), log) == named_examples(log)
    assert choose_core(problem, Constraints(max_depth=3), log) == named_examples(log)
    assert choose_core(problem, Constraints(root=[0]), log) is None
    assert choose_core(problem, Constraints(), None) is None
    mux = formula("mux6")
    assert choose_core(mux, Constraints(), log_of(mux, 7).encode()) is None  # all six bits are needed


def test_a_formula_says_what_it_speaks_of(tmp_path: Path) -> None:
    """The examples are read from the file as they were written, and with them the file is made anew byte by byte."""
    problem = prepare(*numbers(), binarize="thresholds").problem
    examples = named_examples(log_of(problem, 3).encode())
    files = {"formula": tmp_path / "formula.cnf", "proof": tmp_path / "proof.drat"}
    assert refute(problem, Constraints(), 5, **files, clock=NO_LIMIT, examples=examples)
    assert check_proof(files["formula"], files["proof"], "drat", clock=NO_LIMIT).verdict
    assert read_examples(files["formula"]) == examples
    assert max(map(len, files["formula"].read_bytes().splitlines())) < 120
    smaller = SmallerTree(problem, Constraints(), 5, examples)
    written = b"".join(smaller.head(smaller.count_clauses(NO_LIMIT)))
    assert files["formula"].read_bytes().startswith(written)
    assert refute(problem, Constraints(), 5, **files, clock=NO_LIMIT)
    assert read_examples(files["formula"]) is None


@pytest.mark.parametrize("examples", BAD_EXAMPLES.values(), ids=BAD_EXAMPLES)
def test_what_are_no_examples_is_refused(examples: tuple[int, ...]) -> None:
    """They come from a file that anybody may have written."""
    with pytest.raises(FormatError, match="not some of the problem's"):
        restrict(random_problem(0), examples)


def test_a_root_needs_all_examples() -> None:
    """The question that is wished for may be one that some examples all answer alike."""
    with pytest.raises(FormatError, match="wish for the root"):
        _ = SmallerTree(random_problem(0), Constraints(root=[0]), 5, (0, 1)).encoding


def test_another_choice_of_examples_is_rejected(tmp_path: Path) -> None:
    """The certificate of a table with thresholds holds; a forger who names other examples, or nonsense, does not."""
    X, y = numbers()
    table, run = tmp_path / "table.csv", tmp_path / "run"
    rows = (f"{a},{b},{label}\n" for (a, b), label in zip(X, y, strict=True))
    table.write_text("a,b,y\n" + "".join(rows))
    assert main(["fit", str(table), "-t", "y", "--quiet", "--out", str(run)]) == 0
    assert main(["certify", str(run), "--quiet"]) == 0
    verdict = verify(run)
    assert {check.result for check in verdict.checks} == {"verified"}
    assert re.search(r"about \d+ of 40 examples", verdict.manifest.parts["refutation"]["told"])
    path = run / PROOF / "formula.cnf"
    whole = path.read_bytes()
    line = next(line for line in whole.splitlines() if line.startswith(b"c example"))
    for instead in (line[:-2], line + b" 999", b"c example 3 2", b"c example -1", b"c", line + b" " + b"9" * 9):
        path.write_bytes(whole.replace(line, instead, 1))
        reseal(run / PROOF)
        with pytest.raises(RejectedError, match=r"not some of the problem's|does not say that there is a pure tree"):
            verify(run)
