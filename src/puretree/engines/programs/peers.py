"""Systems of others as a program: ``peers.py NAME DEPTH SECONDS BYTES`` reads arrays and prints a line of JSON.

It knows numpy and the peers, and nothing else. A peer gets examples, classes, weights, a depth and seconds (0: no
limit), and returns its tree as nested lists (feature, no, yes), the rows that are wrong, and whether it claims that no
tree is better.
"""

import importlib
import io
import json
import os
import sys
import time
import warnings
from typing import Any

import numpy as np

BEGIN = time.monotonic()
LONG = 1e9  # seconds, for a peer that wants a limit


def ask_dl85(rows: Any, labels: Any, weights: Any, depth: int, seconds: float) -> dict[str, Any]:
    """Ask the compiled core of pydl8.5.

    The package around it imports distutils, which Python 3.12 no longer has, and cvxpy, which only its boosting needs.
    """
    core = importlib.import_module("dl85Optimizer")
    codes, places = np.unique(labels, return_inverse=True)
    text = core.solve(
        data=rows.astype(np.int32),
        target=places.astype(np.int32),
        tec_func_=None,
        sec_func_=None,
        te_func_=None,
        max_depth=depth,
        min_sup=1,
        example_weights=weights.astype(float).tolist(),
        max_error=0,  # no bound
        stop_after_better=False,
        time_limit=max(1, int(seconds)) if seconds else 0,  # whole seconds; 0: no limit
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
    told = dict(line.split(": ", 1) for line in text.splitlines() if ": " in line)
    if not told["Tree"].startswith("{"):
        return {"tree": None}
    return {
        "tree": dl85_tree(json.loads(told["Tree"]), codes.tolist()),
        "errors": round(float(told["Error"])),
        "is_optimal": told["Timeout"] == "False",
    }


def dl85_tree(node: Any, codes: list[int]) -> Any:
    """Return a tree of theirs, which goes left for yes."""
    if "feat" not in node:
        return codes[int(node["value"])]
    return [node["feat"], dl85_tree(node["right"], codes), dl85_tree(node["left"], codes)]


def ask_streed(rows: Any, labels: Any, weights: Any, depth: int, seconds: float) -> dict[str, Any]:
    """Ask pystreed, which takes no weights: a row of weight three is told three times."""
    streed = importlib.import_module("pystreed")
    rows, labels = np.repeat(rows.astype(np.intc), weights, axis=0), np.repeat(labels, weights)
    codes, places = np.unique(labels, return_inverse=True)
    model = streed.STreeDClassifier(max_depth=depth, time_limit=seconds or LONG)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that there was no time for any tree is told below
        model.fit(rows, places)
    if not model.is_fitted():
        return {"tree": None}
    return {
        "tree": streed_tree(model.get_tree(), codes.tolist()),
        "errors": int((model.predict(rows) != places).sum()),
        "is_optimal": model.fit_result.is_optimal(),
    }


def streed_tree(node: Any, codes: list[int]) -> Any:
    """Return a tree of theirs, which goes left for no."""
    if node.is_leaf_node():
        return codes[int(node.label)]
    return [int(node.feature), streed_tree(node.left_child, codes), streed_tree(node.right_child, codes)]


PEERS = {"dl85": ask_dl85, "streed": ask_streed}
MODULES = {"dl85": "dl85Optimizer", "streed": "pystreed"}


def main(name: str, depth: str, seconds: str, memory: str) -> None:
    """Read a problem and print what a peer makes of it."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what native code prints is for people, and not to be taken for an answer
    if int(memory):
        import resource  # only where the system told how much there is

        resource.setrlimit(resource.RLIMIT_AS, (int(memory), int(memory)))
    arrays = np.load(io.BytesIO(sys.stdin.buffer.read()))
    importlib.import_module(MODULES[name])  # takes seconds, which are not left for the search
    left = max(0.01, float(seconds) - (time.monotonic() - BEGIN)) if float(seconds) else 0.0
    answer = PEERS[name](arrays["rows"], arrays["labels"], arrays["weights"], int(depth), left)
    print(json.dumps(answer), file=out, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
