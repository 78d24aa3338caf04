"""The search's proof log and its checker, held against brute force: what is proved is true, and is all that is true."""

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
from helpers.bound_logs import as_file, changed, fewest_tests, lemmas_of, log_of, need
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
    """Make problems whose logs need every rule, with what they need by the search's own tree."""
    found = []
    for problem in (*map(larger_problem, range(12)), formula("monks-1"), parity(4)):
        outcome = solve(problem, Search(), constraints=Constraints(), clock=Clock())
        assert outcome.tree is not None
        assert problem.is_pure(outcome.tree)
        found.append((problem, outcome.tree.n_nodes // 2, log_of(problem, outcome.tree.n_nodes // 2)))
    return tuple(found)


@pytest.mark.parametrize("part", range(4))
def test_a_log_proves_the_optimum_of_brute_force(part: int) -> None:
    """On 240 random problems of 2 to 4 classes the log proves as many tests as brute force needs, and not one more."""
    for seed in range(part, N_RANDOM, 4):
        problem = random_problem(seed)
        best = int(fewest_tests(problem))
        log = log_of(problem, best)
        assert check(as_file(problem), log) == best
        with pytest.raises(Rejected):
            check(as_file(problem), changed(log, 2, f"b {best + 1}"))


def test_a_log_speaks_for_the_root_that_was_asked_for() -> None:
    """With some features allowed at the root, the log proves what brute force needs then; else it is rejected."""
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
    """By the definition of need: no line says more than it, and a line that is made to say more is rejected."""
    n_lemmas = 0
    for seed in [*range(60), 89, 113, 185]:
        problem = random_problem(seed)
        log = log_of(problem, int(fewest_tests(problem)))
        for at, tests, _, members in lemmas_of(log):
            truth = need(problem, members)
            assert tests <= truth
            kind, _, rest = log.split("\n")[at].split(" ", 2)
            with pytest.raises(Rejected, match=f"line {at + 1}:"):
                check(as_file(problem), changed(log, at, f"{kind} {int(truth) + 1} {rest}"))
            n_lemmas += 1
    assert n_lemmas > 40


def test_all_rules_are_used() -> None:
    """Conflicts, cliques, splits, and subsets on both sides: each is in some log, so the other tests test them."""
    for _, n_tests, log in larger_logs():
        assert f"\nb {n_tests}\n" in log
    logs = "".join(log for *_, log in larger_logs())
    assert all(re.search(pattern, logs) for pattern in (r"\nx ", r"\nc ", r"\ns \d+ \w+\n", r" \d+\+\d+", r" \d+-\d+"))


def test_larger_logs_prove_the_size_of_a_pure_tree() -> None:
    """Where brute force is too slow, a pure tree of just the size that is proved says that both are right."""
    for problem, n_tests, log in larger_logs():
        assert check(as_file(problem), log) == n_tests


def test_no_line_can_be_left_out() -> None:
    """A log without one of its lines is rejected, but for the few lines that others make up for; those stay true."""
    n_accepted = n_tried = 0
    for problem, n_tests, log in larger_logs():
        for at in range(len(log.split("\n")) - 1):
            n_tried += 1
            try:
                assert check(as_file(problem), changed(log, at)) == n_tests
                n_accepted += 1
            except Rejected:
                pass
    assert n_tried > 800
    assert n_accepted < 0.1 * n_tried


def test_a_lemma_that_says_more_is_rejected_or_changes_nothing() -> None:
    """Whatever lemma is raised by one, not a single test more is proved for the whole."""
    n_rejected = n_tried = 0
    for problem, n_tests, log in larger_logs():
        raised = changed(log, 2, f"b {n_tests + 1}")
        for at, tests, *_ in lemmas_of(log):
            kind, _, rest = log.split("\n")[at].split(" ", 2)
            line = f"{kind} {tests + 1} {rest}"
            with pytest.raises(Rejected):
                check(as_file(problem), changed(raised, at, line))
            n_tried += 1
            try:
                check(as_file(problem), changed(log, at, line))
            except Rejected:
                n_rejected += 1
    assert n_rejected > 0.9 * n_tried > 100


@pytest.mark.parametrize(("name", "n_nodes"), [("monks-1", 29), ("mux6", 15)])
def test_the_size_of_formulas_is_proved(name: str, n_nodes: int) -> None:
    """The minimum of famous formulas, as published."""
    assert 2 * check(as_file(formula(name)), log_of(formula(name), n_nodes // 2)) + 1 == n_nodes


def test_thresholds_are_proved() -> None:
    """Iris with all its thresholds needs 15 nodes."""
    iris = load("sklearn:iris")
    problem = prepare(iris.table, iris.target, binarize="thresholds").problem
    assert check(as_file(problem), log_of(problem, 7)) == 7


def test_the_conflicts_of_everything_are_a_proof() -> None:
    """Where labels alternate along a column, each row needs a leaf: one clique says it all."""
    problem = prepare(np.arange(80.0).reshape(-1, 1), np.arange(80) % 2, binarize="thresholds").problem
    log = log_of(problem, 79)
    assert check(as_file(problem), log) == 79
    assert len(list(lemmas_of(log))) == 1


def test_a_log_of_a_lower_bound_proves_that() -> None:
    """A run that ended early knows less than the minimum, and its log proves just this."""
    problem = formula("monks-1")
    for n_tests in range(15):
        assert check(as_file(problem), log_of(problem, n_tests)) == n_tests


def test_a_problem_of_one_class_needs_nothing() -> None:
    """A leaf does, so 0 tests are proved."""
    problem = BinaryProblem.from_rows([[0], [1]], [1, 1])
    assert check(as_file(problem), log_of(problem, 0)) == 0
    single = BinaryProblem.from_rows([[1]], [1])
    assert check(as_file(single), log_of(single, 0)) == 0


def test_logs_are_the_same_every_time() -> None:
    """The same problem gives the same bytes."""
    for problem, n_tests, log in larger_logs():
        assert log_of(problem, n_tests) == log


def test_a_truncated_log_is_rejected() -> None:
    """No beginning of a log passes, wherever it ends."""
    problem, n_tests, log = larger_logs()[0]
    assert check(as_file(problem), log) == n_tests
    for end in range(len(log)):
        with pytest.raises(Rejected):
            check(as_file(problem), log[:end])


@settings(max_examples=60)
@given(st.data())
def test_junk_is_rejected_or_true(data: st.DataObject) -> None:
    """Whatever is done to a log's bytes, it is rejected or proves no more than the truth; nothing else is raised."""
    problem, n_tests, log = data.draw(st.sampled_from(larger_logs()))
    start = data.draw(st.integers(0, len(log)))
    end = data.draw(st.integers(start, min(len(log), start + 9)))
    put = data.draw(st.text(st.sampled_from("0123456789abcdef +-\nxcserpbnd\u0661"), max_size=6) | st.text(max_size=3))
    with suppress(Rejected):
        assert check(as_file(problem), log[:start] + put + log[end:]) <= n_tests


@pytest.mark.parametrize(
    ("line", "instead", "reason"),
    [
        (0, "puretree bound 2", "this is not 'puretree bound 1'"),
        (1, "p 4 3", "another problem"),
        (1, "p 4", "the size"),
        (2, "b " + 10**5 * "9", "a claim"),
        (2, "b +3", "a claim"),
        (3, "e 0 0", "different examples"),
        (3, "e 0 4", "different examples"),
        (3, "e", "a sample"),
        (3, "e 0 1 2 999999999999", "a sample"),
        (4, "x 0 0 1", "two examples of the sample"),
        (4, "x 0 9 1", "two examples of the sample"),
        (4, "x 0 3 4", "two examples of the sample"),
        (4, "x 0 1 2", "of one class"),
        (4, "x 0 3 3", "of one class"),
        (4, "s 1 1", "a leaf"),
        (4, "s 3 1f", "not of the sample"),
        (4, "s 3 " + 10**5 * "f", "not of the sample"),
        (4, "s 3 0f", "at its place"),
        (4, "s 3 f 0+0", "a lemma of a line above"),
        (4, "s 3 f 9-0", "a lemma of a line above"),
        (4, "s 4 f", "is asked first"),
        (4, "c 3 f", "do not conflict"),
        (4, "c 0 1 0+0", "has no sides"),
        (4, "c 0@3 1", "has no sides and no depth"),
        (4, "s 1@0 f", "or has to"),
        (4, "s 4@3 f", "is asked first"),
        (4, "s 3@1000000000 f", "at its place"),
        (4, "c 1 1", "1 leaves"),
        (4, "r 3", "any feature"),
        (4, "q", "at its place"),
    ],
)
def test_each_wrong_line_is_told(line: int, instead: str, reason: str) -> None:
    """A line that is not what it has to be is rejected with its number and the reason; without it the log is fine."""
    head = ["puretree bound 1", "p 4 2", "b 3", "e 0 1 2 3", "s 3 f"]  # exclusive or: both sides of a split need a test
    assert check(as_file(xor()), "\n".join([*head, "end", ""])) == 3
    head[line] = instead
    with pytest.raises(Rejected, match=f"line {line + 1}: .*{re.escape(reason)}"):
        check(as_file(xor()), "\n".join([*head, "end", ""]))


def test_a_witness_must_lie_between() -> None:
    """An example of another class that differs from two where they agree is no conflict; one that does not is."""
    problem = BinaryProblem.from_rows([[0, 0, 0], [0, 1, 1], [0, 0, 1], [1, 0, 1]], [0, 0, 1, 1])
    rows = rows_of(problem)
    order = [rows.index(row) for row in ([0, 0, 0], [0, 1, 1], [0, 0, 1], [1, 0, 1])]
    head = f"puretree bound 1\np 4 {problem.n_features}\nb 2\ne {order[0]} {order[1]}\n"
    assert check(as_file(problem), f"{head}x 0 1 {order[2]}\nend\n") == 2
    with pytest.raises(Rejected, match="line 5: the example does not lie between the two"):
        check(as_file(problem), f"{head}x 0 1 {order[3]}\nend\n")


def test_a_side_must_hold_the_set_of_its_lemma() -> None:
    """A lemma serves a side only if the side holds all of its set."""
    problem, _, log = next(one for one in larger_logs() if re.search(r" \d+\+\d+", one[2]))
    for sign, other in (("+", "-"), ("-", "+")):
        at, line = next((i, line) for i, line in enumerate(log.split("\n")) if re.search(rf" \d+\{sign}\d+", line))
        with pytest.raises(Rejected, match=f"line {at + 1}: .* does not hold the set of the lemma"):
            check(as_file(problem), changed(log, at, line.replace(sign, other)))


@pytest.mark.parametrize(
    "change",
    [
        {"format": "puretree problem 2"},
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
        {"questions": 2},
        {"roots": []},
        {"roots": [2]},
        {"roots": "0"},
        {"max_depth": 0},
        {"max_depth": True},
        {"max_depth": "3"},
    ],
)
def test_a_malformed_problem_is_rejected(change: dict[str, Any]) -> None:
    """The problem is believed no more than the log."""
    with pytest.raises(Rejected):
        check({**as_file(xor()), **change}, log_of(xor(), 3))
    with pytest.raises(Rejected):
        check([], log_of(xor(), 3))  # type: ignore[arg-type]


def test_the_checker_stands_alone(tmp_path: Path) -> None:
    """A copy of the file checks a folder with nothing but Python, and its exit code says what it found."""
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
    """Bytes that are no text, no JSON, or nested without end are rejected like any other; without files nothing is."""
    assert checker.main([str(tmp_path)]) == 2
    assert "CANNOT BE CHECKED" in capsys.readouterr().out
    (tmp_path / "problem.json").write_bytes(content)
    (tmp_path / "bound.log").write_bytes(content)
    assert checker.main([str(tmp_path)]) == 1
    assert capsys.readouterr().out.count("REJECTED") == 1
    assert checker.main([]) == 2


def test_limits_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without time or memory there is no log, and the error says which."""
    with pytest.raises(UnfinishedError, match="time"):
        bound_log(formula("monks-1"), Constraints(), 29, Clock(0))
    monkeypatch.setattr(bound_log_module, "LOG_SHARE", 0)
    with pytest.raises(UnfinishedError, match="memory"):
        bound_log(formula("monks-1"), Constraints(), 29, Clock())
    search = OpenSearch(formula("monks-1"), Constraints()).native
    assert search.run(14, lambda value: None, lambda *tree: None, 60.0)
    assert search.proof(14, 10**9, 0.0) is None


def test_what_is_no_bound_is_refused() -> None:
    """A bound that the size of leaves alone makes true has no log; a bound that holds without the wish has one."""
    with pytest.raises(InputError, match="31 nodes are no bound"):
        bound_log(formula("monks-1"), Constraints(min_samples_leaf=2), 31, Clock())
    log = bound_log(formula("monks-1"), Constraints(min_samples_leaf=2), 29, Clock()).decode("ascii")
    assert check(as_file(formula("monks-1")), log) == 14


@pytest.mark.data
@pytest.mark.parametrize("name", ["irish", "house-votes-84", "spect", "mushroom", "car", "lymphography"])
def test_the_papers_sets_are_proved(name: str, paper_folder: Path) -> None:
    """On the paper's tables the log proves the size of a pure tree."""
    problem = binary_table(name, paper_folder).problem()
    tree = solve(problem, Search(), constraints=Constraints(), clock=Clock()).tree
    assert tree is not None
    assert problem.is_pure(tree)
    assert 2 * check(as_file(problem), log_of(problem, tree.n_nodes // 2)) + 1 == tree.n_nodes
