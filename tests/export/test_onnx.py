"""Export to ONNX."""

import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from puretree import InputError, Tree, minimum_tree
from puretree.export import export_tree
from puretree.export.onnx import predict_with_onnx, to_onnx

pytest.importorskip("skl2onnx")
pytest.importorskip("onnxruntime")

cells = st.sampled_from([-1.5, 0.0, 1.0, 2.25, 1e6, None])


@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(cells, cells), min_size=2, max_size=12, unique=True), st.sampled_from(["thresholds", "bits"]))
def test_numbers_with_missing_values(rows: list[Any], binarize: str) -> None:
    """The model predicts the training rows and all other rows as the tree does."""
    y = [str(i % 3) for i in range(len(rows))]
    tree = minimum_tree(rows, y, binarize=binarize, on_conflict="majority").tree
    assert tree is not None
    model = export_tree(tree, "onnx", rows, tree.predict(rows))
    others = [[a, b] for a in (-9.0, 0.0, 1.0, 2.0, 1e7, None) for b in (-9.0, 0.0, 1.0, 2.0, 1e7, None)]
    assert isinstance(model, bytes)
    predictions = predict_with_onnx(model, tree, others)
    assert predictions is not None
    assert list(predictions) == tree.predict(others).tolist()


@pytest.mark.parametrize("binarize", ["thresholds", "bits"])
def test_text(binarize: str) -> None:
    """A table with text has one input per column, and unseen levels are predicted as by the tree."""
    import onnxruntime

    columns = {"<colour>": list("abcabcabc"), "_": np.arange(9.0), "colour": list("xxxyyyzzz")}
    X, y = pd.DataFrame(columns), [0, 1, 0, 1, 1, 0, 0, 0, 1]
    tree = minimum_tree(X, y, binarize=binarize, forbidden=["_"]).tree
    assert tree is not None
    model = to_onnx(tree, X, y)
    assert list(predict_with_onnx(model, tree, X) or []) == y
    other = X.assign(colour=list("xyzwxyzwx"))
    assert list(predict_with_onnx(model, tree, other) or []) == tree.predict(other).tolist()
    reordered = X[X.columns[::-1]]  # the inputs follow the order of the columns of X
    assert list(predict_with_onnx(to_onnx(tree, reordered, y), tree, reordered) or []) == y
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    assert [node.name for node in session.get_inputs()] == ["colour", "x1", "colour_2"]


def test_unsupported_exports_are_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Missing text, missing training rows and a missing skl2onnx each raise an error that names the remedy."""
    X, y = [["red"], ["blue"], [None]], ["a", "b", "c"]
    tree = minimum_tree(X, y).tree
    assert tree is not None
    with pytest.raises(InputError, match=r"'x0' is text with missing values.*replace the missing values"):
        to_onnx(tree, X, y)
    with pytest.raises(InputError, match="needs the training rows"):
        export_tree(tree, "onnx")
    monkeypatch.setitem(sys.modules, "skl2onnx", None)
    with pytest.raises(InputError, match=r"puretree\[onnx\]"):
        to_onnx(Tree.from_nested((0, "a", "b")), [[0], [1]], ["a", "b"])
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    assert predict_with_onnx(b"", tree, X) is None
