"""Fitted classifiers in files: they predict alike, and a file that is not one is refused by name, never executed."""

import json
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
    """Return a classifier of the loans."""
    return PureTreeClassifier(random_state=0, **parameters).fit(LOANS, REPAID)


def by_json(model: PureTreeClassifier, folder: Path) -> PureTreeClassifier:
    """Write a model and read it back."""
    model.save(folder / "model.json")
    return PureTreeClassifier.load(folder / "model.json")


def by_skops(model: PureTreeClassifier, folder: Path) -> PureTreeClassifier:
    """Let skops do it, trusting nothing but the classifier's own type."""
    skops.dump(model, folder / "model.skops")
    assert skops.get_untrusted_types(file=folder / "model.skops") == TRUSTED
    return skops.load(folder / "model.skops", trusted=TRUSTED)


@pytest.mark.parametrize("store", [by_json, by_skops])
def test_a_model_comes_back_as_it_was(store: Any, tmp_path: Path) -> None:
    """Predictions, probabilities, explanations, names, bounds, the claim and the parameters are the same."""
    model = fitted(max_depth=4)
    again = store(model, tmp_path)
    for X in (LOANS, NEW):
        assert again.predict(X).tolist() == model.predict(X).tolist()
        assert (again.predict_proba(X) == model.predict_proba(X)).all()
    assert again.classes_.tolist() == ["no", "yes"]
    assert again.feature_names_in_.tolist() == list(LOANS)
    assert (again.tree_, again.n_nodes_, again.n_features_in_) == (model.tree_, model.n_nodes_, 3)
    assert (again.lower_bound_, again.upper_bound_, again.status_) == (5, 5, "optimal")
    assert again.certificate_ == model.certificate_
    assert again.n_optimal_trees_ == model.n_optimal_trees_
    assert again.selection_scores_ == model.selection_scores_
    assert again.get_params() == model.get_params()
    assert str(again.explain(LOANS.iloc[[0]])) == str(model.explain(LOANS.iloc[[0]]))
    assert again.export("python") == model.export("python")
    assert again.outcome_.is_minimum
    assert "proved minimum" in again._repr_html_()
    with pytest.raises(ValueError, match="feature names should match"):
        again.predict(LOANS[["smoker", "income", "housing"]])


def test_the_same_model_is_the_same_file(tmp_path: Path) -> None:
    """Two fits, and a model that was read and written again, give the same bytes."""
    one, other = fitted(), fitted()
    assert one.to_json() == other.to_json() == by_json(one, tmp_path).to_json()
    assert PureTreeClassifier.from_json(one.to_json()).to_json() == one.to_json()
    assert skops.loads(skops.dumps(one), trusted=TRUSTED).to_json() == one.to_json()


def test_conflicts_and_labels_of_any_kind_are_kept(tmp_path: Path) -> None:
    """Shares of contradicting rows are those of the fit, and labels keep their kind; arrays have no names."""
    for labels in ([0, 0, 1, 1], [False, False, True, True], ["a", "a", "b", "b"], [0.0, 0.0, 1.0, 1.0]):
        with pytest.warns(ConflictWarning):
            model = PureTreeClassifier(random_state=0).fit([[0], [0], [0], [1]], labels)
        again = by_json(model, tmp_path)
        assert again.predict_proba([[0], [1]])[:, 0] == pytest.approx([2 / 3, 0])
        assert again.predict([[0], [1]]).dtype == model.predict([[0], [1]]).dtype
        assert not hasattr(again, "feature_names_in_")
    dropping = PureTreeClassifier(on_conflict="drop").fit([[0], [0], [2], [1]], [0, 1, 0, 1])
    assert (by_json(dropping, tmp_path).predict_proba([[0], [1]]) == dropping.predict_proba([[0], [1]])).all()


def test_what_needs_the_training_rows_says_so(tmp_path: Path) -> None:
    """All trees, another choice and scikit-learn's tree are not in the file; a new fit has them."""
    model = by_json(fitted(), tmp_path)
    assert not hasattr(model, "trees_")
    with pytest.raises(InputError, match="training rows"):
        model.trees_  # noqa: B018
    with pytest.raises(InputError, match="training rows"):
        model.select(LOANS, REPAID)
    with pytest.raises(InputError, match="training rows"):
        model.to_sklearn()
    with pytest.raises(InputError, match="training rows"):
        model.set_params(probabilities="trees").predict_proba(LOANS)
    assert model.fit(LOANS, REPAID).trees_.count == fitted().trees_.count


def test_objects_among_the_parameters(tmp_path: Path) -> None:
    """JSON leaves them at their defaults; skops keeps those whose types one trusts."""
    model = fitted(engine=Search(), binarize=BitsBinarizer(), selection=Teacher(n_rows=100), feature_costs={0: 2})
    again = by_json(model, tmp_path)
    assert (again.engine, again.binarize, again.feature_costs) == ("auto", "thresholds", None)
    assert again.predict(NEW).tolist() == model.predict(NEW).tolist()
    data = skops.dumps(model)
    types = skops.get_untrusted_types(data=data)
    assert all(name.startswith("puretree.") for name in types)
    assert skops.loads(data, trusted=types).selection == Teacher(n_rows=100)


def test_before_training_there_is_nothing_to_save(tmp_path: Path) -> None:
    """Saving wants a fit; skops keeps the parameters of what has none."""
    with pytest.raises(NotFittedError):
        PureTreeClassifier().save(tmp_path / "model.json")
    again = skops.loads(skops.dumps(PureTreeClassifier(max_depth=3)), trusted=TRUSTED)
    assert again.max_depth == 3
    assert not hasattr(again, "tree_")


def test_a_run_folder_is_a_model(tmp_path: Path) -> None:
    """What ``puretree fit --out`` keeps can be loaded as a classifier, and predicts as the command does."""
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


def test_the_commands_read_a_saved_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """``puretree predict`` takes the file, too."""
    fitted().save(tmp_path / "model.json")
    LOANS.to_csv(tmp_path / "loans.csv", index=False)
    assert main(["predict", str(tmp_path / "model.json"), str(tmp_path / "loans.csv")]) == 0
    assert capsys.readouterr().out.split() == ["prediction", *REPAID]


# Files that are none


def foreign_files() -> dict[str, bytes]:
    """Return files of other kinds."""
    text = fitted().to_json()
    return {
        "empty": b"",
        "a picture": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        "other JSON": b'{"hello": [1, 2, 3]}',
        "a number": b"7",
        "null": b"null",
        "truncated": text.encode()[: len(text) // 2],
        "a newer version": text.replace("puretree model 1", "puretree model 2").encode(),
        "a tree": fitted().tree_.to_json().encode(),
        "not UTF-8": text.encode("utf-16"),
        "nested": b"[" * 100_000,
        "a huge number": text.replace('"n_trees": ', '"n_trees": ' + "9" * 5000).encode(),
        "NaN": text.replace('"cost": ', '"cost": NaN, "was": ').encode(),
        "a number beyond all": text.replace('"max_depth": null', '"max_depth": 1e999').encode(),
        "bad parameters": text.replace('"max_depth": null', '"max_depth": -1').encode(),
        "a pickle": b"\x80\x04cos\nsystem\n(S'touch /tmp/x'\ntR.",
    }


@pytest.mark.parametrize("kind", list(foreign_files()))
def test_other_files_are_refused_by_name(kind: str, tmp_path: Path) -> None:
    """Whatever is no saved classifier is a FormatError that names the file."""
    path = tmp_path / "given.json"
    path.write_bytes(foreign_files()[kind])
    with pytest.raises(FormatError, match=r"given\.json"):
        PureTreeClassifier.load(path)


def test_folders_and_files_that_are_not_there(tmp_path: Path) -> None:
    """A folder that is no run and a missing file are told apart."""
    with pytest.raises(FormatError, match="is a folder and no run"):
        PureTreeClassifier.load(tmp_path)
    with pytest.raises(DataNotFoundError, match="there is no file"):
        PureTreeClassifier.load(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("place", "value", "words"),
    [
        (["outcome", "status"], "magic", "status"),
        (["outcome", "lower_bound"], "5", "lower_bound"),
        (["outcome", "lower_bound"], 7, "bounds"),
        (["outcome", "upper_bound"], 9, "bounds"),
        (["outcome", "minimised"], "beauty", "minimised"),
        (["outcome", "leaf_shares"], [], "leaf_shares"),
        (["outcome", "parameters", "max_depth"], -3, "max_depth"),
        (["outcome", "parameters", "n_trees"], {"a": 1}, "n_trees"),
        (["certificate", "tree"], "0", "certificate"),
        (["data", "columns"], ["income"], "columns"),
        (["feature_names"], ["a", "b", "c"], "feature_names"),
        (["tree", "nodes", 0, "left"], 3, "breadth first"),
        (["tree", "n_columns"], None, "n_columns"),
    ],
)
def test_fields_that_do_not_fit_are_named(place: list[Any], value: Any, words: str) -> None:
    """A changed field is refused with its name."""
    data = json.loads(fitted(max_depth=4).to_json())
    inner = data
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    with pytest.raises(FormatError, match=words):
        PureTreeClassifier.from_json(json.dumps(data))


def test_a_failed_save_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file holds the old model or the new one, never a part."""
    path = tmp_path / "model.json"
    fitted().save(path)
    before = path.read_bytes()

    def full(*arguments: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        fitted(max_depth=3).save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


# Files that mean harm


class Bomb:
    """What a pickle would execute when it is read."""

    def __reduce__(self) -> tuple[Any, ...]:
        return exec, ("raise SystemExit('this ran')",)


def test_skops_refuses_a_foreign_type(monkeypatch: pytest.MonkeyPatch) -> None:
    """A type that was not trusted is never made, wherever in the model it hides."""
    model = fitted()
    model.verbose = Bomb()  # type: ignore[assignment]
    with monkeypatch.context() as forged:
        forged.setattr(PureTreeClassifier, "_validate_params", lambda self: None)
        data = skops.dumps(model)
    with pytest.raises(skops.exceptions.UntrustedTypesFoundException, match="Bomb"):
        skops.loads(data, trusted=TRUSTED)
    with pytest.raises(skops.exceptions.UntrustedTypesFoundException):
        skops.loads(skops.dumps(fitted()))


def test_a_changed_skops_file_is_refused(tmp_path: Path) -> None:
    """The fit inside is the checked JSON: with a changed field there is a FormatError, not another model."""
    skops.dump(fitted(), tmp_path / "model.skops")
    with zipfile.ZipFile(tmp_path / "model.skops") as archive:
        schema = archive.read("schema.json").decode()
    assert "lower_bound" in schema
    with zipfile.ZipFile(tmp_path / "changed.skops", "w") as archive:
        archive.writestr("schema.json", schema.replace("lower_bound", "lower_bond"))
    with pytest.raises(PuretreeError, match="lower_bound"):
        skops.load(tmp_path / "changed.skops", trusted=TRUSTED)


def test_reading_executes_nothing(tmp_path: Path) -> None:
    """Text in a model is text, however much it looks like code."""
    path = tmp_path / "ran"
    evil = f"__import__('pathlib').Path({str(path)!r}).touch()"
    model = PureTreeClassifier().fit(pd.DataFrame({evil: [0, 1], "{x}": [1, 1]}), [evil, "no"])
    again = PureTreeClassifier.from_json(model.to_json())
    assert again.predict(pd.DataFrame({evil: [0], "{x}": [1]})).tolist() == [evil]
    assert not path.exists()
    assert np.array_equal(again.classes_, model.classes_)
    assert SavedModel.from_json(model.to_json()).run.tree == model.tree_
