"""Scikit-learn's trees are read as they are, and each of the paper's three baselines keeps to its rule."""

import numpy as np
import pytest
from helpers.random_problems import larger_problem, noise, parity, random_problems, xor
from sklearn.tree import DecisionTreeClassifier

from puretree import BinaryProblem
from puretree._support.clock import Clock
from puretree.engines.base import Engine, solve
from puretree.engines.search import Search
from puretree.engines.sklearn_trees import Ask, GrownTree, Lsk, Psk, trees_of_every_size
from puretree.errors import InfeasibleError, InputError
from puretree.outcome import Outcome
from puretree.problem import Constraints

ENGINES: list[Engine] = [Psk(), Psk(n_seeds=3), Lsk(), Lsk(n_nodes=5), Ask(), Ask(n_seeds=2)]
PROBLEMS = [*random_problems(12), *map(larger_problem, range(6))]


def ask_sklearn(problem: BinaryProblem, **options: object) -> DecisionTreeClassifier:
    """Fit scikit-learn's own tree to a problem."""
    X = problem.examples.unpack().astype(np.float32)
    return DecisionTreeClassifier(**options).fit(X, problem.labels, sample_weight=problem.weights)


def require_no_more_than_bounds(outcome: Outcome) -> None:
    """Only bounds that meet are a proof: these engines have no other."""
    assert outcome.status == ("optimal" if outcome.lower_bound == outcome.upper_bound else "unproved")


@pytest.mark.parametrize("seed", [0, 1])
def test_the_first_nodes_are_the_tree_that_may_have_so_many(seed: int) -> None:
    """One tree grown best first holds what scikit-learn grows for every limit, node for node."""
    for problem in map(larger_problem, range(8)):
        grown = GrownTree.grow(problem, seed=seed)
        X = problem.examples.unpack().astype(np.float32)
        for n_leaves in range(2, (grown.n_nodes + 1) // 2 + 1):
            model = ask_sklearn(problem, random_state=seed, max_leaf_nodes=n_leaves)
            tree = grown.tree(2 * n_leaves - 1)
            assert tree.n_nodes == model.tree_.node_count
            assert tree.depth == model.get_depth()
            assert (tree.predict_codes(X.astype(int)) == model.predict(X)).all()


def test_psk_is_the_smallest_pure_tree_of_its_seeds() -> None:
    """It is pure, has the size scikit-learn says, and more seeds make it no larger."""
    for problem in PROBLEMS:
        sizes = [ask_sklearn(problem, random_state=seed).tree_.node_count for seed in range(4)]
        one, four = solve(problem, Psk()), solve(problem, Psk(n_seeds=4))
        assert (one.n_nodes, four.n_nodes) == (sizes[0], min(sizes))
        assert (one.n_errors, one.status, one.minimised) == (0, "unproved", "nodes")


def test_lsk_has_the_nodes_it_may_have() -> None:
    """It is the tree scikit-learn grows for as many leaves; by default those of a minimum pure tree."""
    for problem in PROBLEMS:
        minimum = solve(problem, Search()).n_nodes
        assert minimum is not None
        for engine, n_nodes in ((Lsk(), minimum), (Lsk(n_nodes=3), 3), (Lsk(n_nodes=6), 5)):
            outcome = solve(problem, engine)
            model = ask_sklearn(problem, random_state=0, max_leaf_nodes=max(2, (n_nodes + 1) // 2))
            X = problem.examples.unpack().astype(np.float32)
            assert outcome.n_errors == problem.weights[model.predict(X) != problem.labels].sum()
            assert outcome.n_nodes is not None
            assert outcome.n_nodes <= n_nodes


def test_lsk_of_a_single_node_says_what_is_most_frequent() -> None:
    """One node is enough for an answer."""
    problem = BinaryProblem.from_rows([[0], [1], [1], [1]], ["b", "a", "a", "a"])
    outcome = solve(problem, Lsk(n_nodes=1))
    assert outcome.tree is not None
    assert (outcome.tree.to_nested(), outcome.n_errors) == ("a", 1)


def test_every_size_goes_from_three_nodes_to_a_pure_tree() -> None:
    """For each seed the sizes are odd numbers without a gap, errors never rise, and the last tree is pure."""
    for problem in PROBLEMS:
        trees = list(trees_of_every_size(problem, n_seeds=2))
        starts = [i for i, tree in enumerate(trees) if tree.n_nodes == 3]
        assert len(starts) == 2
        for run in (trees[: starts[1]], trees[starts[1] :]):
            assert [tree.n_nodes for tree in run] == list(range(3, 2 * len(run) + 2, 2))
            errors = [problem.n_errors(tree) for tree in run]
            assert errors == sorted(errors, reverse=True)
            assert errors[-1] == 0


def test_ask_chooses_a_small_tree_of_noise_and_a_large_one_of_a_rule() -> None:
    """Where labels are by the coin little is gained by size; where a rule holds the tree grows until it has it."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (400, 6))
    rule = BinaryProblem.from_rows(X, (X[:, 0] & X[:, 1]) | (X[:, 2] & X[:, 3]))
    learned, guessed = solve(rule, Ask()), solve(noise(200, 12), Ask())
    assert learned.n_errors == 0
    assert guessed.n_nodes is not None
    assert guessed.n_nodes < solve(noise(200, 12), Psk()).n_nodes / 4  # type: ignore[operator]
    assert guessed.n_errors > 0


@pytest.mark.parametrize("problem", [xor(), BinaryProblem.from_rows([[0], [1]], [0, 1])], ids=["xor", "two rows"])
@pytest.mark.parametrize("engine", ENGINES, ids=str)
def test_few_rows_are_enough(engine: Engine, problem: BinaryProblem) -> None:
    """With two or four examples each engine still answers; no class need have two."""
    outcome = solve(problem, engine)
    assert outcome.tree is not None
    require_no_more_than_bounds(outcome)


@pytest.mark.parametrize("engine", ENGINES, ids=str)
def test_limits_are_kept(engine: Engine) -> None:
    """A limited depth or number of nodes holds; a pure tree that breaks it is not handed in."""
    for constraints in (Constraints(max_depth=2), Constraints(max_nodes=4), Constraints(max_depth=3, max_nodes=7)):
        for problem in PROBLEMS[:6]:
            try:
                outcome = solve(problem, engine, constraints=constraints)
            except InfeasibleError:
                assert engine.guarantees.is_pure
                continue
            require_no_more_than_bounds(outcome)
            assert (outcome.tree is None) <= engine.guarantees.is_pure
            assert outcome.tree is None or constraints.allows(outcome.tree, problem)


def test_without_a_pure_tree_in_the_depth_there_is_no_tree_and_no_proof() -> None:
    """Growth that had to stop is no proof that there is no pure tree: the bounds stay open."""
    # Parity of two bits hidden among others: the greedy root is wrong, a better one makes depth 2 enough.
    problem = BinaryProblem.from_rows(
        [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 1], [0, 0, 1], [1, 1, 0]], [0, 1, 1, 0, 0, 0]
    )
    outcome = solve(problem, Psk(), constraints=Constraints(max_depth=2))
    assert (outcome.tree, outcome.upper_bound, outcome.status) == (None, None, "unproved")
    assert solve(problem, Search(), constraints=Constraints(max_depth=2)).status == "optimal"


@pytest.mark.parametrize("engine", ENGINES, ids=str)
@pytest.mark.parametrize("constraints", [Constraints(root=[0]), Constraints(min_samples_leaf=2)], ids=str)
def test_other_wishes_are_refused(engine: Engine, constraints: Constraints) -> None:
    """Scikit-learn can keep neither to a root nor to rows at a leaf, and says so before it grows."""
    with pytest.raises(InputError, match=f"engine='{engine.name}' cannot keep to"):
        solve(parity(3), engine, constraints=constraints)


@pytest.mark.parametrize("engine", [Psk(n_seeds=10**6), Lsk(n_nodes=9, n_seeds=10**6), Ask(n_seeds=10**6)], ids=str)
def test_time_is_heard_between_fits(engine: Engine) -> None:
    """A million seeds end with the time, and there is a tree."""
    outcome = solve(larger_problem(0), engine, clock=Clock(0.5))
    assert (outcome.status, outcome.tree is not None) == ("time_limit", True)
    assert outcome.seconds < 2


def test_wrong_options_are_refused() -> None:
    """The option and its value are named."""
    for make, words in (
        (lambda: Psk(n_seeds=0), "n_seeds=0"),
        (lambda: Ask(seed=-1), "seed=-1"),
        (lambda: Lsk(n_nodes=0), "n_nodes=0"),
        (lambda: Lsk(n_nodes=True), "n_nodes=True"),
        (lambda: Psk(seed=2**32), "too large for scikit-learn"),
    ):
        with pytest.raises(InputError, match=words):
            make()
