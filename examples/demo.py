"""From a raw table to the smallest tree that is right on every row, with the proof that no smaller one is.

Run with ``make demo``. It uses the iris table that ships with scikit-learn.
"""

from puretree import minimum_tree, minimum_trees, prepare
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

    print("search          minimum in nodes, both bounds:")
    outcome = minimum_tree(
        iris.table,
        iris.target,
        on_progress=lambda bounds: print(f"                {bounds}"),
    )
    tree = outcome.tree
    assert tree is not None  # without wishes there always is one
    print(f"\n{tree}\n")
    print("as rules:")
    for rule in tree.rules():
        print(f"  {rule}")
    print(f"\n{outcome}; depth {tree.depth}, right on all {iris.n_rows} rows (checked on the raw table).")

    forest = minimum_trees(iris.table, iris.target)
    print(f"\nall of them     {forest}; in all of these trees:")
    for usage in forest.features():
        if usage.is_necessary:
            print(f"  {usage.predicate}, at the root in {usage.root_share:.0%}")


if __name__ == "__main__":
    main()
