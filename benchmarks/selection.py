"""Test accuracy of each selection rule, compared with scikit-learn's pure trees.

Every data set is split several times into labelled rows (80 %) and test rows. ``sklearn`` is a pure scikit-learn tree
of all labelled rows, the mean of several seeds; ``sklearn-holdout`` is the seed that is most accurate on held-out rows,
as in the paper. Differences to ``sklearn`` are paired by data set and split, with their standard error over data sets.

``python benchmarks/selection.py --data FOLDER`` prints a table.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from puretree import PureTreeClassifier
from puretree.binarize import make_binarizer
from puretree.datasets import load
from puretree.datasets.paper_parts import IN_TABLE_4
from puretree.errors import UnfinishedWarning
from puretree.selection import RULES, Rows, split_rows
from puretree.table import Labels, Table, read_labels

EXCLUDED = {"audiology-cp4im", "irish", "monks-1", "mushroom-cp4im"}  # to save time
DATA = [name for name in IN_TABLE_4 if name not in EXCLUDED]
SKLEARN_SEEDS = 20

Result = tuple[float, float]  # accuracy, number of nodes


def evaluate_sklearn(training: Rows, test: Rows, binarize: str) -> list[Result]:
    """Return the accuracy and the size of pure scikit-learn trees, one for each seed."""
    binarizer = make_binarizer(binarize).fit(training.table, training.labels)
    X, X_test = binarizer.transform(training.table), binarizer.transform(test.table)
    results = []
    for seed in range(SKLEARN_SEEDS):
        tree = DecisionTreeClassifier(random_state=seed).fit(X, training.labels.codes)
        results.append((tree.score(X_test, test.labels.codes), tree.tree_.node_count))
    return results


def sklearn_mean(labelled: Rows, test: Rows, binarize: str, seed: int) -> Result:
    """Return the mean accuracy and size of pure scikit-learn trees of all labelled rows."""
    accuracy, nodes = np.mean(evaluate_sklearn(labelled, test, binarize), axis=0)
    return accuracy, nodes


def sklearn_holdout(labelled: Rows, test: Rows, binarize: str, seed: int) -> Result:
    """Return the accuracy and size of the seed with the best accuracy on held-out rows."""
    training, selection = split_rows(labelled, 0.2, seed)
    on_selection = evaluate_sklearn(training, selection, binarize)
    best = int(np.argmax([accuracy for accuracy, _ in on_selection]))
    return evaluate_sklearn(training, test, binarize)[best]


def rule(name: str, time_limit: float) -> Callable[[Rows, Rows, str, int], Result]:
    """Return a function that evaluates a selection rule of puretree."""

    def evaluate(labelled: Rows, test: Rows, binarize: str, seed: int) -> Result:
        model = PureTreeClassifier(
            binarize=binarize, selection=name, on_conflict="majority", time_limit=time_limit, random_state=seed
        )
        model.fit(labelled.table, label_list(labelled.labels))
        return model.score(test.table, label_list(test.labels)), model.n_nodes_

    return evaluate


def label_list(labels: Labels) -> list[object]:
    """Return the original labels."""
    return [labels.classes[code] for code in labels.codes]


def splits(table: Table, labels: Labels, n_splits: int) -> Iterator[tuple[Rows, Rows]]:
    """Yield pairs of labelled rows and test rows."""
    rows = Rows.read(table, labels)
    for seed in range(n_splits):
        labelled, test = train_test_split(
            np.arange(table.n_rows), test_size=0.2, random_state=seed, stratify=labels.codes
        )
        yield rows.take(np.sort(labelled)), rows.take(np.sort(test))


def main() -> None:
    """Evaluate all rules on all data sets and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=os.environ.get("PURETREE_DATA"))
    parser.add_argument("--only", nargs="+", default=DATA)
    parser.add_argument("--rules", nargs="+", default=list(RULES))
    parser.add_argument("--splits", type=int, default=8)
    parser.add_argument("--binarize", default="thresholds")
    parser.add_argument("--limit", type=float, default=20.0, help="seconds for each tree")
    options = parser.parse_args()
    warnings.simplefilter("ignore", UnfinishedWarning)
    methods = {"sklearn": sklearn_mean, "sklearn-holdout": sklearn_holdout} | {
        name: rule(name, options.limit) for name in options.rules
    }
    means: list[list[Result]] = []
    seconds = dict.fromkeys(methods, 0.0)
    print("| data set | " + " | ".join(methods) + " |\n" + "|---" * (len(methods) + 1) + "|")
    for name in options.only:
        dataset = load(name, folder=options.data)
        labels = read_labels(dataset.target, dataset.table.n_rows)
        results: dict[str, list[Result]] = {method: [] for method in methods}
        for seed, (labelled, test) in enumerate(splits(dataset.table, labels, options.splits)):
            for method, evaluate in methods.items():
                start = time.perf_counter()
                results[method].append(evaluate(labelled, test, options.binarize, seed))
                seconds[method] += time.perf_counter() - start
        means.append([tuple(np.mean(of_splits, axis=0)) for of_splits in results.values()])
        print(f"| {name} | " + " | ".join(f"{a:.2%} ({n:.1f})" for a, n in means[-1]) + " |", flush=True)
    table = np.array(means)
    accuracy, nodes = table[:, :, 0], table[:, :, 1]
    print("| mean | " + " | ".join(f"{a:.2%} ({n:.1f})" for a, n in table.mean(axis=0)) + " |")
    differences = 100 * (accuracy - accuracy[:, :1])
    n_datasets = len(differences)
    error = differences.std(axis=0, ddof=1) / np.sqrt(n_datasets) if n_datasets > 1 else np.zeros(len(methods))
    pairs = zip(differences.mean(axis=0), error, strict=True)
    print("| against sklearn | " + " | ".join(f"{m:+.2f} ± {e:.2f}" for m, e in pairs) + " |")
    print("| size against sklearn | " + " | ".join(f"{m:.0%}" for m in (nodes / nodes[:, :1]).mean(axis=0)) + " |")
    print("| seconds | " + " | ".join(f"{seconds[method]:.1f}" for method in methods) + " |")


if __name__ == "__main__":
    main()
