"""Bound logs with a maximum depth, compared with brute force."""

import json
from contextlib import suppress
from math import inf
from pathlib import Path
from time import process_time

import numpy as np
import pytest
from helpers.bound_logs import as_file, fewest_tests, lemmas_of, log_of, need, replace_line
from helpers.random_problems import decision_list, formula, random_problem, rows_of, xor

from puretree import BinaryProblem
from puretree.proof.checkers.bound import Rejected, check, main

N_RANDOM = 160


@pytest.mark.parametrize("part", range(2))
def test_a_log_proves_the_bound_under_a_depth_constraint(part: int) -> None:
    """With a maximum depth (and a root) the log proves the constrained minimum; for deeper trees it is rejected."""
    n_needed = 0
    for seed in range(part, N_RANDOM, 2):
        problem = random_problem(seed) if seed % 5 == 0 else decision_list(seed)
        roots = [seed % problem.n_features] if seed % 3 == 0 else None
        for max_depth in range(1, 6):
            best = fewest_tests(problem, roots, max_depth)
            if best == inf:
                continue
            log = log_of(problem, int(best), roots, max_depth)
            assert check(as_file(problem, roots, max_depth), log) == best
            with pytest.raises(Rejected):
                check(as_file(problem, roots, max_depth), replace_line(log, 2, f"b {int(best) + 1}"))
            for deeper in (max_depth + 1, None):
                if best > fewest_tests(problem, roots, inf if deeper is None else deeper):
                    n_needed += 1
                    with pytest.raises(Rejected):
                        check(as_file(problem, roots, deeper), log)
    assert n_needed > 10


def test_every_lemma_about_a_depth_is_true() -> None:
    """No lemma exceeds the need of its set at its depth, and a lemma that is raised above it is rejected."""
    n_lemmas = n_impossible = 0
    for seed in range(N_RANDOM // 2):
        problem = decision_list(seed)
        for max_depth in range(2, 6):
            best = fewest_tests(problem, None, max_depth)
            if best == inf:
                continue
            log = log_of(problem, int(best), None, max_depth)
            for at, tests, depth, members in lemmas_of(log):
                truth = need(problem, members, depth)
                assert tests <= truth
                n_impossible += truth == inf
                if depth == inf or truth == inf:
                    continue
                rest = log.split("\n")[at].split(" ", 2)[2]
                with pytest.raises(Rejected, match=f"line {at + 1}:"):
                    check(
                        as_file(problem, None, max_depth), replace_line(log, at, f"s {int(truth) + 1}@{depth} {rest}")
                    )
                n_lemmas += 1
    assert n_lemmas > 15
    assert n_impossible > 15


def all_references(problem: BinaryProblem, examples: frozenset[int], lemmas: list[frozenset[int]]) -> str:
    """Return references to every lemma whose set is contained in a side of the examples, for every feature."""
    rows = rows_of(problem)
    words = [""]
    for feature in range(problem.n_features):
        yes = frozenset(i for i in examples if rows[i][feature])
        for sign, side in (("+", yes), ("-", examples - yes)):
            words += [f"{feature}{sign}{number}" for number, lemma in enumerate(lemmas) if lemma <= side]
    return " ".join(words)


@pytest.mark.parametrize("part", range(2))
def test_an_adversary_with_all_true_lemmas_proves_nothing_false(part: int) -> None:
    """With all previous lemmas as strong as possible, no lemma above the true need is accepted."""
    n_rejected = n_accepted = 0
    for seed in range(part, 40, 2):
        problem = random_problem(seed) if seed % 4 < 2 else decision_list(seed)
        rng = np.random.default_rng(seed)
        n_examples = problem.n_examples
        lines = ["puretree bound 1", f"p {n_examples} {problem.n_features}", "b 0"]
        lines.append(" ".join(["e", *map(str, range(n_examples))]))
        lemmas: list[frozenset[int]] = []
        for fraction in np.linspace(0.2, 1, 30):
            examples = frozenset(np.flatnonzero(rng.random(n_examples) < fraction).tolist()) or frozenset({0})
            depth = int(rng.integers(1, 6))
            truth = need(problem, list(examples), depth)
            file = as_file(problem, None, depth)
            rest = f"{sum(1 << i for i in examples):x}{all_references(problem, examples, lemmas)}"
            if truth < inf:
                n_rejected += 1
                with pytest.raises(Rejected):
                    check(file, "\n".join([*lines, f"s {int(truth) + 1}@{depth} {rest}", "end", ""]))
            with suppress(Rejected):
                line = f"s {int(min(truth, 2**depth))}@{depth} {rest}"
                check(file, "\n".join([*lines, line, "end", ""]))
                lines.append(line)
                lemmas.append(examples)
                n_accepted += 1
    assert n_rejected > 300
    assert n_accepted > 150


def test_the_checker_prints_the_constraints(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The statement names the constraints under which the bound holds."""
    problem = decision_list(8)
    for roots, max_depth, statement in (
        (
            None,
            None,
            "classifies every example of problem.json correctly has at least 5 tests, that is 11 nodes\n",
        ),
        (None, 3, "at least 7 tests, that is 15 nodes, under the constraints: depth at most 3\n"),
        ([0], None, ", under the constraints: root tests one of the features 0\n"),
    ):
        n_tests = int(fewest_tests(problem, roots, max_depth or inf))
        (tmp_path / "problem.json").write_text(json.dumps(as_file(problem, roots, max_depth)))
        (tmp_path / "bound.log").write_text(log_of(problem, n_tests, roots, max_depth))
        assert main([str(tmp_path)]) == 0
        assert statement in capsys.readouterr().out


def test_a_depth_that_is_never_reached_does_not_change_the_log() -> None:
    """If the maximum depth is enough for any tree of the size, the log is the same."""
    problem = formula("monks-1")
    for max_depth in (14, 10**5, 10**11):
        assert log_of(problem, 14, None, max_depth) == log_of(problem, 14)
        assert check(as_file(problem, None, max_depth), log_of(problem, 14)) == 14


def test_many_lemmas_about_one_set_are_checked_quickly() -> None:
    """A log may bound a set that has no tree at a depth by every number; this is not slower than repeating one."""
    head = ["puretree bound 1", "p 4 2", "b 3", "e 0 1 2 3"]
    seconds = []
    for claims in ([f"s {3 + number}@1 f" for number in range(10_000)], 10_000 * ["s 3@1 f"]):
        start = process_time()
        assert check(as_file(xor(), None, 1), "\n".join([*head, *claims, "end", ""])) == 3
        seconds.append(process_time() - start)
    assert seconds[0] < 5 * seconds[1]
