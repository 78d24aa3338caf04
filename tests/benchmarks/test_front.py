"""The benchmark of the front asks the right questions and prints their answers."""

import json
from pathlib import Path
from types import SimpleNamespace

import front
import front_ours
import front_tables
import numpy as np
import pytest
from front_ours import OwnFront, read_front
from front_peers import SMALL_TREE, STREED
from front_prototypes import PrototypeRun
from front_tables import FrontTable
from helpers.oracles.fewest_errors import fewest_errors, least_objective
from stopwatch import Stopwatch

import puretree

# Test runners have threads; the child processes here start none and exit soon.
pytestmark = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
NEEDS_FRONT = pytest.mark.skipif(not hasattr(puretree, "front"), reason="this version has no front")
WHOLE = OwnFront((9, 5, 5, 0), True)
PART = OwnFront((9, 5), False)


def small_table(name: str = "small", folder: Path | None = None) -> FrontTable:
    """Make a small table of two classes with contradictory rows."""
    rng = np.random.default_rng(5)
    rows = rng.integers(0, 2, (14, 4)).astype(np.float64)
    return FrontTable(name, rows, rng.integers(0, 2, 14).astype(np.intc))


def points(*cells: tuple[int, int, str]) -> SimpleNamespace:
    """Make a front of points with a number of nodes, errors and a status."""
    return SimpleNamespace(points=[SimpleNamespace(n_nodes=n, errors=e, status=s) for n, e, s in cells])


def test_a_curve_ends_before_the_first_point_without_a_proof() -> None:
    """A number of tests without a point of its own has the errors of the point before."""
    assert read_front(points((1, 9, "optimal"), (3, 5, "optimal"), (7, 0, "optimal"))) == WHOLE
    assert read_front(points((1, 9, "optimal"), (3, 5, "optimal"), (7, 0, "time_limit"))) == PART
    assert read_front(points((1, 9, "time_limit"))) == OwnFront((), False)


def test_only_proved_answers_count() -> None:
    """After the end of a whole front the errors remain; of a part, only its points are proved."""
    assert [front.errors_up_to(k, WHOLE) for k in (1, 3, 8, None)] == [5, 0, 0, 0]
    assert [front.errors_up_to(k, PART) for k in (1, 2, None)] == [5, None, None]
    assert (front.curve_up_to(1, PART), front.curve_up_to(2, PART)) == ((9, 5), None)


def test_k_after_the_same_time_is_compared() -> None:
    """The errors must be the same as far as both curves go."""
    prototype = PrototypeRun((9, 5, 5), (0.1, 0.2, 0.3))
    assert front.format_reached(prototype, WHOLE) == ["2", "3 (whole)", "+1", "yes"]
    assert front.format_reached(prototype, OwnFront((9, 4), False)) == ["2", "1", "-1", "no"]
    assert front.format_reached(prototype, None) == ["2", "–", "–", "–"]


@pytest.mark.parametrize(("part", "peer"), [("sizes", STREED), ("prices", SMALL_TREE)])
def test_peers_alone_are_compared_and_written(
    part: str, peer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every question has a row, and a record in the file."""
    if not front.front_peers.is_installed(peer):
        pytest.skip(f"{peer} is not installed")
    monkeypatch.setattr(front_tables, "bit_table", small_table)
    monkeypatch.setattr(front, "pin", lambda core: core)
    path = tmp_path / "results.json"
    command = ["--data", str(tmp_path), "--part", part, "--peers-only", "--only", "spect", "--write", str(path)]
    assert front.main(command) == 0
    records = json.loads(path.read_text())[part]
    assert records
    assert all(record["peers"][peer]["answer"] is not None for record in records)
    assert capsys.readouterr().out.count("| spect | 14 × 4 |") == len(records)


@NEEDS_FRONT
def test_own_fronts_have_the_fewest_errors() -> None:
    """With and without limits on size and depth, every point is what brute force finds."""
    table = small_table()
    rows, labels = table.rows.tolist(), table.labels.tolist()
    for max_tests, max_depth in ((None, None), (2, None), (None, 2)):
        own = front_ours.ask_front(table, 60, max_tests=max_tests, max_depth=max_depth)(Stopwatch())
        depth = 99 if max_depth is None else max_depth
        assert own.is_whole
        assert own.errors == tuple(fewest_errors(rows, labels, k, depth) for k in range(len(own.errors)))


@NEEDS_FRONT
@pytest.mark.parametrize("price", [2.0, 1.0, 0.5])
def test_own_trees_have_the_least_objective(price: float) -> None:
    """At every price, the objective value is what brute force finds."""
    table = small_table()
    answer = front_ours.ask_price(table, price, 60)(Stopwatch())
    assert answer.proved
    assert answer.objective(price) == least_objective(table.rows.tolist(), table.labels.tolist(), price)
