"""The facts match the run and its data; otherwise there is no report."""

from dataclasses import replace
from pathlib import Path

import pytest
from helpers.reporting import fit_data, fit_run

from puretree import FormatError, InputError, Tree, minimum_trees
from puretree._support.clock import TimeLimitReached
from puretree.cli.inputs import read_data
from puretree.datasets import Dataset
from puretree.report import collect_facts
from puretree.runs import Run

TABLE = "x,y,class\n" + "".join(
    f"{x},{y},{'yes' if (x > 2) != (y > 1) else 'no'}\n" for x in range(5) for y in range(4)
)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Write a table of twenty rows whose class is an exclusive or of two conditions."""
    path = tmp_path / "table.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


@pytest.fixture
def fitted(table: Path) -> tuple[Run, Dataset]:
    """Fit the table."""
    return fit_run(table, "class")


def test_usage_of_splits_is_that_of_the_forest(fitted: tuple[Run, Dataset]) -> None:
    """The number of minimum trees and the usage of each split are those of the forest."""
    run, dataset = fitted
    facts = collect_facts(run, dataset)
    forest = minimum_trees(dataset.table, dataset.target)
    assert facts.trees.n_trees == forest.count == run.n_trees
    assert [str(use) for use in facts.trees.usage] == [str(use) for use in forest.features()]
    assert facts.trees.unknown_reason is None
    assert dict(facts.splits_by_column()) == {"x": 4, "y": 3}


def test_time_limit_leaves_usage_unknown_with_a_reason(fitted: tuple[Run, Dataset]) -> None:
    """If the time limit is reached, the usage is empty and the reason is stated."""
    run, dataset = fitted
    facts = collect_facts(run, dataset, time_limit=0)
    assert facts.trees.usage == ()
    assert facts.trees.unknown_reason is not None
    assert "limit was 0 seconds" in facts.trees.unknown_reason
    assert facts.trees.n_trees == run.n_trees  # stored in the run


def test_without_time_to_count_the_usage_the_number_of_trees_is_known(
    fitted: tuple[Run, Dataset], monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the time limit is reached while the usage is counted, the report states the reason."""
    run, dataset = fitted

    def time_out(*arguments: object) -> None:
        raise TimeLimitReached

    monkeypatch.setattr("puretree.forest.forest.count_users", time_out)
    facts = collect_facts(run, dataset, time_limit=9)
    assert (facts.trees.n_trees, facts.trees.usage) == (run.n_trees, ())
    assert facts.trees.unknown_reason is not None
    assert "were not counted" in facts.trees.unknown_reason


def test_held_out_rows_are_the_selection_set(table: Path) -> None:
    """Training and selection set partition the rows, and the accuracy on the latter is the score of the run."""
    run, dataset = fit_run(table, "class", selection="holdout", selection_size=0.25)
    assert run.training_rows is not None
    facts = collect_facts(run, dataset)
    training, selection = facts.evaluations
    assert (training.metrics.n_rows, selection.metrics.n_rows) == (15, 5)
    assert training.metrics.accuracy == 1.0
    held_out = sorted(set(range(20)) - set(run.training_rows))
    is_correct = run.tree.predict(dataset.table.take(held_out)) == dataset.target[held_out]
    assert selection.metrics.n_right == is_correct.sum()
    assert selection.metrics.accuracy == pytest.approx(run.selection["score"])
    assert facts.prepared.table.n_rows == facts.n_training == 15


def test_contradictory_rows_count_in_the_training_set(tmp_path: Path) -> None:
    """Excluded rows count as misclassified in the training set."""
    path = tmp_path / "table.csv"
    path.write_text("x,class\n1,a\n1,a\n1,b\n2,b\n3,b\n", encoding="utf-8")
    run, dataset = fit_run(path, "class", on_conflict="majority")
    facts = collect_facts(run, dataset)
    assert (facts.n_training, facts.n_left_out) == (5, 1)
    assert (facts.evaluations[0].metrics.n_right, facts.evaluations[0].metrics.n_rows) == (4, 5)


def test_test_files_are_read_like_the_training_data(fitted: tuple[Run, Dataset], tmp_path: Path) -> None:
    """A test file may have its columns in another order, further columns, and unknown labels."""
    run, dataset = fitted
    path = tmp_path / "test.csv"
    path.write_text("class,more,y,x\nno,7,0,0\nyes,7,0,0\nmaybe,7,0,4\nyes,7,0,4\n", encoding="utf-8")
    evaluation = collect_facts(run, dataset, tests=[path]).evaluations[-1]
    assert (evaluation.name, evaluation.source, evaluation.metrics.n_rows, evaluation.metrics.n_right) == (
        "test",
        "test.csv",
        4,
        2,
    )
    assert [of.label for of in evaluation.metrics.classes] == ["no", "yes", "maybe"]
    assert evaluation.metrics.confusion == ((1, 0, 0), (1, 1, 0), (0, 1, 0))
    assert not evaluation.is_training_file


def test_numbers_as_labels_are_read_as_numbers(tmp_path: Path) -> None:
    """A test file may write the class 1 as 1.0; text among numeric labels is an unknown label."""
    monks = read_data("formula:monks-1", None)
    dataset = replace(monks.dataset, target=monks.dataset.target.astype(int))
    run = fit_data(replace(monks, dataset=dataset))
    assert run.tree.classes == (0, 1)
    path = tmp_path / "test.csv"
    path.write_text("a,b,c,d,e,f,class\n1,1,1,1,3,1,1\n1,1,1,1,3,1,1.0\n1,2,1,1,3,1,one\n", encoding="utf-8")
    evaluation = collect_facts(run, dataset, tests=[path]).evaluations[-1]
    assert [(of.label, of.support) for of in evaluation.metrics.classes] == [(0, 0), (1, 2), ("one", 1)]
    assert evaluation.metrics.n_right == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x,class\n1,no\n", "no column 'y'"),
        ("x,y\n1,2\n", "no column 'class'"),
        ("x,y,class\n1,2,\n", "line 2: no label"),
        ("x,y,class\none,2,no\n", "'one' is not a number"),
    ],
)
def test_test_file_with_wrong_columns_is_rejected(
    fitted: tuple[Run, Dataset], tmp_path: Path, text: str, message: str
) -> None:
    """The error names the column, and the line if there is one."""
    run, dataset = fitted
    path = tmp_path / "test.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        collect_facts(run, dataset, tests=[path])


def test_other_data_are_rejected(fitted: tuple[Run, Dataset], tmp_path: Path) -> None:
    """Training rows that do not match the certificate raise an error."""
    run, _ = fitted
    path = tmp_path / "other.csv"
    path.write_text(TABLE.replace("4,3,no", "4,3,yes"), encoding="utf-8")
    _, other = fit_run(path, "class")
    with pytest.raises(FormatError, match="training rows do not match certificate"):
        collect_facts(run, other)


def test_other_candidate_splits_are_rejected(fitted: tuple[Run, Dataset]) -> None:
    """Parameters that were changed after the run raise an error."""
    run, dataset = fitted
    with pytest.raises(FormatError, match="candidate splits do not match certificate"):
        collect_facts(replace(run, parameters={**run.parameters, "binarize": "onehot"}), dataset)


def test_misclassifying_tree_is_rejected(fitted: tuple[Run, Dataset]) -> None:
    """A replaced model is detected by the rows it misclassifies, whatever the certificate states."""
    run, dataset = fitted
    tree = run.tree
    labels = [1 - label if label >= 0 else -1 for label in tree.label.tolist()]
    swapped = Tree(tree.feature, tree.left, labels, tree.classes, predicates=tree.predicates, n_columns=tree.n_columns)
    with pytest.raises(FormatError, match="misclassifies 20 training rows"):
        collect_facts(replace(run, outcome=replace(run.outcome, tree=swapped)), dataset)


def test_tree_that_is_not_minimum_is_rejected(fitted: tuple[Run, Dataset]) -> None:
    """A pure tree recorded as minimum that is not is detected: the enumerated minimum trees do not contain it."""
    run, dataset = fitted
    forest = minimum_trees(dataset.table, dataset.target, extra=1)
    larger = forest[forest.count - 1]
    assert larger.n_nodes == run.tree.n_nodes + 2
    with pytest.raises(FormatError, match="not one of the minimum trees"):
        collect_facts(replace(run, outcome=replace(run.outcome, tree=larger)), dataset)
