"""From a raw table to a binary problem and back to a tree that anyone can read.

Run with ``make demo``. It uses the iris table that ships with scikit-learn.
"""

from puretree import prepare
from puretree.bounds.greedy import greedy_tree
from puretree.datasets import load


def main() -> None:
    """Show each stage of the path on one small table."""
    iris = load("sklearn:iris")
    print(f"raw table       {iris.n_rows} rows, columns {', '.join(iris.table.names)}")

    prepared = prepare(iris.table, iris.target)
    problem = prepared.problem
    questions = prepared.binarizer.features_
    print(f"questions       {len(questions)}, from “{questions[0]}” to “{questions[-1]}”")
    print(
        f"binary problem  {problem.n_examples} distinct examples, {problem.n_features} distinct features, "
        f"{problem.n_classes} classes, {len(problem.conflicts)} contradictions"
    )

    tree = prepared.readable(greedy_tree(problem))
    print(f"\n{tree}\n")
    print("as rules:")
    for rule in tree.rules():
        print(f"  {rule}")
    lower_bound = 2 * problem.n_classes - 1  # a leaf per class
    print(
        f"\n{tree.n_nodes} nodes, depth {tree.depth}, pure: right on all {iris.n_rows} rows (checked on the raw table)."
        f"\nMinimum: {lower_bound} ≤ min ≤ {tree.n_nodes}. The upper bound is this greedy tree; no exact engine is "
        "part of this\nversion, so minimality is not proved."
    )


if __name__ == "__main__":
    main()
