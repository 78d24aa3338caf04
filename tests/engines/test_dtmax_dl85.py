"""DT(max) compared with DL8.5: two independent exact methods must report the same errors."""

from pathlib import Path

import pytest
from helpers.random_problems import larger_problem

from puretree import BinaryProblem
from puretree.datasets.paper import load_paper, paper_binarizer
from puretree.engines import solve
from puretree.engines.dtmax import DtMax
from puretree.engines.peers import Dl85

pytest.importorskip("dl85Optimizer", reason='needs pydl8.5: pip install "puretree[peers]"')

PROVED = ["corral", "hayes-roth", "iris", "irish", "lenses", "lung_cancer", "mouse", "mux6", "new-thyroid"]


def dl85_errors(problem: BinaryProblem, depth: int) -> int:
    """Return the errors of DL8.5's tree, which it claims to be optimal."""
    outcome = solve(problem, Dl85(depth))
    assert outcome.status == "optimal"
    return outcome.n_errors


@pytest.mark.parametrize("depth", [2, 3, 4])
def test_errors_equal_dl85_on_random_problems(depth: int) -> None:
    """The fewest errors agree on random problems, also where they are many."""
    for seed in range(4):
        problem = larger_problem(seed)
        outcome = solve(problem, DtMax(depth))
        assert (outcome.status, outcome.n_errors) == ("optimal", dl85_errors(problem, depth)), seed


@pytest.mark.data
@pytest.mark.parametrize("depth", [2, 3, 4])
@pytest.mark.parametrize("name", PROVED)
def test_errors_equal_dl85_on_data_sets(name: str, depth: int, paper_folder: Path) -> None:
    """The fewest errors agree on nine of the paper's data sets in its binarisation, and are proved."""
    dataset = load_paper(name, paper_folder)
    bits = paper_binarizer(name).fit(dataset.table).transform_bits(dataset.table)
    problem = BinaryProblem.from_bits(bits, dataset.target, on_conflict="majority")
    outcome = solve(problem, DtMax(depth))
    assert (outcome.status, outcome.n_errors) == ("optimal", dl85_errors(problem, depth))
