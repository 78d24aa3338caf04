"""Codes: trees over codes and trees over features are the same trees."""

import numpy as np
import pytest
from helpers.mixed_tables import allowed_features, mixed_table, ordinal_problems, random_tree

from puretree import BinaryProblem, ThresholdBinarizer, prepare
from puretree._support.clock import Clock, TimeLimitReached
from puretree.binarize.bitmatrix import BitMatrix
from puretree.problem import Codes, CodeTree
from puretree.problem.prepared import Prepared
from puretree.table import read_table

N_TABLES = 60


def prepared_table(seed: int) -> Prepared:
    """Prepare a random table, some with forbidden columns, some with few cuts."""
    X, y = mixed_table(seed)
    forbidden = list(X.columns[:2]) if seed % 3 == 0 else []
    binarize = ThresholdBinarizer(max_cuts=2) if seed % 4 == 0 else "thresholds"
    return prepare(X, y, on_conflict="majority", forbidden=forbidden, binarize=binarize)


def leaves_over_codes(codes: Codes, tree: CodeTree) -> list[int]:
    """Return the leaf of each example, by the definition of the tests."""
    leaves = []
    for example in codes.values.T:
        node = 0
        while tree.left[node] >= 0:
            column, code = tree.column[node], tree.code[node]
            is_yes = example[column] <= code if codes.is_ordered[column] else example[column] == code
            node = tree.left[node] + int(is_yes)
        leaves.append(node)
    return leaves


@pytest.mark.parametrize("seed", range(N_TABLES))
def test_conversions_are_inverse(seed: int) -> None:
    """A tree over features is a tree over codes and back; the labels of all examples stay the same on the way."""
    prepared = prepared_table(seed)
    problem, codes, features = prepared.problem, prepared.problem.codes, allowed_features(prepared)
    rng = np.random.default_rng(seed)
    for _ in range(20):
        tree = random_tree(problem.classes, features, rng)
        code_tree = codes.of_tree(tree)
        assert code_tree.n_tests == tree.n_nodes // 2
        assert (code_tree.column[code_tree.left < 0] == -1).all()
        assert codes.to_tree(code_tree, problem.classes) == tree
        for first, second in zip(codes.of_tree(codes.to_tree(code_tree, problem.classes)), code_tree, strict=True):
            np.testing.assert_array_equal(first, second)
        labels = code_tree.label[leaves_over_codes(codes, code_tree)]
        assert labels.tolist() == tree.label[codes.apply(tree)].tolist()


@pytest.mark.parametrize("seed", range(N_TABLES))
def test_codes_answer_as_the_binariser(seed: int) -> None:
    """A tree reaches the same leaves by the codes as by the bits of the binariser, missing values included."""
    prepared = prepared_table(seed)
    codes = Codes.of_table(prepared.table, prepared.binarizer.features_, prepared.policy.is_allowed_column)
    assert codes is not None
    bits = prepared.binarizer.transform_bits(prepared.table).transpose()
    rng = np.random.default_rng(seed)
    for _ in range(20):
        tree = random_tree(prepared.problem.classes, allowed_features(prepared), rng)
        assert codes.apply(tree).tolist() == tree.apply(bits).tolist()


@pytest.mark.parametrize("seed", range(N_TABLES))
def test_merged_features_and_codes(seed: int) -> None:
    """In a problem with merged features, a tree over codes classifies every example as it does over the features."""
    prepared = prepared_table(seed)
    problem, codes = prepared.problem, prepared.problem.codes
    assert type(problem) is BinaryProblem
    rng = np.random.default_rng(seed)
    for _ in range(20):
        tree = random_tree(problem.classes, range(problem.n_features), rng)
        code_tree = problem.codes_of_tree(tree)
        labels = tree.label[problem.apply(tree)].tolist()
        assert code_tree.label[leaves_over_codes(codes, code_tree)].tolist() == labels
        assert problem.tree_of_codes(code_tree) == tree


@pytest.mark.parametrize("seed", range(20))
def test_groups_are_the_distinct_examples(seed: int) -> None:
    """Rows with equal codes are one group; groups are numbered by their first rows."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 2, (int(rng.integers(1, 6)), 30), dtype=np.int32)
    n = len(values)
    codes = Codes(values, np.ones(n, dtype=np.uint8), np.arange(n, dtype=np.int64), np.full(n, -1, dtype=np.int64))
    group, first = codes.group()
    number_of: dict[tuple[int, ...], int] = {}
    expected = [number_of.setdefault(tuple(example), len(number_of)) for example in values.T.tolist()]
    assert group.tolist() == expected
    assert first.tolist() == [expected.index(number) for number in range(len(number_of))]


def test_bits_as_codes() -> None:
    """Features without columns are columns of two codes, and their trees keep their features."""
    rng = np.random.default_rng(0)
    bits = rng.random((7, 40)) < 0.5
    codes = Codes.of_bits(BitMatrix.pack(bits))
    assert codes.values.tolist() == (1 - bits.astype(int)).tolist()
    for _ in range(20):
        tree = random_tree(("a", "b", "c"), range(7), rng)
        assert codes.apply(tree).tolist() == tree.apply(BitMatrix.pack(bits).transpose()).tolist()
        assert codes.to_tree(codes.of_tree(tree), tree.classes) == tree


@pytest.mark.parametrize("binarize", ["onehot", "bits"])
def test_other_binarisers_have_no_codes(binarize: str) -> None:
    """The problem of a binariser whose features are no comparisons of codes is explicit, whatever its size."""
    X, y = mixed_table(3)
    with ordinal_problems():
        problem = prepare(X, y, binarize=binarize, on_conflict="majority").problem
    assert type(problem) is BinaryProblem
    assert problem.column_codes is None


def test_codes_check_the_time() -> None:
    """The clock is checked for each column."""
    table = read_table([[1.0], [2.0]])
    features = ThresholdBinarizer().fit(table).features_
    with pytest.raises(TimeLimitReached):
        Codes.of_table(table, features, np.ones(1, dtype=np.bool_), Clock(0))
