"""From a raw table to a minimum tree: binarise, prove the minimum, collect all minimum trees, choose one, draw it.

Run with ``make demo``. It uses the iris data of scikit-learn and writes ``iris.svg``.
"""

from pathlib import Path

from puretree import PureTreeClassifier, minimum_tree, prepare
from puretree.datasets import load

PICTURE = Path("iris.svg")


def main() -> None:
    """Print the result of each stage on one small table."""
    iris = load("sklearn:iris")
    print(f"raw table       {iris.n_rows} rows, columns {', '.join(iris.table.names)}")

    prepared = prepare(iris.table, iris.target)
    problem = prepared.problem
    features = prepared.binarizer.features_
    print(f"features        {len(features)}, from “{features[0]}” to “{features[-1]}”")
    print(
        f"binary problem  {problem.n_examples} distinct examples, {problem.n_features} distinct features, "
        f"{problem.n_classes} classes, {len(problem.conflicts)} groups of contradictory rows"
    )

    print("exact search    bounds of the minimum number of nodes:")
    minimum_tree(iris.table, iris.target, on_progress=lambda bounds: print(f"                {bounds}"))

    model = PureTreeClassifier(random_state=0).fit(iris.table, iris.target)
    trees = model.trees_
    print(f"\nminimum trees   {trees}; all of them use:")
    for usage in trees.features():
        if usage.is_necessary:
            print(f"                {usage.predicate}, at the root of {usage.root_share:.0%}")

    scores = model.selection_scores_
    print(
        f"\nchosen tree     agrees with the vote of all trees on {scores['score']:.1%} of the mixed rows, like "
        f"{scores['n_best'] - 1} others\n\n{model.tree_}\n"
    )
    print("rules")
    for rule in model.rules():
        print(f"  {rule}")
    print(f"\nexplanation     {model.explain([6.0, 2.7, 5.1, 1.6])}")

    PICTURE.write_text(str(model.export("svg")), encoding="utf-8")
    print(f"\n{model.outcome_}; all {iris.n_rows} rows classified correctly. Drawing: {PICTURE}")


if __name__ == "__main__":
    main()
