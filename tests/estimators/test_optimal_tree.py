"""OptimalTreeClassifier: inputs, results, limits, persistence and what scikit-learn requires."""

import pickle
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn import config_context
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from puretree import (
    FormatError,
    FrontPoint,
    InfeasibleError,
    InputError,
    OptimalTreeClassifier,
    PureTreeClassifier,
    UnfinishedError,
    UnfinishedWarning,
    choose_optimal_tree,
    front,
)
from puretree.datasets import load
from puretree.errors import NotKeptError
from puretree.forest import TreeList
from puretree.selection import Teacher
from puretree.table import read_table

IRIS = load("sklearn:iris")
NOISE = np.random.default_rng(0).integers(0, 20, (400, 8)), np.random.default_rng(1).integers(0, 2, 400)


def noisy_rule(n_rows: int, seed: int = 0, flipped: float = 0.1) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return rows of small integers, and a rule of three leaves with flipped labels."""
    random = np.random.default_rng(seed)
    X = random.integers(0, 4, (n_rows, 4))
    y = (X[:, 0] > 1) & (X[:, 1] > 0)
    return X, np.where(random.random(n_rows) < flipped, ~y, y).astype(int)


X, Y = noisy_rule(120)


def quick(**options: Any) -> OptimalTreeClassifier:
    """Return a classifier over all thresholds, which are few here."""
    return OptimalTreeClassifier(**{"binarize": "thresholds", "random_state": 0, **options})


# scikit-learn


@pytest.mark.filterwarnings("default")  # the checks warn on purpose
@parametrize_with_checks([OptimalTreeClassifier(binarize="thresholds", cv=2, time_limit=3)])
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    """Every check that scikit-learn has for a classifier passes; none is expected to fail."""
    check(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
@parametrize_with_checks([OptimalTreeClassifier()])
def test_scikit_learn_checks_of_the_defaults(estimator: Any, check: Any) -> None:
    """They pass with the default parameters, too."""
    check(estimator)


def test_meta_estimators_pass_weights() -> None:
    """AdaBoost, bagging, calibration and a grid search work; metadata routing is supported."""
    tree, weights = quick(alpha=0.02), np.random.default_rng(0).uniform(0.1, 1, len(Y))
    assert AdaBoostClassifier(tree, n_estimators=2).fit(X, Y).score(X, Y) > 0.8
    assert BaggingClassifier(tree, n_estimators=2, random_state=0).fit(X, Y, sample_weight=weights).score(X, Y) > 0.8
    assert CalibratedClassifierCV(tree, cv=2).fit(X, Y, sample_weight=weights).score(X, Y) > 0.8
    assert cross_val_score(tree, X, Y, cv=3).mean() > 0.8
    with config_context(enable_metadata_routing=True):
        tree.set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        search = GridSearchCV(tree, {"alpha": [0.01, 0.4]}, cv=2).fit(X, Y, sample_weight=weights)
    assert search.best_params_ == {"alpha": 0.01}


# The point


def test_the_size_is_that_of_the_rule() -> None:
    """Of the front, the point of three leaves is chosen; its trees are all found, and one of them is chosen."""
    model = quick().fit(X, Y)
    whole = front(X, Y)
    assert (model.n_nodes_, model.point_.n_nodes) == (5, 5)
    assert [(point.n_nodes, point.errors) for point in model.front_] == [(p.n_nodes, p.errors) for p in whole]
    assert model.status_ == "optimal"
    assert model.lower_bound_ == model.upper_bound_ == model.point_.errors == (model.predict(X) != Y).sum()
    assert model.n_optimal_trees_ == whole.at(max_nodes=5).forest().count
    assert model.tree_ in model.trees_
    assert model.cv_results_ is not None
    assert model.cv_results_["param_max_nodes"][model.best_index_] == 5
    assert model.cv_results_["rank_test_score"][model.best_index_] == 1


def test_a_price_or_a_number_of_errors_needs_no_folds() -> None:
    """The point is that of the front, and there are no results of a cross-validation."""
    whole = front(X, Y)
    for options in ({"alpha": 0.05}, {"alpha": 0.0}, {"max_errors": 20}, {"max_errors": 9}):
        model = quick(**options, cv=[]).fit(X, Y)
        expected = whole.at(**options)
        assert (model.n_nodes_, model.point_.errors) == (expected.n_nodes, expected.errors)
        assert model.status_ == expected.status == "optimal"
        assert (model.cv_results_, model.best_index_, model.smoothing_) == (None, None, 1.0)


def test_constraints_hold() -> None:
    """The size, the depth, the leaves, the root and the columns are limited in the fit and in all folds."""
    names = pd.DataFrame(X, columns=list("abcd"))
    model = quick(max_leaf_nodes=4, max_depth=2, min_samples_leaf=9, root="b", forbidden=["d"]).fit(names, Y)
    tree = model.tree_
    assert max(model.cv_results_["param_max_nodes"]) <= 7
    assert tree.depth <= 2
    assert tree.counts[tree.left < 0].sum(axis=1).min() >= 9
    assert tree.predicate(int(tree.feature[0])).column.name == "b"
    assert all("d" not in str(rule) for rule in model.rules())
    with pytest.raises(InfeasibleError, match="at most 0 errors"):
        quick(max_errors=0, max_depth=2).fit(X, Y)


def test_parameters_may_be_numpy_numbers() -> None:
    """As in a grid search."""
    sizes = {"max_leaf_nodes": 4, "max_depth": 3, "min_samples_leaf": 2, "cv": 3, "smoothing": 2}
    model = quick(**{name: np.int64(value) for name, value in sizes.items()}).fit(X, Y)
    assert (model.tree_, model.smoothing_) == (quick(**sizes).fit(X, Y).tree_, 2)
    assert quick(max_errors=np.int64(20)).fit(X, Y).n_nodes_ == quick(max_errors=20).fit(X, Y).n_nodes_
    assert quick(alpha=np.float32(0.05)).fit(X, Y).n_nodes_ == quick(alpha=0.05).fit(X, Y).n_nodes_


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"selection": "holdout"}, "selection='holdout' needs rows that are held out.*call select"),
        ({"alpha": 0.1, "max_errors": 3}, "alpha=0.1 contradicts max_errors"),
        ({"alpha": "best"}, "alpha"),
        ({"rule": "worst"}, "rule"),
        ({"smoothing": -1.0}, "smoothing"),
        ({"vote": -0.1}, "vote"),
        ({"vote": "all"}, "vote"),
        ({"cv": 1}, "cv"),
        ({"max_errors": 3, "class_weight": "balanced"}, "max_errors"),
        ({"class_weight": {2: 3.0}}, "has a weight for 2, which is not a label"),
        ({"cost_matrix": [[0, 1]]}, r"cost_matrix has shape \(1, 2\)"),
        ({"cv": [(np.arange(100), np.arange(100, 130))]}, "cv holds row numbers that the table does not have"),
    ],
)
def test_wrong_parameters_are_named(options: dict[str, Any], message: str) -> None:
    """The message names the parameter, and what to do."""
    with pytest.raises((InputError, ValueError), match=message):
        quick(**options).fit(X, Y)


def test_cross_validation_needs_two_rows_of_a_class() -> None:
    """A number of folds is reduced to the rows of the largest class; with one row, the error says what to do."""
    assert quick().fit([[0], [1], [2], [3]], ["a", "a", "b", "b"]).tree_.n_leaves <= 2
    with pytest.raises(InputError, match=r"n_samples = 2.*pass a price for each leaf"):
        quick().fit([[0], [1]], ["a", "b"])
    assert quick(alpha=0.0).fit([[0], [1]], ["a", "b"]).n_nodes_ == 3


# Weights and costs


def test_weights_are_repeated_rows() -> None:
    """The front, the folds, the chosen tree and its probabilities are the same as for repeated rows, in any order."""
    random = np.random.default_rng(3)
    weights = random.integers(0, 4, len(Y))
    part = random.integers(0, 3, len(Y))
    repeated = random.permutation(np.repeat(np.arange(len(Y)), weights))
    weighted = quick(cv=[(np.flatnonzero(part != i), np.flatnonzero(part == i)) for i in range(3)])
    weighted.fit(X, Y, sample_weight=weights)
    folds = [(np.flatnonzero(part[repeated] != i), np.flatnonzero(part[repeated] == i)) for i in range(3)]
    again = quick(cv=folds).fit(X[repeated], Y[repeated])
    assert weighted.front_.upper == again.front_.upper
    assert weighted.front_.lower == again.front_.lower
    assert weighted.n_optimal_trees_ == again.n_optimal_trees_
    assert weighted.tree_.to_text().split(" (")[0] == again.tree_.to_text().split(" (")[0]
    assert weighted.predict_proba(X) == pytest.approx(again.predict_proba(X))
    assert weighted.cv_results_["mean_test_score"] == pytest.approx(again.cv_results_["mean_test_score"])


def test_a_merged_table_stands_for_its_rows() -> None:
    """The folds, the scores and the tree are those of the table with all rows; sample weights multiply."""
    merged = replace(read_table(X), weights=np.random.default_rng(5).integers(1, 4, len(Y)))
    labels, samples = np.repeat(Y, merged.weights), np.random.default_rng(6).integers(0, 3, len(Y))
    for weights in (None, samples):
        model = quick().fit(merged, Y, sample_weight=weights)
        repeated = None if weights is None else np.repeat(weights, merged.weights)
        expected = quick().fit(merged.repeated(), labels, sample_weight=repeated)
        assert model.front_.upper == expected.front_.upper
        assert model.cv_results_["mean_test_score"] == pytest.approx(expected.cv_results_["mean_test_score"])
        assert model.tree_ == expected.tree_
        assert model.predict_proba(X) == pytest.approx(expected.predict_proba(X))
        assert model.certificate_["n_rows"] == expected.certificate_["n_rows"]


def test_class_weights_and_a_cost_matrix_change_the_score() -> None:
    """The score is minus the mean cost; an expensive class is predicted more often."""
    rare = np.where(Y == 1, 9.0, 1.0)
    model = quick(class_weight={1: 9.0}).fit(X, Y)
    by_matrix = quick(cost_matrix=[[0, 1], [9, 0]]).fit(X, Y)
    assert (model.predict(X) == 1).sum() > (quick().fit(X, Y).predict(X) == 1).sum()
    assert model.front_.upper == by_matrix.front_.upper == front(X, Y, sample_weight=rare).upper
    assert (model.cv_results_["mean_test_score"] <= 0).all()
    best = model.cv_results_["mean_test_score"].max()
    assert best == model.cv_results_["mean_test_score"][model.best_index_]
    balanced = quick(class_weight="balanced").fit(X, Y)
    assert balanced.outcome_.minimised == "error-cost"
    assert balanced.certificate_["claim"]["n_errors"] == (balanced.predict(X) != Y).sum()


# Probabilities


def test_probabilities_are_smoothed_frequencies() -> None:
    """The m-estimate with the class shares of training as the prior; m is a parameter, or chosen by log loss."""
    model = quick(smoothing=3.0).fit(X, Y)
    leaves = model.apply(X)
    prior = np.bincount(Y) / len(Y)
    for leaf in np.unique(leaves):
        counts = np.bincount(Y[leaves == leaf], minlength=2)
        expected = (counts + 3 * prior) / (counts.sum() + 3)
        assert model.predict_proba(X)[leaves == leaf] == pytest.approx(np.tile(expected, (counts.sum(), 1)))
    assert quick().fit(X, Y).smoothing_ in (0.0, 0.5, 1.0, 2.0, 4.0, 8.0)
    assert quick(smoothing=0.0).fit(X, Y).smoothing_ == 0


# The vote of several trees


OTHERS = np.random.default_rng(9).integers(0, 5, (50, 4))


@pytest.mark.parametrize(("vote", "more"), [("point", 0.0), (0.0, 0.0), (0.5, 0.5)])
def test_all_trees_vote(vote: Any, more: float) -> None:
    """Each row gets the class that most trees predict; probabilities are the mean of their smoothed frequencies."""
    model = quick(vote=vote, alpha=0.01, smoothing=2.0).fit(X, Y)
    trees = list(model.point_.forest(extra_errors=int(more * model.point_.errors)))
    assert len(trees) > 1
    predicted = np.array([tree.predict(OTHERS) for tree in trees])
    shares = np.stack([(predicted == label).mean(axis=0) for label in (0, 1)], axis=1)
    clear = np.abs(shares[:, 0] - 0.5) > 1e-9
    assert (model.predict(OTHERS) == shares.argmax(axis=1))[clear].all()
    assert (model.predict(OTHERS) == model.tree_.predict(OTHERS))[~clear].all()
    of_trees = []
    for tree in trees:
        smoothed = tree.counts + 2 * np.bincount(Y) / len(Y)
        of_trees.append((smoothed / smoothed.sum(axis=1, keepdims=True))[tree.apply(OTHERS)])
    assert model.predict_proba(OTHERS) == pytest.approx(np.mean(of_trees, axis=0))
    for explained, row in zip(model.explain_vote(OTHERS), shares, strict=True):
        assert dict(explained.shares) == pytest.approx({label: share for label, share in enumerate(row) if share})


def test_a_vote_is_explained_by_columns() -> None:
    """The names are those of the table; a column that no tree tests is not listed."""
    model = quick(vote=0.2).fit(pd.DataFrame(X, columns=list("abcd")), Y)
    (vote,) = model.explain_vote(pd.DataFrame(X[:1], columns=list("abcd")))
    assert set(vote.columns) <= set("abcd")
    assert vote.columns["a"] == max(vote.columns.values())
    assert f"a by {vote.columns['a']:.1%}" in str(vote)
    with pytest.raises(InputError, match=r"no trees vote here: fit the classifier with vote='point'"):
        quick().fit(X, Y).explain_vote(X)


def test_voters_need_the_training_rows() -> None:
    """Pickle keeps them; a saved classifier predicts by its tree, if that is asked for."""
    model = quick(vote="point").fit(X, Y)
    assert (pickle.loads(pickle.dumps(model)).predict_proba(X) == model.predict_proba(X)).all()
    loaded = OptimalTreeClassifier.from_json(model.to_json())
    with pytest.raises(NotKeptError):
        loaded.predict(X)
    assert (loaded.set_params(vote=None).predict(X) == model.tree_.predict(X)).all()


@pytest.mark.parametrize(
    ("n_failures", "voters"), [(1, "of up to 10 % more"), (2, "of up to 5 % more"), (3, "with as few errors")]
)
def test_a_warning_names_a_smaller_band(monkeypatch: pytest.MonkeyPatch, n_failures: int, voters: str) -> None:
    """If the trees of the band are not found in time, fewer trees vote."""
    asked, find = [], FrontPoint.forest

    def forest(point: FrontPoint, **options: Any) -> Any:
        asked.append("extra_cost" in options)
        if asked[-1] and sum(asked) <= n_failures:
            raise UnfinishedError("time limit reached", None)
        return find(point, **options)

    monkeypatch.setattr(FrontPoint, "forest", forest)
    with pytest.warns(UnfinishedWarning, match=f"of up to 20 % more errors were not all found, so those {voters} vote"):
        model = quick(vote=0.2, alpha=0.01).fit(X, Y)
    assert model.explain_vote(X[:1])[0].n_trees > 1


def test_without_voters_the_tree_predicts() -> None:
    """If there is no time to collect the trees, a warning says who predicts."""
    with pytest.warns(UnfinishedWarning, match="so the chosen tree predicts alone"):
        model = quick(time_limit=0, vote=0.1).fit(*NOISE)
    assert (model.predict(NOISE[0]) == model.tree_.predict(NOISE[0])).all()


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
@parametrize_with_checks([OptimalTreeClassifier(binarize="thresholds", cv=2, time_limit=3, vote=0.1)])
def test_scikit_learn_checks_of_a_vote(estimator: Any, check: Any) -> None:
    """They pass if several trees vote, too."""
    check(estimator)


# Choosing among the trees


@pytest.mark.parametrize("selection", ["consensus", "teacher", "teacher-extra-trees", "first"])
def test_every_rule_chooses_one_of_the_trees(selection: str) -> None:
    """All trees of the point are candidates, and the same seed gives the same tree, byte for byte."""
    models = [quick(selection=selection, alpha=0.01, n_jobs=n_jobs).fit(X, Y) for n_jobs in (None, 2)]
    assert models[0].selection_scores_["n_candidates"] == models[0].point_.forest().count
    assert models[0].trees_.count > 1 or selection.startswith("teacher")
    assert models[0].tree_ in models[0].trees_
    assert models[0].selection_scores_["is_exact"]
    assert models[0].to_json() == models[1].set_params(n_jobs=None).to_json()


def test_a_teacher_says_what_labels_cost() -> None:
    """The least cost under the teacher is proved; errors, counts and probabilities are those of the training rows."""
    model = quick(selection="teacher", alpha=0.001, smoothing=0.0).fit(X, Y)
    solved, n_errors = model.front_.prepared.solved, (model.predict(X) != Y).sum()
    assert (model.status_, model.outcome_.minimised) == ("optimal", "teacher-cost")
    assert f"{n_errors} errors, proved minimum cost under the teacher" in str(model.outcome_)
    assert (model.outcome_.tree, model.outcome_.n_errors) == (model.tree_, n_errors)
    claim = model.certificate_["claim"]
    assert (claim["n_errors"], claim["minimised"], claim["n_synthetic_rows"]) == (n_errors, "teacher-cost", len(Y))
    assert claim["costs"] is not None
    assert claim["synthetic_rows"] is not None
    assert solved.table.n_rows == 2 * len(Y)
    cost = solved.costs.of(model.tree_.predict_codes(solved.table)) * solved.costs.unit
    assert cost == model.point_.cost == model.lower_bound_ == model.upper_bound_
    for tree in model.trees_:
        assert tree.counts[tree.left < 0].sum(axis=0).tolist() == np.bincount(Y).tolist()
        assert solved.costs.of(tree.predict_codes(solved.table)) * solved.costs.unit == cost
    assert model.predict_proba(X).sum(axis=1) == pytest.approx(1)
    assert quick().from_json(model.to_json()).outcome_.minimised == "teacher-cost"


def test_a_teacher_scores_by_labels() -> None:
    """The scores of the folds are accuracies on the validation rows, and a weight is no error count."""
    model = quick(selection=Teacher(mixed_multiple=0.5), cv=3).fit(X, Y)
    scores = model.cv_results_["split0_test_score"] * len(Y) / 3
    assert scores == pytest.approx(np.round(scores))
    with pytest.raises(InputError, match=r"max_errors=3 counts errors, but .* a teacher weigh them"):
        quick(selection="teacher", max_errors=3).fit(X, Y)


def test_a_teacher_satisfies_the_constraints_on_training_rows() -> None:
    """Mixed rows do not fill a leaf, if a number of rows is required."""
    model = quick(selection="teacher", alpha=0.0, min_samples_leaf=9, max_leaf_nodes=6).fit(X, Y)
    assert model.tree_.counts[model.tree_.left < 0].sum(axis=1).min() >= 9
    assert model.n_nodes_ <= 11


@pytest.mark.parametrize("options", [{"class_weight": {1: 20.0}}, {"cost_matrix": [[0, 1], [20, 0]]}])
def test_a_teacher_knows_what_errors_cost(options: dict[str, Any]) -> None:
    """An expensive class is predicted more often; a class weight is a row of a cost matrix."""
    plain, model = (quick(selection="teacher", alpha=0.01, **given).fit(X, Y) for given in ({}, options))
    assert (model.predict(X) == 1).sum() > (plain.predict(X) == 1).sum()
    by_weight = quick(selection="teacher", alpha=0.01, class_weight={1: 20.0}).fit(X, Y)
    costs, expected = (fitted.front_.prepared.solved_costs for fitted in (model, by_weight))
    assert (costs.costs * costs.unit == expected.costs * expected.unit).all()


def test_other_rows_may_choose_another_tree() -> None:
    """Select takes the tree of the point that is most accurate on other rows."""
    model = quick(alpha=0.01).fit(X, Y)
    others = noisy_rule(200, seed=1, flipped=0.0)
    before = model.score(*others)
    model.select(*others)
    assert model.score(*others) == max(tree_score(tree, *others) for tree in model.trees_) >= before
    assert model.selection_scores_["rule"] == "holdout"


def tree_score(tree: Any, rows: Any, labels: Any) -> float:
    """Return the accuracy of a tree."""
    return float((tree.predict(rows) == labels).mean())


# Limits


def test_the_time_limit_holds_for_everything_together() -> None:
    """Within a second of the limit there is a tree, with the number of proofs of each size, and a warning."""
    start = time.monotonic()
    with pytest.warns(UnfinishedWarning, match="not proved optimal in every fold"):
        model = quick(time_limit=3).fit(*NOISE)
    assert time.monotonic() - start < 6  # three seconds, and some for a busy machine
    assert model.front_.status == "time_limit"
    assert model.cv_results_["n_proved"][0] == 5 > min(model.cv_results_["n_proved"])
    assert model.predict(NOISE[0]).shape == NOISE[1].shape


def test_the_teacher_and_the_vote_are_within_the_limit() -> None:
    """The limit is for them, too."""
    start = time.monotonic()
    with pytest.warns(UnfinishedWarning, match="allow more time"):
        model = quick(time_limit=3, selection="teacher", vote=0.1).fit(*NOISE)
    assert time.monotonic() - start < 6
    assert model.outcome_.minimised == "teacher-cost"


def test_without_time_there_is_a_tree() -> None:
    """If there is no time for the folds, the size is that at which a leaf saves two rows."""
    with pytest.warns(UnfinishedWarning, match="the time limit was reached before|fold.? had no time|every fold"):
        model = quick(time_limit=0).fit(*NOISE)
    assert model.predict(NOISE[0]).shape == NOISE[1].shape


@pytest.mark.parametrize(("seconds", "match"), [(0.4, "before the cross-validation"), (2.4, "every fold|no time")])
def test_an_interrupt_keeps_the_incumbent(seconds: float, match: str) -> None:
    """After Ctrl-C in the front or in a fold there is a tree soon, and a warning."""
    threading.Timer(seconds, signal.raise_signal, [signal.SIGINT]).start()
    start = time.monotonic()
    with pytest.warns(UnfinishedWarning, match=match):
        model = quick(time_limit=4).fit(*NOISE)
    assert time.monotonic() - start < seconds + 2
    assert model.predict(NOISE[0]).shape == NOISE[1].shape


INTERRUPTED = """
import signal, threading, warnings
import numpy as np
from puretree import OptimalTreeClassifier
warnings.simplefilter("ignore")
rows = np.random.default_rng(0).integers(0, 20, (400, 8)), np.random.default_rng(1).integers(0, 2, 400)
threading.Timer(7, signal.raise_signal, [signal.SIGINT]).start()
print(OptimalTreeClassifier(binarize="thresholds", time_limit=15, n_jobs=2).fit(*rows).n_nodes_ > 0)
"""


@pytest.mark.slow
def test_nothing_runs_on_after_an_interrupt() -> None:
    """After Ctrl-C with several jobs the fit returns at once, and Python ends at once and without an error."""
    start = time.monotonic()
    ended = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stdout) == (0, "True\n"), ended.stderr
    assert time.monotonic() - start < 12


def test_an_interrupt_while_the_trees_are_collected_keeps_the_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    """The point's own tree is proved, and stays."""

    def interrupt(*arguments: Any, **options: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr("puretree.pareto.front.Front.forest_of", interrupt)
    with pytest.warns(UnfinishedWarning, match="before all trees of this size were found"):
        model = quick().fit(X, Y)
    assert (model.status_, model.n_nodes_, model.n_optimal_trees_) == ("optimal", 5, None)
    assert isinstance(model._result.candidates.trees, TreeList)
    monkeypatch.undo()
    assert model.tree_ in model.trees_
    assert model.n_optimal_trees_ > 1


def test_folds_are_solved_by_any_backend() -> None:
    """The result is the same, byte for byte: one after the other, in processes, and in threads."""
    texts = [quick(n_jobs=n_jobs).fit(X, Y).set_params(n_jobs=None).to_json() for n_jobs in (None, 2)]
    with joblib.parallel_config(backend="threading", n_jobs=2):
        texts.append(quick(cv=5).fit(X, Y).to_json())
    assert len(set(texts)) == 1


def test_the_same_seed_gives_the_same_model() -> None:
    """Byte for byte, also after a clone, and with random folds."""
    model = quick(cv=StratifiedKFold(3, shuffle=True, random_state=1))
    assert model.fit(X, Y).to_json() == clone(model).fit(X, Y).to_json()


# Persistence, explanation and export


@pytest.mark.parametrize("binarize", ["guessed", "thresholds"])
def test_a_saved_classifier_predicts_the_same(binarize: str, tmp_path: Path) -> None:
    """By save and load, skops and pickle; what needs the training rows raises an error, except after pickle."""
    model = quick(binarize=binarize, alpha=0.02).fit(IRIS.table, IRIS.target)
    model.save(tmp_path / "model.json")
    loaded = OptimalTreeClassifier.load(tmp_path / "model.json")
    dumped = skops.io.dumps(model)
    trusted = ["puretree.estimators.optimal_tree.OptimalTreeClassifier"]
    for copy in (loaded, skops.io.loads(dumped, trusted=trusted), pickle.loads(pickle.dumps(model))):
        assert (copy.predict_proba(IRIS.table) == model.predict_proba(IRIS.table)).all()
        assert (copy.status_, copy.outcome_.n_errors) == (model.status_, model.outcome_.n_errors)
        assert (copy.lower_bound_, copy.upper_bound_) == (model.lower_bound_, model.upper_bound_)
        assert copy.get_params()["binarize"] == binarize
        assert copy.certificate_ == model.certificate_
        assert copy.to_json() == model.to_json()
    assert pickle.loads(pickle.dumps(model)).front_.upper == model.front_.upper
    for name in ("front_", "point_", "cv_results_", "smoothing_", "trees_"):
        with pytest.raises(NotKeptError, match="training rows"):
            getattr(loaded, name)


def test_costs_are_saved() -> None:
    """Bounds of a cost are floats."""
    model = quick(alpha=0.02, class_weight={1: 1.5}).fit(X, Y)
    loaded = OptimalTreeClassifier.from_json(model.to_json())
    assert (loaded.lower_bound_, loaded.upper_bound_) == (model.lower_bound_, model.upper_bound_)
    assert loaded.certificate_["claim"]["costs"] is not None


def test_a_file_is_loaded_by_its_class() -> None:
    """The error says which."""
    text = quick(alpha=0.02).fit(X, Y).to_json()
    with pytest.raises(FormatError, match="a saved OptimalTreeClassifier, not a PureTreeClassifier"):
        PureTreeClassifier.from_json(text)


def test_exports_predict_what_the_tree_predicts() -> None:
    """Although the tree has errors on the training rows."""
    model = quick(alpha=0.02).fit(X, Y)
    assert (model.to_sklearn().predict(X) == model.predict(X)).all()
    for format in ("json", "python", "sql", "svg"):
        assert model.export(format)
    assert "proved optimal" in model._repr_html_()
    assert "of this size" in model._repr_html_()
    assert "of this size" in OptimalTreeClassifier.from_json(model.to_json())._repr_html_()


def test_an_unfitted_classifier_has_no_front() -> None:
    """As every fitted attribute."""
    with pytest.raises(NotFittedError):
        _ = quick().front_


def test_verbose_prints_bounds(capsys: pytest.CaptureFixture[str]) -> None:
    """Of the front of all rows."""
    quick(verbose=1, alpha=0.02).fit(X, Y)
    assert "≤ errors ≤" in capsys.readouterr().out


def test_the_function_returns_what_the_classifier_has() -> None:
    """choose_optimal_tree is the fit of the classifier."""
    result, model = choose_optimal_tree(X, Y, binarize="thresholds", random_state=0), quick().fit(X, Y)
    assert result.tree == model.tree_
    assert (result.leaf_shares()[result.tree.apply(X)] == model.predict_proba(X)).all()
