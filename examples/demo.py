"""From a raw table to the smallest tree that is right on every row: proved, chosen among all, drawn.

Run with ``make demo``. It uses the iris table that ships with scikit-learn, and writes ``iris.svg``.
"""

from pathlib import Path

from puretree import PureTreeClassifier, minimum_tree, prepare
from puretree.datasets import load

PICTURE = Path("iris.svg")


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
    minimum_tree(iris.table, iris.target, on_progress=lambda bounds: print(f"                {bounds}"))

    model = PureTreeClassifier(random_state=0).fit(iris.table, iris.target)
    trees = model.trees_
    print(f"\nall of them     {trees}; in all of these trees:")
    for usage in trees.features():
        if usage.is_necessary:
            print(f"                {usage.predicate}, at the root in {usage.root_share:.0%}")

    scores = model.selection_scores_
    print(
        f"\nthe chosen one  agrees with the vote of all on {scores['score']:.1%} of mixed rows, "
        f"as {scores['n_best']} of them do\n\n{model.tree_}\n"
    )
    print("as rules:")
    for rule in model.rules():
        print(f"  {rule}")
    print(f"\none flower      {model.explain([6.0, 2.7, 5.1, 1.6])}")

    PICTURE.write_text(str(model.export("svg")), encoding="utf-8")
    print(f"\n{model.outcome_}; right on all {iris.n_rows} rows (checked on the raw table). Picture: {PICTURE}")


if __name__ == "__main__":
    main()
