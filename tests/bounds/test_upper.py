"""The trees that the engines start from."""

from helpers.random_problems import formula, random_problem

from puretree._support.clock import NO_LIMIT, Clock
from puretree.bounds.upper import starting_trees
from puretree.problem import Constraints


def test_starting_trees_are_pure_and_keep_to_the_wishes() -> None:
    """Whatever is asked for, what comes out keeps to it; a root alone can always be had."""
    for seed in range(60):
        problem = random_problem(seed)
        for constraints in (Constraints(), Constraints(root=[seed % problem.n_features]), Constraints(max_depth=2)):
            trees = list(starting_trees(problem, constraints, NO_LIMIT))
            assert all(problem.is_pure(tree) and constraints.allows(tree, problem) for tree in trees)
            assert trees or constraints.max_depth


def test_without_time_there_is_the_greedy_tree() -> None:
    """ITI is skipped when the clock is over; the greedy tree is always there."""
    problem = formula("monks-1")
    assert len(list(starting_trees(problem, Constraints(), NO_LIMIT))) == 2
    assert len(list(starting_trees(problem, Constraints(), Clock(0)))) == 1
