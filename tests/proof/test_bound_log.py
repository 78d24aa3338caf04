"""The search's bound log and its checker, compared with brute force: the log proves the true minimum, and no more."""

import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.bound_logs import as_file, fewest_tests, lemmas_of, log_of, need, replace_line
from helpers.random_problems import formula, larger_problem, parity, random_problem, rows_of, xor
from hypothesis import given, settings
from hypothesis import strategies as st

from puretree import BinaryProblem, InputError, Search, UnfinishedError
from puretree._support.clock import Clock
from puretree.datasets import load
from puretree.datasets.paper_parts import binary_table
from puretree.engines import solve
from puretree.engines.search import OpenSearch
from puretree.pipeline import prepare
from puretree.problem import Constraints
from puretree.proof import bound_log as bound_log_module
from puretree.proof.bound_log import bound_log
from puretree.proof.checkers import bound as checker
from puretree.proof.checkers.bound import Rejected, check

N_RANDOM = 240


@cache
def larger_logs() -> tuple[tuple[BinaryProblem, int, str], ...]:
    """Return problems whose logs use every rule, with the tests of the search's own tree and the log."""
    logs = []
    for problem in (*map(larger_problem, range(12)), formula("monks-1"), parity(4)):
        outcome = solve(problem, Search(), constraints=Constraints(), clock=Clock())
        assert outcome.tree is not None
        assert problem.is_pure(outcome.tree)
        logs.append((problem, outcome.tree.n_nodes // 2, log_of(problem, outcome.tree.n_nodes // 2)))
    return tuple(logs)


@pytest.mark.parametrize("part", range(4))
def test_a_log_proves_the_optimum_of_brute_force(part: int) -> None:
    """On 240 random problems of 2 to 4 classes the log proves the minimum of brute force, and not one test more."""
    for seed in range(part, N_RANDOM, 4):
        problem = random_problem(seed)
        best = int(fewest_tests(problem))
        log = log_of(problem, best)
        assert check(as_file(problem), log) == best
        with pytest.raises(Rejected):
            check(as_file(problem), replace_line(log, 2, f"b {best + 1}"))


def test_a_log_proves_the_bound_under_a_root_constraint() -> None:
    """With a root constraint the log proves the constrained minimum; without the constraint it is rejected."""
    rules = Counter[str]()
    for seed in range(N_RANDOM):
        problem = random_problem(seed)
        roots = sorted({seed % problem.n_features, 0})[: 1 + seed % 2]
        best = int(fewest_tests(problem, roots))
        log = log_of(problem, best, roots)
        assert check(as_file(problem, roots), log) == best
        rules.update(line[:1] for line in log.split("\n"))
        if best > fewest_tests(problem):
            with pytest.raises(Rejected):
                check(as_file(problem), log)
    assert rules["r"] > 20


def test_every_lemma_is_true_and_none_can_be_raised_above_the_truth() -> None:
    """No lemma exceeds the need of its set, and a lemma that is raised above it is rejected."""
    n_lemmas = 0
    for seed in [*range(60), 89, 113, 185]:
        problem = random_problem(seed)
        log = log_of(problem, int(fewest_tests(problem)))
        for at, tests, _, members in lemmas_of(log):
            truth = need(problem, members)
            assert tests <= truth
            kind, _, rest = log.split("\n")[at].split(" ", 2)
            with pytest.raises(Rejected, match=f"line {at + 1}:"):
                check(as_file(problem), replace_line(log, at, f"{kind} {int(truth) + 1} {rest}"))
            n_lemmas += 1
    assert n_lemmas > 40


def test_all_rules_are_used() -> None:
    """Conflicts, cliques, splits, and subsets on both sides occur in the logs, so the other tests cover every rule."""
    for _, n_tests, log in larger_logs():
        assert f"\nb {n_tests}\n" in log
    logs = "".join(log for *_, log in larger_logs())
    assert all(re.search(pattern, logs) for pattern in (r"\nx ", r"\nc ", r"\ns \d+ \w+\n", r" \d+\+\d+", r" \d+-\d+"))


def test_larger_logs_prove_the_size_of_a_pure_tree() -> None:
    """Where brute force is too slow, a pure tree of exactly the proved size confirms the bound."""
    for problem, n_tests, log in larger_logs():
        assert check(as_file(problem), log) == n_tests


def test_a_log_without_a_line_is_rejected() -> None:
    """A log without one of its lines is rejected, except for a few redundant lines; the bound stays true then."""
    n_accepted = n_tried = 0
    for problem, n_tests, log in larger_logs():
        for at in range(len(log.split("\n")) - 1):
            n_tried += 1
            try:
                assert check(as_file(problem), replace_line(log, at)) == n_tests
                n_accepted += 1
            except Rejected:
                pass
    assert n_tried > 800
    assert n_accepted < 0.1 * n_tried


def test_a_raised_lemma_is_rejected_or_proves_no_more() -> None:
    """Raising any lemma by one proves not a single test more for the whole problem."""
    n_rejected = n_tried = 0
    for problem, n_tests, log in larger_logs():
        raised = replace_line(log, 2, f"b {n_tests + 1}")
        for at, tests, *_ in lemmas_of(log):
            kind, _, rest = log.split("\n")[at].split(" ", 2)
            line = f"{kind} {tests + 1} {rest}"
            with pytest.raises(Rejected):
                check(as_file(problem), replace_line(raised, at, line))
            n_tried += 1
            try:
                check(as_file(problem), replace_line(log, at, line))
            except Rejected:
                n_rejected += 1
    assert n_rejected > 0.9 * n_tried > 100


@pytest.mark.parametrize(("name", "n_nodes"), [("monks-1", 29), ("mux6", 15)])
def test_the_minimum_of_formulas_is_proved(name: str, n_nodes: int) -> None:
    """The log proves the published minimum of well-known formulas."""
    assert 2 * check(as_file(formula(name)), log_of(formula(name), n_nodes // 2)) + 1 == n_nodes


def test_thresholds_are_proved() -> None:
    """The log proves that iris with all its thresholds needs 15 nodes."""
    iris = load("sklearn:iris")
    problem = prepare(iris.table, iris.target, binarize="thresholds").problem
    assert check(as_file(problem), log_of(problem, 7)) == 7


def test_a_single_clique_can_prove_the_bound() -> None:
    """If the labels alternate along a column, each row needs a leaf: one clique is the whole proof."""
    problem = prepare(np.arange(80.0).reshape(-1, 1), np.arange(80) % 2, binarize="thresholds").problem
    log = log_of(problem, 79)
    assert check(as_file(problem), log) == 79
    assert len(list(lemmas_of(log))) == 1


def test_a_log_can_prove_any_smaller_bound() -> None:
    """A run that stopped early has a bound below the minimum, and its log proves exactly this bound."""
    problem = formula("monks-1")
    for n_tests in range(15):
        assert check(as_file(problem), log_of(problem, n_tests)) == n_tests


def test_a_problem_of_one_class_needs_no_test() -> None:
    """A single leaf is enough, so 0 tests are proved."""
    problem = BinaryProblem.from_rows([[0], [1]], [1, 1])
    assert check(as_file(problem), log_of(problem, 0)) == 0
    single = BinaryProblem.from_rows([[1]], [1])
    assert check(as_file(single), log_of(single, 0)) == 0


def test_logs_are_reproducible() -> None:
    """The same problem gives the same bytes."""
    for problem, n_tests, log in larger_logs():
        assert log_of(problem, n_tests) == log


def test_a_truncated_log_is_rejected() -> None:
    """No proper prefix of a log is accepted."""
    problem, n_tests, log = larger_logs()[0]
    assert check(as_file(problem), log) == n_tests
    for end in range(len(log)):
        with pytest.raises(Rejected):
            check(as_file(problem), log[:end])


@settings(max_examples=60)
@given(st.data())
def test_a_corrupted_log_is_rejected_or_true(data: st.DataObject) -> None:
    """A log with changed bytes is rejected or proves a true bound; no other exception is raised."""
    problem, n_tests, log = data.draw(st.sampled_from(larger_logs()))
    start = data.draw(st.integers(0, len(log)))
    end = data.draw(st.integers(start, min(len(log), start + 9)))
    inserted = data.draw(
        st.text(st.sampled_from("0123456789abcdef +-\nxcserpbnd\u0661"), max_size=6) | st.text(max_size=3)
    )
    with suppress(Rejected):
        assert check(as_file(problem), log[:start] + inserted + log[end:]) <= n_tests


@pytest.mark.parametrize(
    ("line", "instead", "reason"),
    [
        (0, "puretree bound 2", "this is not 'puretree bound 1'"),
        (1, "p 4 3", "another problem"),
        (1, "p 4", "the size"),
        (2, "b " + 10**5 * "9", "a claim"),
        (2, "b +3", "a claim"),
        (3, "e 0 0", "distinct examples"),
        (3, "e 0 4", "distinct examples"),
        (3, "e", "a sample"),
        (3, "e 0 1 2 999999999999", "a sample"),
        (4, "x 0 0 1", "two examples of the sample"),
        (4, "x 0 9 1", "two examples of the sample"),
        (4, "x 0 3 4", "two examples of the sample"),
        (4, "x 0 1 2", "of one class"),
        (4, "x 0 3 3", "of one class"),
        (4, "s 1 1", "a single leaf"),
        (4, "s 3 1f", "not a subset of the sample"),
        (4, "s 3 " + 10**5 * "f", "not a subset of the sample"),
        (4, "s 3 0f", "not at its position"),
        (4, "s 3 f 0+0", "a lemma of a previous line"),
        (4, "s 3 f 9-0", "a lemma of a previous line"),
        (4, "s 4 f", "if the root tests feature"),
        (4, "c 3 f", "do not conflict"),
        (4, "c 0 1 0+0", "has no references"),
        (4, "c 0@3 1", "has no references and no depth"),
        (4, "s 1@0 f", "no test is allowed"),
        (4, "s 4@3 f", "if the root tests feature"),
        (4, "s 3@1000000000 f", "not at its position"),
        (4, "c 1 1", "1 leaves"),
        (4, "r 3", "any feature"),
        (4, "q", "not at its position"),
    ],
)
def test_each_invalid_line_is_named(line: int, instead: str, reason: str) -> None:
    """An invalid line is rejected with its number and the reason; the original log is accepted."""
    head = ["puretree bound 1", "p 4 2", "b 3", "e 0 1 2 3", "s 3 f"]  # exclusive or: both sides of a split need a test
    assert check(as_file(xor()), "\n".join([*head, "end", ""])) == 3
    head[line] = instead
    with pytest.raises(Rejected, match=f"line {line + 1}: .*{re.escape(reason)}"):
        check(as_file(xor()), "\n".join([*head, "end", ""]))


def test_a_witness_must_lie_in_the_hull() -> None:
    """A conflict needs an example of another class that agrees with the two wherever they agree."""
    problem = BinaryProblem.from_rows([[0, 0, 0], [0, 1, 1], [0, 0, 1], [1, 0, 1]], [0, 0, 1, 1])
    rows = rows_of(problem)
    order = [rows.index(row) for row in ([0, 0, 0], [0, 1, 1], [0, 0, 1], [1, 0, 1])]
    head = f"puretree bound 1\np 4 {problem.n_features}\nb 2\ne {order[0]} {order[1]}\n"
    assert check(as_file(problem), f"{head}x 0 1 {order[2]}\nend\n") == 2
    with pytest.raises(Rejected, match="line 5: the third example is not in the hull of the two"):
        check(as_file(problem), f"{head}x 0 1 {order[3]}\nend\n")


def test_a_side_must_contain_the_set_of_its_lemma() -> None:
    """A reference to a lemma is accepted only if the side contains the whole set of the lemma."""
    problem, _, log = next(item for item in larger_logs() if re.search(r" \d+\+\d+", item[2]))
    for sign, other in (("+", "-"), ("-", "+")):
        at, line = next((i, line) for i, line in enumerate(log.split("\n")) if re.search(rf" \d+\{sign}\d+", line))
        with pytest.raises(Rejected, match=f"line {at + 1}: .* does not contain the set of the lemma"):
            check(as_file(problem), replace_line(log, at, line.replace(sign, other)))


@pytest.mark.parametrize(
    "change",
    [
        {"format": "puretree problem 1"},
        {"examples": None},
        {"examples": ["00", "01", "10", "12"]},
        {"examples": ["00", "01", "10", "1"]},
        {"examples": ["00", "01", "10", 11]},
        {"examples": ["00", "01", "10", "10"]},
        {"labels": [0, 1, 1]},
        {"labels": [0, 1, 1, 2]},
        {"labels": [0, 1, 1, -1]},
        {"labels": [False, 1, 1, 0]},
        {"labels": "0110"},
        {"classes": {}},
        {"features": 2},
        {"roots": []},
        {"roots": [2]},
        {"roots": "0"},
        {"max_depth": 0},
        {"max_depth": True},
        {"max_depth": "3"},
    ],
)
def test_a_malformed_problem_is_rejected(change: dict[str, Any]) -> None:
    """The checker trusts the problem no more than the log."""
    with pytest.raises(Rejected):
        check({**as_file(xor()), **change}, log_of(xor(), 3))
    with pytest.raises(Rejected):
        check([], log_of(xor(), 3))  # type: ignore[arg-type]


def test_the_checker_stands_alone(tmp_path: Path) -> None:
    """A copy of the program runs without packages, and its exit code is the verdict."""
    script = shutil.copy(checker.__file__, tmp_path / "check_bound.py")
    (tmp_path / "problem.json").write_text(json.dumps(as_file(xor())), encoding="utf-8")
    (tmp_path / "bound.log").write_text(log_of(xor(), 3), encoding="ascii")
    command = [sys.executable, "-I", "-S", str(script), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, "at least 3 tests" in done.stdout) == (0, True)
    (tmp_path / "bound.log").write_text(log_of(xor(), 3).replace("b 3", "b 4"), encoding="ascii")
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout[:9]) == (1, "REJECTED:")


@pytest.mark.parametrize("content", [b"\xff", b"{", b"[" * 10**5, b"null", b"1" * 5000])
def test_files_that_cannot_be_read_are_rejected(
    content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Files that are not text, not JSON or nested too deeply are rejected; missing files are reported as such."""
    assert checker.main([str(tmp_path)]) == 2
    assert "CANNOT BE CHECKED" in capsys.readouterr().out
    (tmp_path / "problem.json").write_bytes(content)
    (tmp_path / "bound.log").write_bytes(content)
    assert checker.main([str(tmp_path)]) == 1
    assert capsys.readouterr().out.count("REJECTED") == 1
    assert checker.main([]) == 2


def test_time_and_memory_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the time or memory limit there is no log, and the error says which limit was reached."""
    with pytest.raises(UnfinishedError, match="time"):
        bound_log(formula("monks-1"), Constraints(), 29, Clock(0))
    monkeypatch.setattr(bound_log_module, "LOG_FRACTION", 0)
    with pytest.raises(UnfinishedError, match="memory"):
        bound_log(formula("monks-1"), Constraints(), 29, Clock())
    search = OpenSearch(formula("monks-1"), Constraints()).native
    assert search.run(14, lambda value: None, lambda *tree: None, 60.0)
    assert search.proof(14, 10**9, 0.0) is None


def test_a_bound_that_depends_on_min_samples_leaf_is_rejected() -> None:
    """A bound that holds only because of min_samples_leaf has no log; one that holds without it has one."""
    with pytest.raises(InputError, match="31 nodes is not a lower bound"):
        bound_log(formula("monks-1"), Constraints(min_samples_leaf=2), 31, Clock())
    log = bound_log(formula("monks-1"), Constraints(min_samples_leaf=2), 29, Clock()).decode("ascii")
    assert check(as_file(formula("monks-1")), log) == 14


@pytest.mark.data
@pytest.mark.parametrize("name", ["irish", "house-votes-84", "spect", "mushroom", "car", "lymphography"])
def test_the_minimum_of_the_papers_data_sets_is_proved(name: str, paper_folder: Path) -> None:
    """On the paper's data sets the log proves the size of a pure tree."""
    problem = binary_table(name, paper_folder).problem()
    tree = solve(problem, Search(), constraints=Constraints(), clock=Clock()).tree
    assert tree is not None
    assert problem.is_pure(tree)
    assert 2 * check(as_file(problem), log_of(problem, tree.n_nodes // 2)) + 1 == tree.n_nodes
