"""scikit-learn's greedy trees as a program: ``grow.py BYTES`` reads a problem and requests, and prints trees.

It depends only on NumPy and scikit-learn. Each request is a line of JSON with the arguments of :func:`grow_tree`, each
answer one with the arrays of the tree.
"""

import json
import sys
import warnings
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier


def grow_tree(
    rows: Any, labels: Any, weights: Any, *, seed: int, max_depth: int | None, is_best_first: bool
) -> tuple[Any, Any, Any, Any]:
    """Grow a tree until it is pure or reaches the maximum depth; return feature, left, right and label of each node."""
    model = DecisionTreeClassifier(
        max_depth=max_depth, max_leaf_nodes=max(2, len(rows)) if is_best_first else None, random_state=seed
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a warning about many classes would not help here
        model.fit(rows, labels, sample_weight=weights)
    nodes = model.tree_
    label = model.classes_[nodes.value[:, 0, :].argmax(axis=1)]
    return nodes.feature, nodes.children_left, nodes.children_right, label


def main(n_features: str, max_bytes: str) -> None:
    """Answer requests until the input ends."""
    if int(max_bytes):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (int(max_bytes), int(max_bytes)))
    stream = sys.stdin.buffer
    words, labels, weights = (np.lib.format.read_array(stream) for _ in range(3))
    bits = np.unpackbits(words.astype("<u8", copy=False).view(np.uint8), 1, int(n_features), "little")
    rows = bits.astype(np.float32)
    del words, bits
    for line in stream:
        request = json.loads(line)
        examples = request.pop("examples")
        chosen = slice(None) if examples is None else examples
        arrays = grow_tree(rows[chosen], labels[chosen], weights[chosen], **request)
        print(json.dumps([array.tolist() for array in arrays]), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
