"""Third-party solvers as a program: ``peers.py NAME FEATURES DEPTH SECONDS BYTES`` prints a line of JSON.

It reads the packed examples, their classes and weights in NumPy's format from its standard input, and depends only on
NumPy and the peers. A peer gets these, a depth and a time limit in seconds (0: no limit). It returns its tree as nested
lists (feature, no, yes), the number of misclassified rows, and whether it claims that the tree is optimal.
"""

import importlib
import json
import os
import sys
import time
import warnings
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


PEERS = {"dl85": run_dl85, "streed": run_streed}
MODULES = {"dl85": "dl85Optimizer", "streed": "pystreed"}


def main(name: str, n_features: str, depth: str, seconds: str, memory: str) -> None:
    """Read a problem and print the answer of a peer."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # native code prints to stderr, so that stdout holds only the answer
    if int(memory):
        import resource  # only where the amount of memory is known

        resource.setrlimit(resource.RLIMIT_AS, (int(memory), int(memory)))
    words, labels, weights = (np.lib.format.read_array(sys.stdin.buffer) for _ in range(3))
    rows = np.unpackbits(words.astype("<u8", copy=False).view(np.uint8), 1, int(n_features), "little").view(np.bool_)
    importlib.import_module(MODULES[name])  # takes seconds, which count towards the time limit
    remaining = max(0.01, float(seconds) - (time.monotonic() - START)) if float(seconds) else 0.0
    answer = PEERS[name](rows, labels, weights, int(depth), remaining)
    print(json.dumps(answer), file=out, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
