"""The trees of scikit-learn are converted exactly, and the paper's three baselines follow their definitions."""

import numpy as np
import pytest
from helpers.random_problems import larger_problem, noise, parity, random_problems, xor
from sklearn.tree import DecisionTreeClassifier

from puretree import BinaryProblem
from puretree._support.clock import Clock
from puretree._support.resources import resident_bytes
from puretree.engines import sklearn_trees
from puretree.engines.base import Engine, solve
from puretree.engines.dtmax import DtMax
from puretree.engines.search import Search
from puretree.engines.sklearn_trees import Ask, GrownTree, Lsk, Psk, trees_of_every_size
from puretree.errors import InfeasibleError, InputError
from puretree.outcome import Outcome
from puretree.problem import Constraints

ENGINES: list[Engine] = [Psk(), Psk(n_seeds=3), Lsk(), Lsk(n_nodes=5), Ask(), Ask(n_seeds=2)]
PROBLEMS = [*random_problems(12), *map(larger_problem, range(6))]


def fit_sklearn(problem: BinaryProblem, **options: object) -> DecisionTreeClassifier:
    """Fit scikit-learn's tree to a problem."""
    X = problem.examples.unpack().astype(np.float32)
    return DecisionTreeClassifier(**options).fit(X, problem.labels, sample_weight=problem.weights)


def require_status_from_bounds(outcome: Outcome) -> None:
    """Require that the outcome is optimal exactly if its bounds are equal: these engines have no other proof."""
    assert outcome.status == ("optimal" if outcome.lower_bound == outcome.upper_bound else "unproved")


@pytest.mark.parametrize("seed", [0, 1])
def test_first_nodes_are_the_tree_of_that_size(seed: int) -> None:
    """One tree grown best-first contains the tree that scikit-learn grows for every limit, node for node."""
    for problem in map(larger_problem, range(8)):
        grown = GrownTree.grow(problem, seed=seed)
        X = problem.examples.unpack().astype(np.float32)
        for n_leaves in range(2, (grown.n_nodes + 1) // 2 + 1):
            model = fit_sklearn(problem, random_state=seed, max_leaf_nodes=n_leaves)
            tree = grown.tree(2 * n_leaves - 1)
            assert tree.n_nodes == model.tree_.node_count
            assert tree.depth == model.get_depth()
            assert (tree.predict_codes(X.astype(int)) == model.predict(X)).all()


def test_psk_returns_the_smallest_pure_tree_of_its_seeds() -> None:
    """It is pure and has the smallest size that scikit-learn grows with these seeds."""
    for problem in PROBLEMS:
        sizes = [fit_sklearn(problem, random_state=seed).tree_.node_count for seed in range(4)]
        one, four = solve(problem, Psk()), solve(problem, Psk(n_seeds=4))
        assert (one.n_nodes, four.n_nodes) == (sizes[0], min(sizes))
        assert (one.n_errors, one.status, one.minimised) == (0, "unproved", "nodes")


def test_lsk_uses_the_allowed_nodes() -> None:
    """It is scikit-learn's tree with as many leaves; by default as many as a minimum pure tree has."""
    for problem in PROBLEMS:
        minimum = solve(problem, Search()).n_nodes
        assert minimum is not None
        for engine, n_nodes in ((Lsk(), minimum), (Lsk(n_nodes=3), 3), (Lsk(n_nodes=6), 5)):
            outcome = solve(problem, engine)
            model = fit_sklearn(problem, random_state=0, max_leaf_nodes=max(2, (n_nodes + 1) // 2))
            X = problem.examples.unpack().astype(np.float32)
            assert outcome.n_errors == problem.weights[model.predict(X) != problem.labels].sum()
            assert outcome.n_nodes is not None
            assert outcome.n_nodes <= n_nodes


def test_lsk_of_one_node_predicts_the_majority_class() -> None:
    """With a single node the tree is the leaf of the majority class."""
    problem = BinaryProblem.from_rows([[0], [1], [1], [1]], ["b", "a", "a", "a"])
    outcome = solve(problem, Lsk(n_nodes=1))
    assert outcome.tree is not None
    assert (outcome.tree.to_nested(), outcome.n_errors) == ("a", 1)


def test_trees_of_every_size_range_from_three_nodes_to_a_pure_tree() -> None:
    """For each seed the sizes are consecutive odd numbers, errors never increase, and the last tree is pure."""
    for problem in PROBLEMS:
        trees = list(trees_of_every_size(problem, n_seeds=2))
        starts = [i for i, tree in enumerate(trees) if tree.n_nodes == 3]
        assert len(starts) == 2
        for series in (trees[: starts[1]], trees[starts[1] :]):
            assert [tree.n_nodes for tree in series] == list(range(3, 2 * len(series) + 2, 2))
            errors = [problem.n_errors(tree) for tree in series]
            assert errors == sorted(errors, reverse=True)
            assert errors[-1] == 0


def test_ask_chooses_a_small_tree_for_noise_and_a_large_one_for_a_rule() -> None:
    """With random labels a larger tree does not help; with a rule the tree grows until it represents the rule."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (400, 6))
    rule = BinaryProblem.from_rows(X, (X[:, 0] & X[:, 1]) | (X[:, 2] & X[:, 3]))
    of_rule, of_noise = solve(rule, Ask()), solve(noise(200, 12), Ask())
    assert of_rule.n_errors == 0
    assert of_noise.n_nodes is not None
    assert of_noise.n_nodes < solve(noise(200, 12), Psk()).n_nodes / 4  # type: ignore[operator]
    assert of_noise.n_errors > 0


@pytest.mark.parametrize("problem", [xor(), BinaryProblem.from_rows([[0], [1]], [0, 1])], ids=["xor", "two rows"])
@pytest.mark.parametrize("engine", ENGINES, ids=str)
def test_few_examples_are_enough(engine: Engine, problem: BinaryProblem) -> None:
    """With two or four examples each engine returns a tree, also if a class has only one example."""
    outcome = solve(problem, engine)
    assert outcome.tree is not None
    require_status_from_bounds(outcome)


@pytest.mark.parametrize("engine", ENGINES, ids=str)
def test_limits_are_satisfied(engine: Engine) -> None:
    """Trees satisfy max_depth and max_nodes; a pure tree that violates them is not returned."""
    for constraints in (Constraints(max_depth=2), Constraints(max_nodes=4), Constraints(max_depth=3, max_nodes=7)):
        for problem in PROBLEMS[:6]:
            try:
                outcome = solve(problem, engine, constraints=constraints)
            except InfeasibleError:
                assert engine.guarantees.is_pure
                continue
            require_status_from_bounds(outcome)
            assert (outcome.tree is None) <= engine.guarantees.is_pure
            assert outcome.tree is None or constraints.allows(outcome.tree, problem)


def test_psk_without_a_pure_tree_proves_nothing() -> None:
    """If greedy growth stops at max_depth, there may still be a pure tree: the bounds stay open."""
    # Parity of two bits among others: with the greedy root depth 2 is not enough, with a better root it is.
    problem = BinaryProblem.from_rows(
        [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 1], [0, 0, 1], [1, 1, 0]], [0, 1, 1, 0, 0, 0]
    )
    outcome = solve(problem, Psk(), constraints=Constraints(max_depth=2))
    assert (outcome.tree, outcome.upper_bound, outcome.status) == (None, None, "unproved")
    assert solve(problem, Search(), constraints=Constraints(max_depth=2)).status == "optimal"


@pytest.mark.parametrize("engine", ENGINES, ids=str)
@pytest.mark.parametrize("constraints", [Constraints(root=[0]), Constraints(min_samples_leaf=2)], ids=str)
def test_other_constraints_are_rejected(engine: Engine, constraints: Constraints) -> None:
    """Root and min_samples_leaf raise an error before any tree is grown."""
    with pytest.raises(InputError, match=f"engine='{engine.name}' does not support"):
        solve(parity(3), engine, constraints=constraints)


@pytest.mark.parametrize("engine", [Psk(n_seeds=10**6), Lsk(n_nodes=9, n_seeds=10**6), Ask(n_seeds=10**6)], ids=str)
def test_time_limit_is_checked_between_fits(engine: Engine) -> None:
    """With a million seeds the engine stops at the time limit and returns a tree."""
    outcome = solve(larger_problem(0), engine, clock=Clock(0.5))
    assert (outcome.status, outcome.tree is not None) == ("time_limit", True)
    assert outcome.seconds < 2


@pytest.mark.parametrize("engine", [Psk(n_seeds=2), Lsk(n_nodes=9), Ask()], ids=str)
def test_a_child_process_grows_the_same_trees(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """For a large problem the trees are grown in another process; the outcome is the same."""
    problem = noise(70, 9)
    here = solve(problem, engine)
    monkeypatch.setattr(sklearn_trees, "MAX_CELLS", 0)
    monkeypatch.setattr(GrownTree, "grow", None)
    there = solve(problem, engine, clock=Clock(60))
    assert here.tree is not None
    assert there.tree is not None
    assert there.tree.to_nested() == here.tree.to_nested()
    assert (there.status, there.n_errors) == (here.status, here.n_errors)


@pytest.mark.parametrize("engine", [Psk(), Lsk(n_nodes=9), Ask(), DtMax()], ids=str)
def test_scikit_learn_is_stopped_at_the_time_limit(engine: Engine) -> None:
    """A tree that takes scikit-learn longer than the limit is abandoned; instead of an impure one, there is a leaf."""
    problem = noise(2000, 3000)
    problem.examples  # noqa: B018  transposed before the clock starts
    clock = Clock(0.3)
    outcome = solve(problem, engine, clock=clock)
    assert clock.seconds < 2.5
    assert (outcome.status, outcome.n_nodes) == ("time_limit", None if engine.guarantees.is_pure else 1)


@pytest.mark.parametrize("engine", [Psk(), Lsk(n_nodes=9), Ask()], ids=str)
def test_scikit_learn_is_stopped_at_the_memory_limit(engine: Engine) -> None:
    """A tree that exceeds the memory limit is abandoned; instead of an impure one, there is a leaf."""
    outcome = solve(noise(2000, 3000), engine, clock=Clock(120), memory_limit=resident_bytes() + 2e8)
    assert (outcome.status, outcome.n_nodes) == ("memory_limit", None if engine.guarantees.is_pure else 1)


def test_invalid_options_are_rejected() -> None:
    """The error names the option and its value."""
    for make, message in (
        (lambda: Psk(n_seeds=0), "n_seeds=0"),
        (lambda: Ask(seed=-1), "seed=-1"),
        (lambda: Lsk(n_nodes=0), "n_nodes=0"),
        (lambda: Lsk(n_nodes=True), "n_nodes=True"),
        (lambda: Psk(seed=2**32), "too large for scikit-learn"),
    ):
        with pytest.raises(InputError, match=message):
            make()
