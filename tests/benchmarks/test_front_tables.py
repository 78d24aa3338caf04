"""The tables of the front's benchmark."""

from pathlib import Path

import front_tables
import numpy as np
import pytest
from front_tables import FrontTable
from helpers.random_problems import random_problem

NUMBERS = FrontTable("numbers", np.array([[1.5, 2.0], [0.5, 2.0], [2.5, 3.0]]), np.array([0, 2, 1], dtype=np.intc))


def test_thresholds_split_the_rows_in_all_ways_once() -> None:
    """There is a column for each set of rows that a cut has above it; equal columns are left out."""
    assert NUMBERS.with_thresholds().tolist() == [[0, 1], [0, 0], [1, 1]]


def test_the_file_has_the_class_and_the_exact_numbers(tmp_path: Path) -> None:
    """Integers have no decimal point, so that both prototypes can read them."""
    NUMBERS.write(tmp_path / "table.txt")
    assert (tmp_path / "table.txt").read_text() == "0 1.5 2\n2 0.5 2\n1 2.5 3\n"


def test_a_part_of_a_table_has_classes_without_gaps() -> None:
    """Classes that no row has are left out."""
    part = NUMBERS.take("part", np.array([1, 2]), 1)
    assert (part.labels.tolist(), part.n_classes, part.shape) == ([1, 0], 2, "2 × 1")


def test_examples_of_a_problem_occur_as_often_as_their_rows() -> None:
    """The table of a problem has its rows, classes and features."""
    problem = random_problem(3)
    table = front_tables.from_problem("random", problem)
    assert (table.n_rows, table.n_columns) == (int(problem.weights.sum()), problem.n_features)
    assert np.bincount(table.labels).tolist() == np.bincount(problem.labels, problem.weights).tolist()


@pytest.mark.data
def test_tables_have_the_expected_shapes(paper_folder: Path) -> None:
    """The eight tables of bits, the six of numbers, the training sets, and the growing tables can be made."""
    bits = {name: front_tables.bit_table(name, paper_folder).shape for name in front_tables.BIT_TABLES}
    assert bits["house-votes-84"] == "435 × 16"
    assert bits["kr-vs-kp"] == "3196 × 37"
    numeric = {name: front_tables.numeric_table(name, paper_folder) for name in front_tables.NUMERIC_TABLES}
    assert numeric["haberman"].with_thresholds().shape == (306, 89)
    assert numeric["wine"].n_classes == 3
    assert len(list(front_tables.training_tables(paper_folder, 0))) == 19
    rows = [table.n_rows for table in front_tables.growing_rows(paper_folder)]
    assert rows == list(front_tables.ROWS)
    columns = [table.n_columns for table in front_tables.growing_columns(paper_folder)]
    assert columns == list(front_tables.COLUMNS)
    classes = [table.n_classes for table in front_tables.growing_classes(paper_folder)]
    assert classes == list(front_tables.CLASSES)
