"""The facts are those of the run and of its data, or there is no report."""

from dataclasses import replace
from pathlib import Path

import pytest
from helpers.reporting import fit_given, fit_run

from puretree import FormatError, InputError, Tree, minimum_trees
from puretree.cli.inputs import Given, read_data
from puretree.report import gather
from puretree.runs import Run

TABLE = "x,y,class\n" + "".join(
    f"{x},{y},{'yes' if (x > 2) != (y > 1) else 'no'}\n" for x in range(5) for y in range(4)
)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Write a table of twenty rows: an exclusive or."""
    path = tmp_path / "table.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


@pytest.fixture
def fitted(table: Path) -> tuple[Run, Given]:
    """Fit it."""
    return fit_run(table, "class")


def test_all_smallest_trees_are_told(fitted: tuple[Run, Given]) -> None:
    """Their number and the use of each question are those of the forest."""
    run, given = fitted
    facts = gather(run, given.dataset)
    forest = minimum_trees(given.dataset.table, given.dataset.target)
    assert facts.trees.n_trees == forest.count == run.n_trees
    assert [str(use) for use in facts.trees.usage] == [str(use) for use in forest.features()]
    assert facts.trees.why_not is None
    assert dict(facts.questions_by_column()) == {"x": 4, "y": 3}


def test_without_time_it_says_that_trees_are_missing(fitted: tuple[Run, Given]) -> None:
    """Nothing is left out in silence."""
    run, given = fitted
    facts = gather(run, given.dataset, time_limit=0)
    assert facts.trees.usage == ()
    assert facts.trees.why_not is not None
    assert "limit was 0 seconds" in facts.trees.why_not
    assert facts.trees.n_trees == run.n_trees  # this the run knows


def test_rows_kept_back_are_the_selection_part(table: Path) -> None:
    """The rows of the two parts are all rows, each once, and the score of the run is found again."""
    run, given = fit_run(table, "class", selection="holdout", selection_size=0.25)
    assert run.training_rows is not None
    facts = gather(run, given.dataset)
    training, selection = facts.parts
    assert (training.metrics.n_rows, selection.metrics.n_rows) == (15, 5)
    assert training.metrics.accuracy == 1.0
    kept_back = sorted(set(range(20)) - set(run.training_rows))
    right = run.tree.predict(given.dataset.table.take(kept_back)) == given.dataset.target[kept_back]
    assert selection.metrics.n_right == right.sum()
    assert selection.metrics.accuracy == pytest.approx(run.selection["score"])
    assert facts.prepared.table.n_rows == facts.n_training == 15


def test_contradictory_rows_count_in_the_training_part(tmp_path: Path) -> None:
    """The tree is wrong on what was left out, and says so."""
    path = tmp_path / "table.csv"
    path.write_text("x,class\n1,a\n1,a\n1,b\n2,b\n3,b\n", encoding="utf-8")
    run, given = fit_run(path, "class", on_conflict="majority")
    facts = gather(run, given.dataset)
    assert (facts.n_training, facts.n_left_out) == (5, 1)
    assert (facts.parts[0].metrics.n_right, facts.parts[0].metrics.n_rows) == (4, 5)


def test_tests_are_read_as_training_was(fitted: tuple[Run, Given], tmp_path: Path) -> None:
    """Columns in another order, others besides, and a label nobody knows: measured by hand."""
    run, given = fitted
    path = tmp_path / "test.csv"
    path.write_text("class,more,y,x\nno,7,0,0\nyes,7,0,0\nmaybe,7,0,4\nyes,7,0,4\n", encoding="utf-8")
    part = gather(run, given.dataset, tests=[path]).parts[-1]
    assert (part.name, part.source, part.metrics.n_rows, part.metrics.n_right) == ("test", "test.csv", 4, 2)
    assert [of.label for of in part.metrics.classes] == ["no", "yes", "maybe"]
    assert part.metrics.confusion == ((1, 0, 0), (1, 1, 0), (0, 1, 0))
    assert not part.is_training_file


def test_numbers_as_labels_are_read_as_numbers(tmp_path: Path) -> None:
    """A file may write the class 1 as 1.0; a word among them is a label that the tree does not know."""
    monks = read_data("formula:monks-1", None)
    given = replace(monks, dataset=replace(monks.dataset, target=monks.dataset.target.astype(int)))
    run = fit_given(given)
    assert run.tree.classes == (0, 1)
    path = tmp_path / "test.csv"
    path.write_text("a,b,c,d,e,f,class\n1,1,1,1,3,1,1\n1,1,1,1,3,1,1.0\n1,2,1,1,3,1,one\n", encoding="utf-8")
    part = gather(run, given.dataset, tests=[path]).parts[-1]
    assert [(of.label, of.support) for of in part.metrics.classes] == [(0, 0), (1, 2), ("one", 1)]
    assert part.metrics.n_right == 2


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("x,class\n1,no\n", "no column 'y'"),
        ("x,y\n1,2\n", "no column 'class'"),
        ("x,y,class\n1,2,\n", "line 2: no label"),
        ("x,y,class\none,2,no\n", "'one' is not a number"),
    ],
)
def test_a_test_with_wrong_columns_is_refused(
    fitted: tuple[Run, Given], tmp_path: Path, text: str, complaint: str
) -> None:
    """The message names the column, and the line where there is one."""
    run, given = fitted
    path = tmp_path / "test.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=complaint):
        gather(run, given.dataset, tests=[path])


def test_other_data_are_refused(fitted: tuple[Run, Given], tmp_path: Path) -> None:
    """Whoever calls it, a report is of the data that the certificate speaks of."""
    run, _ = fitted
    path = tmp_path / "other.csv"
    path.write_text(TABLE.replace("4,3,no", "4,3,yes"), encoding="utf-8")
    _, other = fit_run(path, "class")
    with pytest.raises(FormatError, match="training rows are not those"):
        gather(run, other.dataset)


def test_other_questions_are_refused(fitted: tuple[Run, Given]) -> None:
    """Parameters that were changed after the run do not pass."""
    run, given = fitted
    with pytest.raises(FormatError, match="questions are not those"):
        gather(replace(run, parameters={**run.parameters, "binarize": "onehot"}), given.dataset)


def test_a_tree_that_is_wrong_is_refused(fitted: tuple[Run, Given]) -> None:
    """A model that was exchanged is found out by the rows, whatever the certificate says."""
    run, given = fitted
    tree = run.tree
    labels = [1 - label if label >= 0 else -1 for label in tree.label.tolist()]
    turned = Tree(tree.feature, tree.left, labels, tree.classes, predicates=tree.predicates, n_columns=tree.n_columns)
    with pytest.raises(FormatError, match="wrong on 20 training rows"):
        gather(replace(run, outcome=replace(run.outcome, tree=turned)), given.dataset)


def test_a_tree_that_is_not_smallest_is_refused(fitted: tuple[Run, Given]) -> None:
    """A tree that is right, said to be smallest, and is not: the trees that are found again do not hold it."""
    run, given = fitted
    forest = minimum_trees(given.dataset.table, given.dataset.target, extra=1)
    larger = forest[forest.count - 1]
    assert larger.n_nodes == run.tree.n_nodes + 2
    with pytest.raises(FormatError, match="not one of the smallest"):
        gather(replace(run, outcome=replace(run.outcome, tree=larger)), given.dataset)
