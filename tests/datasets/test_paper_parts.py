"""The parts of the paper's data sets: their sizes, and that they do not overlap."""

from pathlib import Path

import numpy as np
import pytest

from puretree.datasets.files import read_manifest
from puretree.datasets.paper import split_sizes
from puretree.datasets.paper_parts import IN_TABLE_4, BinaryTable, binary_table, require_datasets
from puretree.errors import DataNotFoundError


@pytest.fixture
def monks() -> BinaryTable:
    """Return a table that needs no file."""
    return binary_table("formula:monks-1")


def check_parts(table: BinaryTable, seed: int) -> None:
    """Check that the training, selection and test parts have the paper's sizes and partition the rows."""
    training = table.training_part(seed)
    for selection, test in table.resplits(training, 3, seed):
        parts = np.concatenate([training, selection, test])
        assert (np.sort(parts) == table.kept).all()
        assert (len(training), len(selection), len(test)) == split_sizes(len(table.kept))


@pytest.mark.parametrize("seed", [0, 1])
def test_parts(monks: BinaryTable, seed: int) -> None:
    """The parts are a partition; the same seed draws the same training part, another seed another one."""
    check_parts(monks, seed)
    assert (monks.training_part(seed) == monks.training_part(seed)).all()
    assert (monks.training_part(seed) != monks.training_part(seed + 2)).any()


@pytest.mark.data
@pytest.mark.parametrize("name", IN_TABLE_4)
def test_parts_of_the_paper(name: str, paper_folder: Path) -> None:
    """All data sets of the paper's Table 4 can be split, including those with rare classes."""
    check_parts(binary_table(name, paper_folder), 0)


def test_parts_are_stratified(monks: BinaryTable) -> None:
    """Each part has about the class frequencies of the whole data set."""
    fraction = np.mean(monks.labels == monks.labels[0])
    training = monks.training_part(0)
    selection, test = next(monks.resplits(training, 1, 0))
    for part in (training, selection, test):
        assert abs(np.mean(monks.labels[part] == monks.labels[0]) - fraction) < 1.5 / len(part)


def test_resplits_differ(monks: BinaryTable) -> None:
    """Splits differ from each other and are determined by the seed."""
    training = monks.training_part(0)
    splits = [tuple(test) for _, test in monks.resplits(training, 5, 0)]
    assert len(set(splits)) == 5
    assert splits == [tuple(test) for _, test in monks.resplits(training, 5, 0)]
    assert splits[0] != next(tuple(test) for _, test in monks.resplits(training, 1, 1))


def test_a_class_of_one_row() -> None:
    """If a class has a single remaining row, the rest is split without stratification."""
    monks = binary_table("formula:monks-1")
    labels = monks.labels.astype("<U9")
    training = monks.training_part(0)
    rest = np.setdiff1d(monks.kept, training)
    labels[rest[0]] = "alone"
    table = BinaryTable("one", monks.bits, labels, monks.kept)
    for selection, test in table.resplits(training, 3, 0):
        assert len(selection) + len(test) == len(rest)


def test_samples(monks: BinaryTable) -> None:
    """A sample has the requested fraction of the rows, in ascending order."""
    rows = monks.sample(0.4, 0)
    assert len(rows) == round(0.4 * len(monks.kept))
    assert (np.diff(rows) > 0).all()
    assert (rows != monks.sample(0.4, 1)).any()
    problem = monks.problem(rows)
    assert problem.weights.sum() == len(rows)


def test_the_table_of_a_problem(monks: BinaryTable) -> None:
    """The Boolean table holds the values of all features for the rows."""
    rows = monks.sample(0.2, 0)
    bits = monks.table(rows)
    assert bits.shape == (len(rows), monks.bits.shape[0])
    assert (bits == monks.bits.unpack()[:, rows].T).all()


def test_one_hot_features_are_those_of_the_same_values(monks: BinaryTable) -> None:
    """One feature per level, one for two levels; the rows kept, and so all parts, are those of the bits."""
    onehot = binary_table("formula:monks-1", None, "onehot")
    assert (monks.bits.shape[0], onehot.bits.shape[0]) == (10, 3 + 3 + 1 + 3 + 4 + 1)
    assert (onehot.kept == monks.kept).all()
    assert (onehot.training_part(3) == monks.training_part(3)).all()
    iris = binary_table("sklearn:iris", None, "onehot")
    of_column = iris.table(iris.kept)[:, :8]
    assert iris.bits.shape[0] <= 4 * 8
    assert (of_column.sum(axis=1) == 1).all()  # 8 bins, of which each row has one


@pytest.mark.data
def test_one_hot_features_count_as_in_the_paper(paper_folder: Path) -> None:
    """The number of features equals the published one for every data set of the accuracy table, as do the rows."""
    entries = read_manifest(paper_folder)
    for name in IN_TABLE_4:
        n_features, n_rows = entries[name].paper_counts[1] - 1, entries[name].paper_counts[3]  # without the class
        table = binary_table(name, paper_folder, "onehot")
        assert (table.bits.shape[0], len(table.kept)) == (n_features, n_rows), name
        assert (table.kept == binary_table(name, paper_folder).kept).all()


def test_contradictory_rows_are_left_out(tmp_path: Path) -> None:
    """Of contradictory rows only those with the majority label are kept."""
    (tmp_path / "MANIFEST.csv").write_text("name,paper_name,continuous_columns,paper_counts\ntwo,,,\n")
    (tmp_path / "two.csv").write_text("a,b,class\n" + "x,u,no\n" * 3 + "x,u,yes\n" + "y,u,yes\n" * 2 + "y,v,no\n")
    assert binary_table("two", tmp_path).kept.tolist() == [0, 1, 2, 4, 5, 6]
    with pytest.raises(DataNotFoundError, match="three"):
        binary_table("three", tmp_path)


def test_unknown_names(tmp_path: Path) -> None:
    """Unknown names are reported before anything is loaded, with a suggestion."""
    (tmp_path / "MANIFEST.csv").write_text("name,paper_name,continuous_columns,paper_counts\ncar,car,,13/22/2/1728\n")
    require_datasets(["car", "formula:mux6"], tmp_path)
    with pytest.raises(DataNotFoundError, match=r"the data set 'carr' .*did you mean 'car'"):
        require_datasets(["car", "carr"], tmp_path)
    with pytest.raises(DataNotFoundError, match="magic"):
        require_datasets(["formula:magic"])
