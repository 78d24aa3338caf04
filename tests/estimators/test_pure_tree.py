"""PureTreeClassifier: inputs, results, limits and exports."""

import pickle
import signal
import threading
import time
import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier
from sklearn.exceptions import FitFailedWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import export_text, plot_tree
from sklearn.utils.estimator_checks import parametrize_with_checks

from puretree import (
    BitsBinarizer,
    ConflictError,
    ConflictWarning,
    InfeasibleError,
    InputError,
    PureTreeClassifier,
    Search,
    UnfinishedError,
    UnfinishedWarning,
    minimum_tree,
    minimum_trees,
)
from puretree._support.clock import TimeLimitReached
from puretree.datasets import load
from puretree.engines.search import OpenSearch
from puretree.selection import Consensus, Teacher

LOANS = pd.DataFrame(
    {
        "income": [2100.0, 3400.0, None, 5200.0, 1800.0, 4100.0],
        "housing": ["rent", "own", "rent", "own", None, "rent"],
        "smoker": [True, False, False, True, True, False],
    }
)
REPAID = ["no", "yes", "no", "yes", "no", "yes"]
IRIS = load("sklearn:iris")
MUX = load("formula:mux6").table, load("formula:mux6").target
NOISE = np.random.default_rng(0).normal(size=(400, 8)), np.random.default_rng(1).integers(0, 2, 400)


# check_array_api_input is skipped by scikit-learn itself unless SCIPY_ARRAY_API is set; the classifier does not claim
# to compute on array-API arrays.
@pytest.mark.filterwarnings("default")  # the checks warn on purpose
@parametrize_with_checks([PureTreeClassifier()])
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    """Every check that scikit-learn has for a classifier passes; none is expected to fail."""
    check(estimator)


# Input


def as_polars(table: pd.DataFrame) -> pl.DataFrame:
    """Return the same table in polars, without the package that its own conversion needs."""
    return pl.DataFrame(table.astype(object).where(table.notna(), None).to_dict("list"))


@pytest.mark.parametrize("make", [pd.DataFrame, as_polars])
def test_fit_takes_data_frames(make: Any) -> None:
    """Categories and missing values need no preprocessing, and the tree is pure."""
    table = make(LOANS)
    model = PureTreeClassifier(random_state=0).fit(table, REPAID)
    assert model.predict(table).tolist() == REPAID
    assert model.feature_names_in_.tolist() == ["income", "housing", "smoker"]
    assert (model.n_nodes_, model.status_) == (5, "optimal")
    assert (model.lower_bound_, model.upper_bound_) == (5, 5)


def test_fit_takes_lists() -> None:
    """A list of rows is a valid table."""
    model = PureTreeClassifier().fit([["red", 1.0], ["red", 3.0], ["blue", 1.0]], ["stop", "go", "go"])
    assert model.predict([["red", 0.0], ["blue", 9.0]]).tolist() == ["stop", "go"]


@pytest.mark.parametrize(
    ("labels", "dtype"),
    [([0, 1] * 3, "i"), ([True, False] * 3, "b"), (["a", "b"] * 3, "U"), ([0.0, 1.0] * 3, "f")],
)
def test_predictions_have_the_type_of_the_labels(labels: list[Any], dtype: str) -> None:
    """Integers, booleans, strings and floats are predicted as such."""
    predicted = PureTreeClassifier().fit([[i] for i in range(6)], labels).predict([[0], [1]])
    assert predicted.dtype.kind == dtype
    assert predicted.tolist() == labels[:2]


def test_contradictory_rows() -> None:
    """By default the most frequent label is kept, and a warning names the rows."""
    X, y = [[0], [0], [0], [1]], ["a", "a", "b", "b"]
    with pytest.warns(ConflictWarning, match=r"row 0 \(a\), row 2 \(b\), row 1 \(a\)"):
        model = PureTreeClassifier().fit(X, y)
    assert model.predict([[0], [1]]).tolist() == ["a", "b"]
    assert model.predict_proba([[0]])[0] == pytest.approx([2 / 3, 1 / 3])
    PureTreeClassifier(on_conflict="majority").fit(X, y)
    dropped = PureTreeClassifier(on_conflict="drop").fit(X, y)
    assert dropped.predict([[0]]).tolist() == ["b"]
    with pytest.raises(ConflictError, match="row 2"):
        PureTreeClassifier(on_conflict="raise").fit(X, y)


def test_held_out_rows_do_not_renumber_contradictory_rows() -> None:
    """Rows are named by their number in the user's table, whatever part of it is used for training."""
    X, y = [[i] for i in range(40)] + [[99], [99]], [i % 2 for i in range(40)] + [0, 1]
    with pytest.raises(ConflictError) as error:
        PureTreeClassifier(selection="holdout", on_conflict="raise", random_state=0).fit(X, y)
    assert error.value.conflicts[0].rows == (40, 41)


# Results


def test_all_minimum_trees_are_found() -> None:
    """The chosen tree is one of them."""
    model = PureTreeClassifier(random_state=0).fit(IRIS.table, IRIS.target)
    assert model.n_optimal_trees_ == 5616
    assert model.tree_ in model.trees_
    assert model.selection_scores_["n_candidates"] == 5616
    assert model.selection_scores_["is_exact"]
    assert model.outcome_.history[-1].lower == model.n_nodes_ == 15


def test_trees_are_computed_at_the_first_access(monkeypatch: pytest.MonkeyPatch) -> None:
    """With n_trees=1 the other minimum trees are computed only when trees_ is accessed."""
    model = PureTreeClassifier(n_trees=np.int64(1)).fit(IRIS.table, IRIS.target)  # as in a grid search
    assert model.n_optimal_trees_ is None
    monkeypatch.setattr(OpenSearch, "run", lambda *arguments: pytest.fail("the minimum is proved already"))
    assert model.trees_.count == 5616
    assert model.n_optimal_trees_ == 5616
    assert model.trees_.outcome == model.outcome_


@pytest.mark.parametrize("diversity", ["none", "mdsol", "max-min", "layouts", "layouts-mdsol"])
@pytest.mark.parametrize("engine", ["auto", "maxsat"])
def test_a_number_of_trees(engine: str, diversity: str) -> None:
    """n_trees distinct minimum trees are found, from the forest or by SAT, and one of them is chosen."""
    model = PureTreeClassifier(engine=engine, n_trees=2, diversity=diversity, random_state=0).fit(*MUX)
    trees = model._result.candidates.trees
    assert len(set(trees)) == 2
    assert {tree.n_nodes for tree in trees} == {model.n_nodes_}
    assert model.tree_ in trees
    by_sat = diversity.startswith("layouts") or (engine == "maxsat" and diversity != "max-min")
    assert model.n_optimal_trees_ == (None if by_sat else 2)


@pytest.mark.parametrize("engine", ["search", "maxsat", "mindt", Search()])
def test_every_engine_gives_the_same_trees(engine: Any) -> None:
    """Whichever engine proves the minimum, the minimum trees and the chosen one are the same."""
    auto = PureTreeClassifier(random_state=0).fit(*MUX)
    model = PureTreeClassifier(engine=engine, random_state=0).fit(*MUX)
    assert (model.tree_, model.n_optimal_trees_) == (auto.tree_, auto.n_optimal_trees_)


def test_the_outcome_is_that_of_the_engine() -> None:
    """With all trees requested, history, bounds and engine of the outcome are those of the engine that was chosen."""
    model = PureTreeClassifier(engine="maxsat", random_state=0).fit(*MUX)
    alone = minimum_tree(*MUX, engine="maxsat")
    assert model.n_optimal_trees_ == 2
    assert (model.outcome_.engine, alone.engine) == ("maxsat", "maxsat")
    assert [(b.lower, b.upper) for b in model.outcome_.history] == [(b.lower, b.upper) for b in alone.history]
    assert PureTreeClassifier().fit(*MUX).outcome_.engine == "auto"


def test_size_and_leaves_can_be_constrained() -> None:
    """max_leaf_nodes and min_samples_leaf hold for all minimum trees."""
    model = PureTreeClassifier(max_leaf_nodes=8, min_samples_leaf=2).fit(IRIS.table, IRIS.target)
    assert model.n_nodes_ <= 15
    free = PureTreeClassifier().fit(IRIS.table, IRIS.target)
    counts = [tree.counts[tree.left < 0].sum(axis=1).min() for tree in free.trees_]
    assert min(counts) == 1
    assert all(tree.counts[tree.left < 0].sum(axis=1).min() >= 2 for tree in model.trees_)
    with pytest.raises(InfeasibleError, match="at most 4 leaves"):
        PureTreeClassifier(max_leaf_nodes=4).fit(IRIS.table, IRIS.target)


@pytest.mark.parametrize(
    "selection", ["consensus", "teacher", "teacher-extra-trees", "holdout", "first", Consensus(50)]
)
def test_the_same_seed_chooses_the_same_tree(selection: Any) -> None:
    """The JSON is the same, byte for byte, whatever n_jobs is."""
    texts = {
        PureTreeClassifier(selection=selection, random_state=3, n_jobs=n_jobs)
        .fit(IRIS.table, IRIS.target)
        .tree_.to_json()
        for n_jobs in (None, 1, 2)
    }
    assert len(texts) == 1


def test_constraints_hold() -> None:
    """Root, forbidden columns and depth hold for all minimum trees."""
    model = PureTreeClassifier(root="petal width", forbidden=["sepal length"], random_state=0)
    model.fit(IRIS.table, IRIS.target)
    root = model.tree_.predicate(int(model.tree_.feature[0]))
    assert root.column.name == "petal width"
    assert all(usage.predicate.column.name != "sepal length" for usage in model.trees_.features())
    with pytest.raises(InfeasibleError, match="at most 2 tests"):
        PureTreeClassifier(max_depth=2).fit(IRIS.table, IRIS.target)


def test_feature_costs() -> None:
    """The candidates are the cheapest minimum trees."""
    costs = {"petal width": 10}
    model = PureTreeClassifier(feature_costs=costs, random_state=0).fit(IRIS.table, IRIS.target)
    free = minimum_trees(IRIS.table, IRIS.target)

    def cost(tree: Any) -> int:
        columns = [tree.predicate(int(feature)).column.name for feature in tree.feature if feature >= 0]
        return sum(costs.get(column, 1) for column in columns)

    cheapest = min(map(cost, free))
    assert model.trees_.count == sum(cost(tree) == cheapest for tree in free)
    assert cost(model.tree_) == cheapest == model.outcome_.cost


# Sample weights

REPEATED = [[0], [0], [0], [1], [1], [2]], ["a", "b", "b", "a", "b", "a"]


def test_weights_decide_contradictions_and_probabilities() -> None:
    """Of contradictory rows, those of the label with the greatest total weight are kept, ties to the smallest label."""
    model = PureTreeClassifier(on_conflict="majority").fit(*REPEATED, sample_weight=[0.3, 0.1, 0.1, 0.1, 0.1, 5])
    assert model.predict([[0], [1], [2]]).tolist() == ["a", "a", "a"]
    assert model.n_nodes_ == 1
    model.fit(*REPEATED, sample_weight=[0.3, 0.1, 0.2, 1, 2, 5])  # 0.1 + 0.2 is 0.3, also in floats
    assert model.predict([[0], [1], [2]]).tolist() == ["a", "b", "a"]
    assert model.predict_proba([[0], [1]]) == pytest.approx(np.array([[1 / 2, 1 / 2], [1 / 3, 2 / 3]]))


def test_rows_of_weight_zero_are_left_out() -> None:
    """They have no effect, and they are in no hash, but their classes remain."""
    X, y = [[0], [0], [1], [2]], ["a", "b", "b", "c"]
    model = PureTreeClassifier(on_conflict="raise").fit(X, y, sample_weight=[1, 0, 1, 0])
    alone = PureTreeClassifier().fit([[0], [1]], ["a", "b"])
    assert model.tree_.to_text() == alone.tree_.to_text()
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert model.certificate_["n_rows"] == 2
    assert model.export("python")  # checked on the training rows
    with pytest.raises(ConflictError) as error:
        PureTreeClassifier(on_conflict="raise").fit([[9], *X], ["a", *y], sample_weight=[0, 1, 1, 1, 1])
    assert error.value.conflicts[0].rows == (1, 2)


def test_weights_do_not_change_the_size() -> None:
    """A row of tiny weight is classified correctly, too; min_samples_leaf counts rows."""
    weights = np.where(np.arange(len(IRIS.target)) % 2, 1e-6, 1.0)
    model = PureTreeClassifier(random_state=0).fit(IRIS.table, IRIS.target, weights)
    assert (model.n_nodes_, model.status_, model.n_optimal_trees_) == (15, "optimal", 5616)
    assert (model.predict(IRIS.table) == IRIS.target).all()
    wide = PureTreeClassifier(min_samples_leaf=2).fit(IRIS.table, IRIS.target, weights)
    assert wide.tree_.counts[wide.tree_.left < 0].sum(axis=1).min() >= 2


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 1, -2, 1], r"sample_weight\[2\] is -2; use a finite number of at least 0"),
        ([1, 1, float("nan"), 1], r"sample_weight\[2\] is nan"),
        ([1, 1], r"shape \(2,\); pass one weight for each of the 4 rows"),
        ([0, 0, 0, 0], "all sample weights are zero, so no row is left; give some rows"),
        (["a", "b", "c", "d"], "does not hold numbers only"),
    ],
)
def test_wrong_weights_are_named(weights: Any, message: str) -> None:
    """The message says which weight is wrong, and what to pass."""
    with pytest.raises(InputError, match=message):
        PureTreeClassifier().fit([[0], [1], [2], [3]], ["a", "b", "a", "b"], sample_weight=weights)


@pytest.mark.parametrize("selection", ["consensus", "teacher", "holdout", "first"])
def test_every_selection_rule_takes_weights(selection: str) -> None:
    """The same seed and weights give the same tree."""
    weights = np.random.default_rng(0).integers(0, 3, len(IRIS.target))
    models = [PureTreeClassifier(selection=selection, random_state=0, n_trees=50) for _ in range(2)]
    texts = {model.fit(IRIS.table, IRIS.target, weights).tree_.to_json() for model in models}
    assert len(texts) == 1


@pytest.mark.filterwarnings("ignore::puretree.errors.ConflictWarning")
def test_meta_estimators_pass_weights() -> None:
    """AdaBoost, bagging, calibration and a grid search fit weighted trees; metadata routing is supported."""
    X, y = np.column_stack([column.values for column in IRIS.table]), IRIS.target
    weights = np.random.default_rng(0).uniform(0.1, 1, len(y))
    tree = PureTreeClassifier(random_state=0, n_trees=1)
    assert AdaBoostClassifier(tree, n_estimators=2).fit(X, y).score(X, y) == 1
    assert BaggingClassifier(tree, n_estimators=2, random_state=0).fit(X, y, sample_weight=weights).score(X, y) > 0.9
    assert CalibratedClassifierCV(tree, cv=2).fit(X, y, sample_weight=weights).score(X, y) > 0.9
    search = GridSearchCV(tree, {"min_samples_leaf": [1, 2]}, cv=2)
    assert search.fit(X, y, sample_weight=weights).best_score_ > 0.9
    with config_context(enable_metadata_routing=True):
        tree.set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        routed = GridSearchCV(tree, {"min_samples_leaf": [1, 2]}, cv=2)
        assert routed.fit(X, y, sample_weight=weights).best_score_ > 0.9


# Limits


@pytest.mark.filterwarnings("ignore:the labels look random")
def test_the_time_limit_keeps_the_incumbent() -> None:
    """Within a second of the limit there is a pure tree with both bounds, and a warning that it is not proved."""
    start = time.monotonic()
    with pytest.warns(UnfinishedWarning, match="time limit reached .* the minimum size lies between"):
        model = PureTreeClassifier(time_limit=1).fit(*NOISE)
    assert time.monotonic() - start < 3  # one second, and some for a busy machine
    assert (model.predict(NOISE[0]) == NOISE[1]).all()
    assert model.status_ == "time_limit"
    assert model.lower_bound_ < model.upper_bound_ == model.n_nodes_
    assert model.n_optimal_trees_ is None
    assert list(model.trees_) == [model.tree_]


def test_a_proof_without_all_trees_warns(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the minimum is proved but not all trees are found, a warning is issued."""

    def no_time(*arguments: Any, **options: Any) -> Any:
        raise UnfinishedError("no time", minimum_tree(*MUX))

    monkeypatch.setattr("puretree.selection.candidates.grow_forest", no_time)
    monkeypatch.setattr("puretree.problem.prepared.Prepared.decode", lambda self, outcome: outcome)
    with pytest.warns(UnfinishedWarning, match="proved minimum, but a limit was reached.*no other is known"):
        model = PureTreeClassifier().fit(*MUX)
    assert model.status_ == "optimal"
    assert not model.selection_scores_["is_exact"]
    assert model.n_optimal_trees_ is None


@pytest.mark.filterwarnings("ignore:the labels look random")
def test_an_interrupt_keeps_the_incumbent() -> None:
    """After Ctrl-C there is a pure tree, and a warning."""
    threading.Timer(0.7, signal.raise_signal, [signal.SIGINT]).start()
    with pytest.warns(UnfinishedWarning, match="interrupted before optimality was proved"):
        model = PureTreeClassifier().fit(*NOISE)
    assert model.status_ == "interrupted"
    assert (model.predict(NOISE[0]) == NOISE[1]).all()


@pytest.mark.parametrize(
    "step",
    [
        "puretree.forest.grow.Graph",
        "puretree.forest.forest.count_trees",
        "puretree.forest.forest.unmerge_graph",
        "puretree.selection.candidates._draw",
        "puretree.selection.agreement.mix_rows",
        "puretree.selection.agreement._vote",
        "puretree.selection.agreement.find_top_scoring",
    ],
)
def test_an_interrupt_after_the_proof_keeps_the_tree(step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C in any step after the proof leaves a fitted classifier with the proved tree, and a warning."""

    def interrupt(*arguments: Any, **options: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(step, interrupt)
    with pytest.warns(UnfinishedWarning, match="proved minimum, but the user interrupted"):
        model = PureTreeClassifier().fit(*MUX)
    assert (model.status_, model.n_nodes_, model.selection_scores_["is_exact"]) == ("optimal", 15, False)
    assert (model.predict(MUX[0]) == MUX[1]).all()


@pytest.mark.parametrize(
    "step",
    [
        "puretree.forest.forest.count_trees",
        "puretree.forest.forest.unmerge_graph",
        "puretree.selection.agreement._vote",
    ],
)
def test_the_time_limit_after_the_proof_keeps_the_tree(step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the time is over in a step after the proof, the proved tree is kept, and a warning is issued."""

    def time_out(*arguments: Any, **options: Any) -> Any:
        raise TimeLimitReached

    monkeypatch.setattr(step, time_out)
    with pytest.warns(UnfinishedWarning, match="proved minimum, but a limit was reached"):
        model = PureTreeClassifier().fit(*MUX)
    assert (model.status_, model.n_nodes_, model.selection_scores_["is_exact"]) == ("optimal", 15, False)


def parity(n_bits: int, n_copies: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return all rows of some bits, each bit in several columns, and their parity."""
    bits = np.array(np.meshgrid(*[[0, 1]] * n_bits, indexing="ij")).reshape(n_bits, -1).T
    return np.repeat(bits, n_copies, axis=1), bits.sum(axis=1) % 2


@pytest.mark.filterwarnings("ignore::puretree.errors.NoisyLabelsWarning")  # parity looks random
@pytest.mark.slow
def test_the_time_limit_holds_after_the_proof() -> None:
    """The limit holds where the proof takes a second and the choice among all trees takes minutes."""
    X, y = parity(10, 40)
    started = time.monotonic()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnfinishedWarning)  # on a fast machine, a sample of the trees is compared
        model = PureTreeClassifier(time_limit=6).fit(X, y)
    assert time.monotonic() - started < 12
    assert not model.selection_scores_["is_exact"]
    assert (model.predict(X) == y).all()


def test_select_keeps_the_tree_if_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C in select leaves the tree of the fit, and a warning."""

    def interrupt(*arguments: Any, **options: Any) -> Any:
        raise KeyboardInterrupt

    model = PureTreeClassifier(random_state=0).fit(IRIS.table, IRIS.target)
    before = model.tree_
    monkeypatch.setattr("puretree.selection.holdout.find_top_scoring", interrupt)
    with pytest.warns(UnfinishedWarning, match="the user interrupted before one of 5,616 trees was chosen"):
        model.select(IRIS.table, IRIS.target)
    assert model.tree_ == before


# Prediction, explanation and export


def test_select_chooses_by_other_rows() -> None:
    """Select chooses the most accurate tree of the same forest, without solving again."""
    test = IRIS.table.take(np.arange(0, 150, 3))
    labels = np.roll(IRIS.target[::3], 1)
    model = PureTreeClassifier(random_state=0).fit(IRIS.table, IRIS.target)
    before = model.trees_
    assert model.select(test, labels) is model
    assert model.trees_ is before
    assert model.score(test, labels) == before.best(test, labels).accuracy
    assert model.selection_scores_["rule"] == "holdout"
    with pytest.raises(InputError, match=r"no label of the training set.*same type"):
        model.select(test, range(len(labels)))


def test_probabilities_of_leaves_and_of_all_trees() -> None:
    """Leaves of a pure tree have probability 1; the votes of all minimum trees differ on new rows."""
    new = IRIS.table.take(np.arange(5)).to_dict()
    grid = pd.DataFrame({name: np.linspace(0, 7, 60) for name in new})
    leaf = PureTreeClassifier(random_state=0).fit(IRIS.table, IRIS.target)
    trees = PureTreeClassifier(probabilities="trees", random_state=0).fit(IRIS.table, IRIS.target)
    grid.columns = list(IRIS.table.names)
    assert set(leaf.predict_proba(grid).ravel()) == {0.0, 1.0}
    assert (leaf.classes_[leaf.predict_proba(grid).argmax(axis=1)] == leaf.predict(grid)).all()
    shares = trees.predict_proba(grid)
    assert np.allclose(shares, minimum_trees(IRIS.table, IRIS.target).predict_distribution(grid))
    assert ((shares > 0) & (shares < 1)).any()


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"probabilities": "nonsense"}, "'probabilities' parameter .* must be a str among .*'leaf'"),
        ({"delta": "much"}, "'delta' parameter"),
        ({"time_limit": -1}, "'time_limit' parameter"),
        ({"memory_limit": 0}, "'memory_limit' parameter"),
    ],
)
def test_parameters_are_checked_when_they_are_used(parameters: dict[str, Any], words: str) -> None:
    """A parameter that is invalid since the fit raises an error that names the choices; predictions do not use it."""
    model = PureTreeClassifier(random_state=0).fit(LOANS, REPAID).set_params(**parameters)
    assert model.predict(LOANS).tolist() == REPAID
    with pytest.raises(ValueError, match=words):
        model.predict_proba(LOANS) if "probabilities" in parameters else model.select(LOANS, REPAID)


def test_probabilities_are_those_of_the_fit() -> None:
    """Class frequencies count contradictory rows as the fit did, whatever on_conflict is set to afterwards."""
    X, y = [[0], [0], [0], [1]], ["a", "a", "b", "b"]
    keeping = PureTreeClassifier(on_conflict="majority").fit(X, y)
    assert keeping.set_params(on_conflict="drop").predict_proba([[0]]).tolist() == [[2 / 3, 1 / 3]]
    dropping = PureTreeClassifier(on_conflict="drop").fit([*X, [2]], [*y, "a"])
    expected = dropping.predict_proba(X).tolist()
    assert dropping.set_params(on_conflict="majority").predict_proba(X).tolist() == expected


def test_scikit_learn_meta_estimators() -> None:
    """It works in a pipeline, a grid search and cross-validation."""
    X, y = np.asarray(list(IRIS.table.to_dict().values())).T, IRIS.target
    pipeline = make_pipeline(StandardScaler(), PureTreeClassifier(random_state=0))
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.9
    grid = GridSearchCV(
        PureTreeClassifier(random_state=0, on_conflict="majority"), {"binarize": ["thresholds", BitsBinarizer()]}, cv=3
    )
    assert grid.fit(X, y).best_score_ > 0.85


def test_clone_and_pickle() -> None:
    """Clones have the parameters, pickles also the tree, the forest and the proof."""
    model = PureTreeClassifier(selection=Teacher(n_rows=100), random_state=0).fit(LOANS, REPAID)
    assert clone(model).get_params()["selection"] == Teacher(n_rows=100)
    copy = pickle.loads(pickle.dumps(model))
    assert copy.tree_ == model.tree_
    assert copy.trees_.count == model.trees_.count
    assert copy.certificate_ == model.certificate_
    assert (copy.predict(LOANS) == model.predict(LOANS)).all()


def test_progress_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """verbose=1 prints both bounds and the time."""
    PureTreeClassifier(verbose=1).fit(LOANS, REPAID)
    assert "nodes 5 ≤ min ≤ 5" in capsys.readouterr().out


def test_the_certificate_contains_the_constraints() -> None:
    """Claims of a minimum for the same data differ by their constraints."""
    free = PureTreeClassifier().fit(LOANS, REPAID).certificate_
    assert free["claim"]["constraints"] == {
        "max_depth": None,
        "max_leaf_nodes": None,
        "min_samples_leaf": 1,
        "root": None,
        "forbidden": [],
    }
    first, second = LOANS.columns[:2]
    constrained = PureTreeClassifier(
        max_depth=np.int64(5), max_leaf_nodes=9, min_samples_leaf=np.int64(1), root=first, forbidden=[second]
    ).fit(LOANS, REPAID)
    assert constrained.certificate_["claim"]["constraints"] == {
        "max_depth": 5,
        "max_leaf_nodes": 9,
        "min_samples_leaf": 1,
        "root": [first],
        "forbidden": [second],
    }
    assert constrained.set_params(max_depth=9).certificate_["claim"]["constraints"]["max_depth"] == 5


def test_the_certificate_identifies_the_data() -> None:
    """The hash of the data changes with every value, name, label and with the order."""
    claims = PureTreeClassifier().fit(LOANS, REPAID).certificate_
    assert claims["claim"]["is_minimum"]
    assert claims["claim"]["n_nodes"] == 5
    assert claims["data"] == PureTreeClassifier().fit(LOANS.copy(), REPAID).certificate_["data"]
    others = [
        (LOANS.rename(columns={"income": "salary"}), REPAID),
        (LOANS.assign(income=LOANS["income"] + 1), REPAID),
        (LOANS[::-1], REPAID[::-1]),
        (LOANS, ["nein" if label == "no" else "ja" for label in REPAID]),
    ]
    assert claims["data"] not in {PureTreeClassifier().fit(*other).certificate_["data"] for other in others}


def test_rules_explanation_and_export() -> None:
    """Rules, explanation, plot and exports are methods of the classifier."""
    model = PureTreeClassifier(random_state=0).fit(LOANS, REPAID)
    assert [str(rule) for rule in model.rules()] == [str(rule) for rule in model.tree_.rules()]
    explanation = model.explain(LOANS.iloc[[0]])
    assert explanation.label == REPAID[0]
    assert explanation.counterfactual is not None
    assert explanation.counterfactual.label == "yes"
    assert model.export("svg").startswith("<svg")
    assert model.to_sklearn().predict(LOANS).tolist() == REPAID
    assert model.plot() is not None


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_the_scikit_learn_tree_has_feature_names(library: Any) -> None:
    """Columns in another order raise scikit-learn's error."""
    X, y = library({"a": [1.0, 2.0, 3.0, 4.0], "b": [4.0, 1.0, 9.0, 2.0]}), [0, 0, 1, 1]
    model = PureTreeClassifier(random_state=0).fit(X, y)
    if not hasattr(model, "feature_names_in_"):
        pytest.skip("this scikit-learn does not support the feature names of this polars")
    tree = model.to_sklearn()
    assert tree.predict(X).tolist() == y
    with pytest.raises(ValueError, match="feature names should match"):
        tree.predict(X[["b", "a"]])
    assert export_text(tree, feature_names=tree.feature_names_in_).startswith("|--- a <= 2.00")
    assert plot_tree(tree, feature_names=tree.feature_names_in_)[0].get_text().startswith("a <= 2.0")
    columns = {
        "colour": ["red", "green", None, "blue"],
        "size": [1.0, 2.0, 2.0, None],
        "new": [True, False, True, True],
    }
    X = library(columns)
    pipeline = PureTreeClassifier(random_state=0).fit(X, y).to_sklearn()
    assert pipeline.predict(X).tolist() == y
    assert pipeline.predict(X[["new", "size", "colour"]]).tolist() == y


def test_the_scikit_learn_tree_has_no_feature_names_without_names() -> None:
    """Arrays, and data frames with numbered columns, are read by position and without a warning."""
    for X in (NOISE[0][:20], pd.DataFrame(NOISE[0][:20]), LOANS.set_axis(range(3), axis=1)):
        y = REPAID if len(X) == len(REPAID) else NOISE[1][:20].tolist()
        tree = PureTreeClassifier(random_state=0).fit(X, y).to_sklearn()
        assert not hasattr(tree, "feature_names_in_")
        assert tree.predict(X).tolist() == y


def test_onnx_of_a_data_frame() -> None:
    """A classifier with feature names exports to ONNX, with string columns and without."""
    onnx = pytest.importorskip("puretree.export.onnx")
    pytest.importorskip("onnxruntime")
    for X in (LOANS[["income", "smoker"]], LOANS.fillna({"housing": "none"})):
        model = PureTreeClassifier(random_state=0).fit(X, REPAID)
        assert list(onnx.predict_with_onnx(model.export("onnx"), model.tree_, X)) == REPAID


@pytest.mark.filterwarnings("ignore:the labels look random")
def test_the_notebook_display_shows_tree_and_proof() -> None:
    """It contains the picture, the badge and the number of trees; names from the data are escaped."""
    model = PureTreeClassifier().fit(LOANS.rename(columns={"income": "<script>alert(1)</script>"}), REPAID)
    html = model._repr_html_()
    assert "proved minimum" in html
    assert "5 ≤ minimum ≤ 5" in html
    assert "<svg" in html
    assert "<script>alert" not in html
    assert "proved" not in PureTreeClassifier()._repr_html_()
    with pytest.warns(UnfinishedWarning):
        late = PureTreeClassifier(time_limit=0.3).fit(*NOISE)
    assert "not proved (time limit)" in late._repr_html_()


# Errors


@pytest.mark.parametrize(
    "method", ["predict", "predict_proba", "rules", "plot", "export", "to_sklearn", "explain", "select"]
)
def test_methods_require_fit(method: str) -> None:
    """Every method raises NotFittedError before fit."""
    arguments = {"predict": (LOANS,), "predict_proba": (LOANS,), "explain": ([1],), "select": (LOANS, REPAID)}
    with pytest.raises(NotFittedError):
        getattr(PureTreeClassifier(), method)(*arguments.get(method, ()))


@pytest.mark.parametrize("attribute", ["tree_", "trees_", "n_optimal_trees_", "certificate_", "n_nodes_"])
def test_fitted_attributes_require_fit(attribute: str) -> None:
    """Fitted attributes do not exist before fit."""
    assert not hasattr(PureTreeClassifier(), attribute)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"engine": "magic"}, "engine='magic'"),
        ({"binarize": "magic"}, "binarize='magic'"),
        ({"selection": "magic"}, "selection='magic'"),
        ({"n_trees": 0}, "n_trees"),
        ({"diversity": "magic"}, "diversity"),
        ({"diversity": "layouts"}, "n_trees=100"),
        ({"diversity": "mdsol"}, "n_trees=100"),
        ({"layout_depth": 0}, "layout_depth"),
        ({"layout_depth": 1.5}, "layout_depth"),
        ({"selection": None}, "selection=None"),
        ({"engine": None}, "engine=None"),
        ({"delta": 2}, "delta"),
        ({"selection_size": 0}, "selection_size"),
        ({"on_conflict": "ignore"}, "on_conflict"),
        ({"max_depth": 0}, "max_depth"),
        ({"max_leaf_nodes": 0}, "max_leaf_nodes"),
        ({"min_samples_leaf": 0.5}, "min_samples_leaf"),
        ({"root": "age"}, "root.*'age'"),
        ({"forbidden": ["age"]}, "forbidden.*'age'"),
        ({"feature_costs": {"age": 3}}, "costs.*'age'"),
        ({"time_limit": -1}, "time_limit"),
        ({"memory_limit": 0}, "memory_limit"),
        ({"probabilities": "magic"}, "probabilities"),
    ],
)
def test_invalid_parameters_raise_an_error(parameters: dict[str, Any], words: str) -> None:
    """The error names the parameter."""
    with pytest.raises((InputError, ValueError), match=words):
        PureTreeClassifier(**parameters).fit(LOANS, REPAID)


def test_a_depth_without_a_pure_tree() -> None:
    """The error of ``fit`` and the warning of a grid search name the least depth and what fits an impure tree."""
    words = r"a pure tree has a depth of at least 4; .* or use DtMaxClassifier\(depth=2\)"
    parity = np.array(np.meshgrid(*[[0, 1]] * 4)).reshape(4, -1).T
    with pytest.raises(InfeasibleError, match=words):
        PureTreeClassifier(max_depth=2).fit(parity, parity.sum(axis=1) % 2)
    twice = np.tile(parity, (4, 1))
    search = GridSearchCV(PureTreeClassifier(), {"max_depth": [2, 4]}, cv=2)
    with pytest.warns(FitFailedWarning, match=words), pytest.warns(UserWarning, match="non-finite"):
        search.fit(twice, twice.sum(axis=1) % 2)
    assert search.best_params_ == {"max_depth": 4}


@pytest.mark.parametrize("selection", ["consensus", "teacher"])
def test_zero_jobs_are_rejected_before_the_search(selection: str) -> None:
    """The error names the parameter, whether the selection rule uses it or not."""
    with pytest.raises(InputError, match="n_jobs=0 is not a number of jobs"):
        PureTreeClassifier(n_jobs=0, selection=selection).fit([[0], [1]], [0, 1])
