"""The scikit-learn face: what goes in, what is found, what comes out."""

import pickle
import signal
import threading
import time
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
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
from puretree.datasets import load
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


# What goes in


def as_polars(table: pd.DataFrame) -> pl.DataFrame:
    """Return the same table in polars, without the package that its own conversion needs."""
    return pl.DataFrame(table.astype(object).where(table.notna(), None).to_dict("list"))


@pytest.mark.parametrize("make", [pd.DataFrame, as_polars])
def test_raw_tables_go_in(make: Any) -> None:
    """Names, categories and gaps need no preparation, and the tree is right on every row."""
    table = make(LOANS)
    model = PureTreeClassifier(random_state=0).fit(table, REPAID)
    assert model.predict(table).tolist() == REPAID
    assert model.feature_names_in_.tolist() == ["income", "housing", "smoker"]
    assert (model.n_nodes_, model.status_) == (5, "optimal")
    assert (model.lower_bound_, model.upper_bound_) == (5, 5)


def test_plain_lists_go_in() -> None:
    """A list of rows will do."""
    model = PureTreeClassifier().fit([["red", 1.0], ["red", 3.0], ["blue", 1.0]], ["stop", "go", "go"])
    assert model.predict([["red", 0.0], ["blue", 9.0]]).tolist() == ["stop", "go"]


@pytest.mark.parametrize(
    ("labels", "dtype"),
    [([0, 1] * 3, "i"), ([True, False] * 3, "b"), (["a", "b"] * 3, "U"), ([0.0, 1.0] * 3, "f")],
)
def test_labels_come_back_as_they_were(labels: list[Any], dtype: str) -> None:
    """Predictions are of the kind of the labels."""
    predicted = PureTreeClassifier().fit([[i] for i in range(6)], labels).predict([[0], [1]])
    assert predicted.dtype.kind == dtype
    assert predicted.tolist() == labels[:2]


def test_contradictions_are_told() -> None:
    """By default the most frequent label counts, and a warning names the rows."""
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


def test_rows_kept_back_do_not_renumber_contradictions() -> None:
    """Rows are named by their place in the table that was given, whatever part of it trains."""
    X, y = [[i] for i in range(40)] + [[99], [99]], [i % 2 for i in range(40)] + [0, 1]
    with pytest.raises(ConflictError) as error:
        PureTreeClassifier(selection="holdout", on_conflict="raise", random_state=0).fit(X, y)
    assert error.value.conflicts[0].rows == (40, 41)


# What is found


def test_the_forest_is_there() -> None:
    """All smallest trees are found, and the chosen one is among them."""
    model = PureTreeClassifier(random_state=0).fit(IRIS.table, IRIS.target)
    assert model.n_optimal_trees_ == 5616
    assert model.tree_ in model.trees_
    assert model.selection_scores_["n_candidates"] == 5616
    assert model.selection_scores_["is_exact"]
    assert model.outcome_.history[-1].lower == model.n_nodes_ == 15


def test_trees_are_found_when_asked_for() -> None:
    """With one tree to choose from, the others cost nothing until somebody wants them."""
    model = PureTreeClassifier(n_trees=np.int64(1)).fit(IRIS.table, IRIS.target)  # as a grid search gives it
    assert model.n_optimal_trees_ is None
    assert model.trees_.count == 5616
    assert model.n_optimal_trees_ == 5616


@pytest.mark.parametrize("diversity", ["none", "mdsol", "max-min", "layouts", "layouts-mdsol"])
@pytest.mark.parametrize("engine", ["auto", "maxsat"])
def test_some_trees_can_be_enough(engine: str, diversity: str) -> None:
    """So many different smallest trees are found, by the forest or by SAT, and one of them is taken."""
    model = PureTreeClassifier(engine=engine, n_trees=2, diversity=diversity, random_state=0).fit(*MUX)
    found = model._chosen.found.candidates
    assert len(set(found)) == 2
    assert {tree.n_nodes for tree in found} == {model.n_nodes_}
    assert model.tree_ in found
    by_sat = diversity.startswith("layouts") or (engine == "maxsat" and diversity != "max-min")
    assert model.n_optimal_trees_ == (None if by_sat else 2)


@pytest.mark.parametrize("engine", ["search", "maxsat", "mindt", Search()])
def test_every_engine_gives_the_same_trees(engine: Any) -> None:
    """Whoever proves the minimum: the smallest trees and the one chosen are the same."""
    auto = PureTreeClassifier(random_state=0).fit(*MUX)
    model = PureTreeClassifier(engine=engine, random_state=0).fit(*MUX)
    assert (model.tree_, model.n_optimal_trees_) == (auto.tree_, auto.n_optimal_trees_)


@pytest.mark.parametrize(
    "selection", ["consensus", "teacher", "teacher-extra-trees", "holdout", "first", Consensus(50)]
)
def test_the_same_seed_chooses_the_same_tree(selection: Any) -> None:
    """Byte for byte the same JSON, whatever n_jobs is."""
    texts = {
        PureTreeClassifier(selection=selection, random_state=3, n_jobs=n_jobs)
        .fit(IRIS.table, IRIS.target)
        .tree_.to_json()
        for n_jobs in (None, 1, 2)
    }
    assert len(texts) == 1


def test_wishes_are_kept() -> None:
    """Root, forbidden columns and depth hold for the tree and for all trees beside it."""
    model = PureTreeClassifier(root="petal width", forbidden=["sepal length"], random_state=0)
    model.fit(IRIS.table, IRIS.target)
    root = model.tree_.predicate(int(model.tree_.feature[0]))
    assert root.column.name == "petal width"
    assert all(question.predicate.column.name != "sepal length" for question in model.trees_.features())
    with pytest.raises(InfeasibleError, match="at most 2 tests"):
        PureTreeClassifier(max_depth=2).fit(IRIS.table, IRIS.target)


def test_dear_columns_are_avoided() -> None:
    """Of the smallest trees the cheapest are left, and the chosen one is one of them."""
    costs = {"petal width": 10}
    model = PureTreeClassifier(feature_costs=costs, random_state=0).fit(IRIS.table, IRIS.target)
    free = minimum_trees(IRIS.table, IRIS.target)

    def cost(tree: Any) -> int:
        columns = [tree.predicate(int(feature)).column.name for feature in tree.feature if feature >= 0]
        return sum(costs.get(column, 1) for column in columns)

    cheapest = min(map(cost, free))
    assert model.trees_.count == sum(cost(tree) == cheapest for tree in free)
    assert cost(model.tree_) == cheapest == model.outcome_.cost


# When there is too little time


def test_the_limit_leaves_a_tree_and_a_warning() -> None:
    """Within a second of the limit there is a pure tree with both bounds, and a warning says that it is not proved."""
    start = time.monotonic()
    with pytest.warns(UnfinishedWarning, match="the minimum lies between"):
        model = PureTreeClassifier(time_limit=1).fit(*NOISE)
    assert time.monotonic() - start < 3  # a second on a machine that is not busy
    assert (model.predict(NOISE[0]) == NOISE[1]).all()
    assert model.status_ == "time_limit"
    assert model.lower_bound_ < model.upper_bound_ == model.n_nodes_
    assert model.n_optimal_trees_ is None
    assert list(model.trees_) == [model.tree_]


def test_a_proof_without_all_trees_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the minimum is proved but not all trees of its size are found, a warning says so."""

    def no_time(*arguments: Any, **options: Any) -> Any:
        raise UnfinishedError("no time", minimum_tree(*MUX))

    monkeypatch.setattr("puretree.selection.candidates.grow_forest", no_time)
    monkeypatch.setattr("puretree.problem.prepared.Prepared.decode", lambda self, outcome: outcome)
    with pytest.warns(UnfinishedWarning, match="proved to be smallest.*none beside it"):
        model = PureTreeClassifier().fit(*MUX)
    assert model.status_ == "optimal"
    assert not model.selection_scores_["is_exact"]
    assert model.n_optimal_trees_ is None


def test_ctrl_c_leaves_a_tree_and_a_warning() -> None:
    """So does Ctrl-C."""
    threading.Timer(0.7, signal.raise_signal, [signal.SIGINT]).start()
    with pytest.warns(UnfinishedWarning, match="Ctrl-C"):
        model = PureTreeClassifier().fit(*NOISE)
    assert model.status_ == "interrupted"
    assert (model.predict(NOISE[0]) == NOISE[1]).all()


# What comes out


def test_select_chooses_again() -> None:
    """Other rows choose another tree of the same forest, the most accurate on them; nothing is solved again."""
    test = IRIS.table.take(np.arange(0, 150, 3))
    labels = np.roll(IRIS.target[::3], 1)
    model = PureTreeClassifier(random_state=0).fit(IRIS.table, IRIS.target)
    before = model.trees_
    assert model.select(test, labels) is model
    assert model.trees_ is before
    assert model.score(test, labels) == before.best(test, labels).accuracy
    assert model.selection_scores_["rule"] == "holdout"
    with pytest.raises(InputError, match=r"no tree knows any label.*same kind"):
        model.select(test, range(len(labels)))


def test_probabilities_of_leaves_and_of_all_trees() -> None:
    """Leaves of a pure tree are sure; the share of all smallest trees is less so on new rows."""
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


def test_it_works_with_scikit_learns_tools() -> None:
    """Pipeline, grid search and cross-validation need nothing special."""
    X, y = np.asarray(list(IRIS.table.to_dict().values())).T, IRIS.target
    pipeline = make_pipeline(StandardScaler(), PureTreeClassifier(random_state=0))
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.9
    grid = GridSearchCV(
        PureTreeClassifier(random_state=0, on_conflict="majority"), {"binarize": ["thresholds", BitsBinarizer()]}, cv=3
    )
    assert grid.fit(X, y).best_score_ > 0.85


def test_it_can_be_copied_and_stored() -> None:
    """Clones have the parameters, pickles the tree, the forest and the proof."""
    model = PureTreeClassifier(selection=Teacher(n_rows=100), random_state=0).fit(LOANS, REPAID)
    assert clone(model).get_params()["selection"] == Teacher(n_rows=100)
    copy = pickle.loads(pickle.dumps(model))
    assert copy.tree_ == model.tree_
    assert copy.trees_.count == model.trees_.count
    assert copy.certificate_ == model.certificate_
    assert (copy.predict(LOANS) == model.predict(LOANS)).all()


def test_progress_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """With verbose=1 both bounds and the time come as they improve."""
    PureTreeClassifier(verbose=1).fit(LOANS, REPAID)
    assert "nodes 5 ≤ min ≤ 5" in capsys.readouterr().out


def test_the_certificate_tells_the_wishes() -> None:
    """Two claims of a minimum for the same data are told apart by what was asked of the trees."""
    free = PureTreeClassifier().fit(LOANS, REPAID).certificate_
    assert free["claim"]["wishes"] == {"max_depth": None, "root": None, "forbidden": []}
    first, second = LOANS.columns[:2]
    steered = PureTreeClassifier(max_depth=np.int64(5), root=first, forbidden=[second]).fit(LOANS, REPAID)
    assert steered.certificate_["claim"]["wishes"] == {"max_depth": 5, "root": [first], "forbidden": [second]}
    assert steered.set_params(max_depth=9).certificate_["claim"]["wishes"]["max_depth"] == 5


def test_the_certificate_tells_the_data() -> None:
    """The claim, the tree and a hash of the data: another value, name, label or order makes another hash."""
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


def test_rules_explanations_and_pictures() -> None:
    """What people read and see is one call away."""
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
def test_scikit_learns_tree_knows_the_columns_by_name(library: Any) -> None:
    """Columns in another order are refused as scikit-learn refuses them, never answered wrongly."""
    X, y = library({"a": [1.0, 2.0, 3.0, 4.0], "b": [4.0, 1.0, 9.0, 2.0]}), [0, 0, 1, 1]
    model = PureTreeClassifier(random_state=0).fit(X, y)
    if not hasattr(model, "feature_names_in_"):
        pytest.skip("this scikit-learn does not see the names of this polars")
    tree = model.to_sklearn()
    assert tree.predict(X).tolist() == y
    with pytest.raises(ValueError, match="feature names should match"):
        tree.predict(X[["b", "a"]])
    assert export_text(tree, feature_names=tree.feature_names_in_).startswith("|--- a <= 2.50")
    assert plot_tree(tree, feature_names=tree.feature_names_in_)[0].get_text().startswith("a <= 2.5")
    columns = {
        "colour": ["red", "green", None, "blue"],
        "size": [1.0, 2.0, 2.0, None],
        "new": [True, False, True, True],
    }
    X = library(columns)
    pipeline = PureTreeClassifier(random_state=0).fit(X, y).to_sklearn()
    assert pipeline.predict(X).tolist() == y
    assert pipeline.predict(X[["new", "size", "colour"]]).tolist() == y


def test_scikit_learns_tree_has_no_names_that_the_classifier_has_not() -> None:
    """Arrays, and data frames whose columns are numbered, are taken by place and without a warning."""
    for X in (NOISE[0][:20], pd.DataFrame(NOISE[0][:20]), LOANS.set_axis(range(3), axis=1)):
        y = REPAID if len(X) == len(REPAID) else NOISE[1][:20].tolist()
        tree = PureTreeClassifier(random_state=0).fit(X, y).to_sklearn()
        assert not hasattr(tree, "feature_names_in_")
        assert tree.predict(X).tolist() == y


def test_onnx_of_a_data_frame() -> None:
    """A classifier that knows names still writes a model, with text and without."""
    onnx = pytest.importorskip("puretree.export.onnx")
    pytest.importorskip("onnxruntime")
    for X in (LOANS[["income", "smoker"]], LOANS.fillna({"housing": "none"})):
        model = PureTreeClassifier(random_state=0).fit(X, REPAID)
        assert list(onnx.onnx_answers(model.export("onnx"), model.tree_, X)) == REPAID


def test_a_notebook_shows_tree_and_proof() -> None:
    """The card has the drawing, the badge and the number of trees; names from the data are text."""
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


# What cannot be


@pytest.mark.parametrize(
    "method", ["predict", "predict_proba", "rules", "plot", "export", "to_sklearn", "explain", "select"]
)
def test_nothing_comes_out_before_training(method: str) -> None:
    """Every method says that fit comes first."""
    arguments = {"predict": (LOANS,), "predict_proba": (LOANS,), "explain": ([1],), "select": (LOANS, REPAID)}
    with pytest.raises(NotFittedError):
        getattr(PureTreeClassifier(), method)(*arguments.get(method, ()))


@pytest.mark.parametrize("attribute", ["tree_", "trees_", "n_optimal_trees_", "certificate_", "n_nodes_"])
def test_no_attribute_before_training(attribute: str) -> None:
    """Fitted attributes are not there."""
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
        ({"selection": None}, "selection=None"),
        ({"engine": None}, "engine=None"),
        ({"delta": 2}, "delta"),
        ({"selection_size": 0}, "selection_size"),
        ({"on_conflict": "ignore"}, "on_conflict"),
        ({"max_depth": 0}, "max_depth"),
        ({"root": "age"}, "root.*'age'"),
        ({"forbidden": ["age"]}, "forbidden.*'age'"),
        ({"feature_costs": {"age": 3}}, "costs.*'age'"),
        ({"time_limit": -1}, "time_limit"),
        ({"memory_limit": 0}, "memory_limit"),
        ({"probabilities": "magic"}, "probabilities"),
    ],
)
def test_bad_parameters_are_named(parameters: dict[str, Any], words: str) -> None:
    """The error names the parameter."""
    with pytest.raises((InputError, ValueError), match=words):
        PureTreeClassifier(**parameters).fit(LOANS, REPAID)
