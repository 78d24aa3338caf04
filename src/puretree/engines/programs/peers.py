"""Third-party solvers as a program: ``peers.py NAME BYTES`` reads a problem and requests, and prints answers.

It depends only on NumPy and the peers. The first line of its standard input holds the numbers of examples and features;
the packed examples, their classes and weights follow as bytes. Then every line is a request in JSON, and the answer to
it a line of JSON; CP-SAT prints a line for each tree before.

A peer for best accuracy gets a depth and a time limit in seconds (0: no limit). It returns its tree as nested lists
(feature, no, yes), the number of misclassified rows, and whether it claims that the tree is optimal. scikit-learn gets
the arguments of :func:`grow_tree`, and returns the arrays of the tree. CP-SAT gets those of ``cp_tree.find_trees``.
"""

import importlib
import json
import os
import runpy
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

START = time.monotonic()
NO_LIMIT = 1e9  # seconds, for a peer that requires a limit


def run_dl85(rows: Any, labels: Any, weights: Any, depth: int, seconds: float) -> dict[str, Any]:
    """Run the compiled core of pydl8.5.

    The package around it imports distutils, which Python 3.12 no longer has, and cvxpy, which only its boosting needs.
    """
    core = importlib.import_module("dl85Optimizer")
    codes, indices = np.unique(labels, return_inverse=True)
    text = core.solve(
        data=rows.astype(np.int32),
        target=indices.astype(np.int32),
        tec_func_=None,
        sec_func_=None,
        te_func_=None,
        max_depth=depth,
        min_sup=1,
        example_weights=weights.astype(float).tolist(),
        max_error=0,  # no bound
        stop_after_better=False,
        time_limit=max(1, int(seconds)) if seconds else 0,  # integer seconds; 0: no limit
        verb=False,
        desc=False,
        asc=False,
        repeat_sort=False,
        predictor=False,
        cachetype=core.CacheType.CacheTrieItemset,
        cachesize=0,  # no bound
        wipetype=core.WipeType.Subnodes,
        wipefactor=0.5,
        withcache=True,
        usespecial=False,
        useub=True,
        similar_lb=False,
        dyn_branch=True,
        similar_for_branching=False,
    )
    fields = dict(line.split(": ", 1) for line in text.splitlines() if ": " in line)
    if not fields["Tree"].startswith("{"):
        return {"tree": None}
    return {
        "tree": dl85_tree(json.loads(fields["Tree"]), codes.tolist()),
        "errors": round(float(fields["Error"])),
        "is_optimal": fields["Timeout"] == "False",
    }


def dl85_tree(node: Any, codes: list[int]) -> Any:
    """Convert a tree of pydl8.5, where yes is the left child."""
    if "feat" not in node:
        return codes[int(node["value"])]
    return [node["feat"], dl85_tree(node["right"], codes), dl85_tree(node["left"], codes)]


def run_streed(rows: Any, labels: Any, weights: Any, depth: int, seconds: float) -> dict[str, Any]:
    """Run pystreed, which takes no weights: a row of weight three is repeated three times."""
    streed = importlib.import_module("pystreed")
    rows, labels = np.repeat(rows.astype(np.intc), weights, axis=0), np.repeat(labels, weights)
    codes, indices = np.unique(labels, return_inverse=True)
    model = streed.STreeDClassifier(max_depth=depth, time_limit=seconds or NO_LIMIT)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a time limit without any tree is handled below
        model.fit(rows, indices)
    if not model.is_fitted():
        return {"tree": None}
    return {
        "tree": streed_tree(model.get_tree(), codes.tolist()),
        "errors": int((model.predict(rows) != indices).sum()),
        "is_optimal": model.fit_result.is_optimal(),
    }


def streed_tree(node: Any, codes: list[int]) -> Any:
    """Convert a tree of pystreed, where no is the left child."""
    if node.is_leaf_node():
        return codes[int(node.label)]
    return [int(node.feature), streed_tree(node.left_child, codes), streed_tree(node.right_child, codes)]


def grow_tree(
    rows: Any,
    labels: Any,
    weights: Any,
    *,
    seed: int,
    max_depth: int | None,
    is_best_first: bool,
    examples: list[int] | None = None,
) -> list[Any]:
    """Grow a tree with scikit-learn, on some examples, until it is pure or reaches the maximum depth.

    Returns
    -------
    list of ndarray
        For each node the feature, the left and the right child (-1: none) and the most frequent class.
    """
    tree = importlib.import_module("sklearn.tree")
    chosen = slice(None) if examples is None else examples
    rows = rows[chosen].astype(np.float32)
    model = tree.DecisionTreeClassifier(
        max_depth=max_depth, max_leaf_nodes=max(2, len(rows)) if is_best_first else None, random_state=seed
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a warning about many classes would not help here
        model.fit(rows, labels[chosen], sample_weight=weights[chosen])
    nodes = model.tree_
    label = model.classes_[nodes.value[:, 0, :].argmax(axis=1)]
    return [nodes.feature, nodes.children_left, nodes.children_right, label]


def run_sklearn(rows: Any, labels: Any, weights: Any, **request: Any) -> list[list[int]]:
    """Grow a tree with scikit-learn; see :func:`grow_tree`."""
    return [array.tolist() for array in grow_tree(rows, labels, weights, **request)]


def run_cp_sat(rows: Any, labels: Any, weights: Any, **request: Any) -> dict[str, Any]:
    """Find small pure trees with CP-SAT; the model has a file of its own, which is loaded by its path."""
    find_trees = runpy.run_path(str(Path(__file__).with_name("cp_tree.py")))["find_trees"]
    answer: dict[str, Any] = find_trees(rows, labels, **request)
    return answer


PEERS: dict[str, Callable[..., Any]] = {
    "dl85": run_dl85,
    "streed": run_streed,
    "scikit-learn": run_sklearn,
    "cp-sat": run_cp_sat,
}
MODULES = {
    "dl85": "dl85Optimizer",
    "streed": "pystreed",
    "scikit-learn": "sklearn.tree",
    "cp-sat": "ortools.sat.python.cp_model",
}


def main(name: str, max_bytes: str) -> None:
    """Read a problem, and print the answers of a peer to all requests."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # native code prints to stderr, so that stdout holds only the answers
    with suppress(ImportError):  # not on every system
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (int(max_bytes), int(max_bytes)))

    def send(answer: Any) -> None:
        print(json.dumps(answer), file=out, flush=True)

    problem = read_problem(sys.stdin.buffer)
    importlib.import_module(MODULES[name])  # takes seconds, which count towards the time limit
    for line in sys.stdin.buffer:
        request = json.loads(line)
        if request.get("seconds"):
            request["seconds"] = max(0.01, request["seconds"] - (time.monotonic() - START))
        if name == "cp-sat":
            request["send"] = send
        send(PEERS[name](*problem, **request))


def read_problem(stream: Any) -> tuple[Any, Any, Any]:
    """Return the examples as a matrix of booleans, their classes, and their weights."""
    n_examples, n_features = json.loads(stream.readline())
    n_bytes = -(-n_features // 64) * 8
    words = np.frombuffer(stream.read(n_examples * n_bytes), np.uint8).reshape(n_examples, n_bytes)
    rows = np.unpackbits(words, axis=1, count=n_features, bitorder="little").view(np.bool_)
    return rows, np.frombuffer(stream.read(4 * n_examples), "<i4"), np.frombuffer(stream.read(8 * n_examples), "<i8")


if __name__ == "__main__":
    main(*sys.argv[1:])
