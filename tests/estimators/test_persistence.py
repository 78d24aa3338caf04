"""Saving and loading classifiers: predictions are equal, and invalid files are rejected, never executed."""

import json
import stat
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from puretree import (
    BitsBinarizer,
    ConflictWarning,
    DataNotFoundError,
    Forest,
    FormatError,
    InputError,
    PureTreeClassifier,
    PuretreeError,
    Search,
)
from puretree.cli import main
from puretree.estimators.persistence import SavedModel
from puretree.selection import Teacher

skops = pytest.importorskip("skops.io")

TRUSTED = ["puretree.estimators.pure_tree.PureTreeClassifier"]
LOANS = pd.DataFrame(
    {
        "income": [2100.0, 3400.0, None, 5200.0, 1800.0, 4100.0],
        "housing": ["rent", "own", "rent", "own", None, "rent"],
        "smoker": [True, False, False, True, True, False],
    }
)
REPAID = ["no", "yes", "no", "yes", "no", "yes"]
NEW = pd.DataFrame({"income": [0.0, None, 9999.0], "housing": ["own", None, "boat"], "smoker": [None, True, False]})


def fitted(**parameters: Any) -> PureTreeClassifier:
    """Return a classifier fitted to the loans."""
    return PureTreeClassifier(random_state=0, **parameters).fit(LOANS, REPAID)


def by_json(model: PureTreeClassifier, folder: Path) -> PureTreeClassifier:
    """Save a model as JSON and load it."""
    model.save(folder / "model.json")
    return PureTreeClassifier.load(folder / "model.json")


def by_skops(model: PureTreeClassifier, folder: Path) -> PureTreeClassifier:
    """Save and load a model with skops, trusting only the type of the classifier."""
    skops.dump(model, folder / "model.skops")
    assert skops.get_untrusted_types(file=folder / "model.skops") == TRUSTED
    return skops.load(folder / "model.skops", trusted=TRUSTED)


@pytest.mark.parametrize("store", [by_json, by_skops])
def test_more_trees_than_python_converts_to_text(store: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A number of trees of more than 4,300 digits is saved and loaded exactly, and shown in a notebook."""
    monkeypatch.setattr(Forest, "count", property(lambda self: 7**6000))
    model = fitted(selection="first")
    loaded = store(model, tmp_path)
    assert loaded.n_optimal_trees_ == model.n_optimal_trees_ == 7**6000
    assert loaded.selection_scores_ == model.selection_scores_
    for card in (model._repr_html_(), loaded._repr_html_()):
        assert "one of about 3.87e5070 minimum trees" in card
    assert "about 3.87e5070 minimum trees" in repr(SavedModel.from_json(model.to_json()))


@pytest.mark.parametrize("store", [by_json, by_skops])
def test_a_loaded_model_equals_the_saved_one(store: Any, tmp_path: Path) -> None:
    """Predictions, probabilities, explanations, names, bounds, claim and parameters are equal."""
    model = fitted(max_depth=4)
    loaded = store(model, tmp_path)
    for X in (LOANS, NEW):
        assert loaded.predict(X).tolist() == model.predict(X).tolist()
        assert (loaded.predict_proba(X) == model.predict_proba(X)).all()
    assert loaded.classes_.tolist() == ["no", "yes"]
    assert loaded.feature_names_in_.tolist() == list(LOANS)
    assert (loaded.tree_, loaded.n_nodes_, loaded.n_features_in_) == (model.tree_, model.n_nodes_, 3)
    assert (loaded.lower_bound_, loaded.upper_bound_, loaded.status_) == (5, 5, "optimal")
    assert loaded.certificate_ == model.certificate_
    assert loaded.n_optimal_trees_ == model.n_optimal_trees_
    assert loaded.selection_scores_ == model.selection_scores_
    assert loaded.get_params() == model.get_params()
    assert str(loaded.explain(LOANS.iloc[[0]])) == str(model.explain(LOANS.iloc[[0]]))
    assert loaded.export("python") == model.export("python")
    assert loaded.outcome_.is_minimum
    assert "proved minimum" in loaded._repr_html_()
    with pytest.raises(ValueError, match="feature names should match"):
        loaded.predict(LOANS[["smoker", "income", "housing"]])


def test_equal_models_give_equal_files(tmp_path: Path) -> None:
    """Two equal fits, and a model that was loaded and saved, give the same bytes."""
    first, second = fitted(), fitted()
    assert first.to_json() == second.to_json() == by_json(first, tmp_path).to_json()
    assert PureTreeClassifier.from_json(first.to_json()).to_json() == first.to_json()
    assert skops.loads(skops.dumps(first), trusted=TRUSTED).to_json() == first.to_json()


def test_class_frequencies_and_label_types_are_saved(tmp_path: Path) -> None:
    """Frequencies of contradictory rows and types of labels are restored; arrays have no feature names."""
    for labels in ([0, 0, 1, 1], [False, False, True, True], ["a", "a", "b", "b"], [0.0, 0.0, 1.0, 1.0]):
        with pytest.warns(ConflictWarning):
            model = PureTreeClassifier(random_state=0).fit([[0], [0], [0], [1]], labels)
        loaded = by_json(model, tmp_path)
        assert loaded.predict_proba([[0], [1]])[:, 0] == pytest.approx([2 / 3, 0])
        assert loaded.predict([[0], [1]]).dtype == model.predict([[0], [1]]).dtype
        assert not hasattr(loaded, "feature_names_in_")
    dropping = PureTreeClassifier(on_conflict="drop").fit([[0], [0], [2], [1]], [0, 1, 0, 1])
    assert (by_json(dropping, tmp_path).predict_proba([[0], [1]]) == dropping.predict_proba([[0], [1]])).all()


def test_saving_keeps_the_permissions(tmp_path: Path) -> None:
    """A model that only its owner can read stays so when it is saved again."""
    path = tmp_path / "model.json"
    fitted().save(path)
    path.chmod(0o600)
    fitted(max_depth=3).save(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert PureTreeClassifier.load(path).max_depth == 3


def test_methods_that_need_the_training_rows_raise_an_error(tmp_path: Path) -> None:
    """All trees, another selection, a scikit-learn tree and ONNX need the training rows; after a new fit they work."""
    model = by_json(fitted(), tmp_path)
    assert not hasattr(model, "trees_")
    with pytest.raises(InputError, match="training rows"):
        model.trees_  # noqa: B018
    with pytest.raises(InputError, match="training rows"):
        model.select(LOANS, REPAID)
    with pytest.raises(InputError, match="training rows"):
        model.to_sklearn()
    with pytest.raises(InputError, match="training rows, but the classifier was loaded from a file without them"):
        model.export("onnx")
    assert "income" in str(model.export("sql"))
    with pytest.raises(InputError, match="training rows"):
        model.set_params(probabilities="trees").predict_proba(LOANS)
    assert model.fit(LOANS, REPAID).trees_.count == fitted().trees_.count


def test_parameters_that_are_objects(tmp_path: Path) -> None:
    """JSON replaces them by their defaults; skops stores those of trusted types."""
    model = fitted(engine=Search(), binarize=BitsBinarizer(), selection=Teacher(n_rows=100), feature_costs={0: 2})
    loaded = by_json(model, tmp_path)
    assert (loaded.engine, loaded.binarize, loaded.feature_costs) == ("auto", "thresholds", None)
    assert loaded.predict(NEW).tolist() == model.predict(NEW).tolist()
    data = skops.dumps(model)
    types = skops.get_untrusted_types(data=data)
    assert all(name.startswith("puretree.") for name in types)
    assert skops.loads(data, trusted=types).selection == Teacher(n_rows=100)


def test_unfitted_classifiers(tmp_path: Path) -> None:
    """Only fitted classifiers are saved as JSON; skops stores the parameters of others."""
    with pytest.raises(NotFittedError):
        PureTreeClassifier().save(tmp_path / "model.json")
    loaded = skops.loads(skops.dumps(PureTreeClassifier(max_depth=3)), trusted=TRUSTED)
    assert loaded.max_depth == 3
    assert not hasattr(loaded, "tree_")


def test_a_run_folder_is_loaded_as_a_classifier(tmp_path: Path) -> None:
    """A run of ``puretree fit --out`` is loaded as a classifier, which predicts like the command."""
    LOANS.assign(repaid=REPAID).to_csv(tmp_path / "loans.csv", index=False)
    folder = tmp_path / "run"
    assert main(["fit", str(tmp_path / "loans.csv"), "--target", "repaid", "--out", str(folder), "--quiet"]) == 0
    model = PureTreeClassifier.load(folder)
    table = pd.read_csv(tmp_path / "loans.csv").drop(columns="repaid").astype({"smoker": str})
    assert model.predict(table).tolist() == REPAID
    assert model.feature_names_in_.tolist() == list(LOANS)
    assert model.status_ == "optimal"
    with pytest.raises(InputError, match="training rows"):
        model.select(table, REPAID)


def test_commands_read_a_saved_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """``puretree predict`` accepts the file of a classifier."""
    fitted().save(tmp_path / "model.json")
    LOANS.to_csv(tmp_path / "loans.csv", index=False)
    assert main(["predict", str(tmp_path / "model.json"), str(tmp_path / "loans.csv")]) == 0
    assert capsys.readouterr().out.split() == ["prediction", *REPAID]


# Invalid files


def foreign_files() -> dict[str, bytes]:
    """Return files that are not saved classifiers."""
    text = fitted().to_json()
    return {
        "empty": b"",
        "a picture": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        "other JSON": b'{"hello": [1, 2, 3]}',
        "a number": b"7",
        "null": b"null",
        "truncated": text.encode()[: len(text) // 2],
        "an older version": text.replace("puretree model 2", "puretree model 1").encode(),
        "a newer version": text.replace("puretree model 2", "puretree model 3").encode(),
        "a tree": fitted().tree_.to_json().encode(),
        "not UTF-8": text.encode("utf-16"),
        "nested": b"[" * 100_000,
        "a huge number": text.replace('"n_trees": ', '"n_trees": ' + "9" * 5000).encode(),
        "NaN": text.replace('"cost": ', '"cost": NaN, "was": ').encode(),
        "a number that is not finite": text.replace('"max_depth": null', '"max_depth": 1e999').encode(),
        "bad parameters": text.replace('"max_depth": null', '"max_depth": -1').encode(),
        "a pickle": b"\x80\x04cos\nsystem\n(S'touch /tmp/x'\ntR.",
    }


@pytest.mark.parametrize("kind", list(foreign_files()))
def test_other_files_are_rejected(kind: str, tmp_path: Path) -> None:
    """A file that is not a saved classifier is a FormatError that names the file."""
    path = tmp_path / "other.json"
    path.write_bytes(foreign_files()[kind])
    with pytest.raises(FormatError, match=r"other\.json"):
        PureTreeClassifier.load(path)


def test_missing_files_and_folders_without_a_run(tmp_path: Path) -> None:
    """A folder without a run is a FormatError, and a missing file a DataNotFoundError."""
    with pytest.raises(FormatError, match="is a folder but not a run"):
        PureTreeClassifier.load(tmp_path)
    with pytest.raises(DataNotFoundError, match="there is no file"):
        PureTreeClassifier.load(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["outcome", "status"], "magic", "status"),
        (["outcome", "lower_bound"], "5", "lower_bound"),
        (["outcome", "lower_bound"], 7, "bounds"),
        (["outcome", "upper_bound"], 9, "bounds"),
        (["outcome", "minimised"], "beauty", "objective"),
        (["outcome", "leaf_shares"], [], "leaf_shares"),
        (["outcome", "parameters", "max_depth"], -3, "max_depth"),
        (["outcome", "parameters", "n_trees"], {"a": 1}, "n_trees"),
        (["certificate", "tree"], "0", "certificate"),
        (["data", "columns"], ["income"], "1 column, the tree"),
        (["feature_names"], ["a", "b", "c"], "feature_names"),
        (["tree", "nodes", 0, "left"], 3, "breadth first"),
        (["tree", "n_columns"], None, "n_columns"),
    ],
)
def test_invalid_fields_are_named(path: list[Any], value: Any, message: str) -> None:
    """A field with an invalid value is a FormatError that names it."""
    data = json.loads(fitted(max_depth=4).to_json())
    inner = data
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    with pytest.raises(FormatError, match=message):
        PureTreeClassifier.from_json(json.dumps(data))


def test_a_failed_save_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the disk is full, the old file is unchanged, and no temporary file is left."""
    path = tmp_path / "model.json"
    fitted().save(path)
    before = path.read_bytes()

    def raise_disk_full(*arguments: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", raise_disk_full)
    with pytest.raises(OSError, match="No space"):
        fitted(max_depth=3).save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


# Malicious files


class Bomb:
    """An object whose pickle executes code when it is loaded."""

    def __reduce__(self) -> tuple[Any, ...]:
        return exec, ("raise SystemExit('executed')",)


def test_skops_rejects_an_untrusted_type(monkeypatch: pytest.MonkeyPatch) -> None:
    """An untrusted type is never created, also if it is nested in a parameter."""
    model = fitted()
    model.verbose = Bomb()  # type: ignore[assignment]
    with monkeypatch.context() as forged:
        forged.setattr(PureTreeClassifier, "_validate_params", lambda self: None)
        data = skops.dumps(model)
    with pytest.raises(skops.exceptions.UntrustedTypesFoundException, match="Bomb"):
        skops.loads(data, trusted=TRUSTED)
    with pytest.raises(skops.exceptions.UntrustedTypesFoundException):
        skops.loads(skops.dumps(fitted()))


def test_a_changed_skops_file_is_rejected(tmp_path: Path) -> None:
    """The fit is stored as JSON that is checked: a changed field is an error, not another model."""
    skops.dump(fitted(), tmp_path / "model.skops")
    with zipfile.ZipFile(tmp_path / "model.skops") as archive:
        schema = archive.read("schema.json").decode()
    assert "lower_bound" in schema
    with zipfile.ZipFile(tmp_path / "changed.skops", "w") as archive:
        archive.writestr("schema.json", schema.replace("lower_bound", "lower_bond"))
    with pytest.raises(PuretreeError, match="lower_bound"):
        skops.load(tmp_path / "changed.skops", trusted=TRUSTED)


def test_loading_executes_nothing(tmp_path: Path) -> None:
    """Names and labels that look like code are not executed."""
    path = tmp_path / "executed"
    code = f"__import__('pathlib').Path({str(path)!r}).touch()"
    model = PureTreeClassifier().fit(pd.DataFrame({code: [0, 1], "{x}": [1, 1]}), [code, "no"])
    loaded = PureTreeClassifier.from_json(model.to_json())
    assert loaded.predict(pd.DataFrame({code: [0], "{x}": [1]})).tolist() == [code]
    assert not path.exists()
    assert np.array_equal(loaded.classes_, model.classes_)
    assert SavedModel.from_json(model.to_json()).run.tree == model.tree_
