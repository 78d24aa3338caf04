"""The classifiers that ours are compared with: features, grids, sizes and probabilities."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from puretree.bench.classifiers import peers
from puretree.bench.classifiers.folds import LabelledRows
from puretree.bench.classifiers.method import Method, Run
from puretree.bench.classifiers.methods import METHODS, why_missing
from puretree.table import read_columns

IRIS = LabelledRows.load("sklearn:iris", None)
RUN = Run(seconds=20.0, memory=None, seed=0)


def test_features_of_categories_and_missing_numbers() -> None:
    """Categories are one-hot encoded; missing numbers stay missing, or become the median of the training rows."""
    table = read_columns({"number": [1.0, None, 3.0, 8.0], "category": ["a", "b", "a", "c"]})
    rows = LabelledRows(table, np.array([0, 1, 0, 1], dtype=np.int32), 2)
    one_hot = [[1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 0, 1]]
    for fit, missing in ((peers.fit_numbers, np.nan), (peers.fit_imputed_numbers, 3.0)):
        features = fit(rows)(table)
        np.testing.assert_array_equal(features[:, 0], [1, missing, 3, 8])
        assert features[:, 1:].tolist() == one_hot


def test_binary_features_are_those_of_the_training_rows() -> None:
    """The thresholds are guessed from some rows, and evaluated on others."""
    transform = peers.fit_binary(IRIS.take(np.arange(0, 150, 2)))
    features = transform(IRIS.table)
    assert features.shape[0] == 150
    assert set(np.unique(features).tolist()) == {0, 1}


def test_there_is_a_price_for_each_tree_of_the_pruning_path() -> None:
    """The prices decrease, the last is 0, and each gives another tree, from the root alone to the pure tree."""
    X = peers.fit_numbers(IRIS)(IRIS.table)
    prices = peers.pruning_prices(X, IRIS.codes, 0)
    sizes = [peers.cart_nodes(peers.make_pruned_cart(Run(1.0, None, 0, p)).fit(X, IRIS.codes)) for p in prices]
    assert prices == sorted(prices, reverse=True)
    assert (prices[-1], sizes[0]) == (0.0, 1)
    assert sizes[-1] == peers.cart_nodes(DecisionTreeClassifier(random_state=0).fit(X, IRIS.codes))
    assert sizes == sorted(set(sizes))


def test_a_forest_has_the_nodes_of_all_trees() -> None:
    """A forest of 100 trees that separate three classes has at least 500 nodes."""
    trained = METHODS["rf"].train(IRIS, RUN)
    assert trained.n_nodes == sum(tree.tree_.node_count for tree in trained.model.estimators_) > 500


@pytest.mark.parametrize(
    "name",
    ["cart", "cart-ccp", "streed-cv", "figs", pytest.param("fst-cv", marks=pytest.mark.slow)],
)
def test_peers_separate_the_irises(name: str) -> None:
    """Each has a small tree with few errors, probabilities that sum to 1, and a status of an outcome."""
    method = METHODS[name]
    if reason := why_missing(name):
        pytest.skip(reason)
    trained = method.train(IRIS, RUN)
    probabilities = trained.predict_proba(IRIS.table, 3)
    assert (trained.predict(IRIS.table) == IRIS.codes).mean() > 0.94
    assert 3 <= trained.n_nodes <= 30
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    assert probabilities.min() >= 0
    assert trained.status in ("optimal", "time_limit", "unproved")
    assert np.isnan(trained.setting) == (method.grid is None)


def test_the_size_of_figs_is_that_of_all_its_trees() -> None:
    """Each test adds two nodes, and each tree a root."""
    pytest.importorskip("imodels")
    figs: Method = METHODS["figs"]
    X = peers.fit_imputed_numbers(IRIS)(IRIS.table)
    model = peers.make_figs(Run(1.0, None, 0, 5)).fit(X, IRIS.codes)
    assert figs.n_nodes(model) == 2 * 5 + len(model.trees_)
