"""The race of the anytime engines begins at the same tree, forgets no run, and counts what came out."""

from functools import partial
from pathlib import Path

import anytime
import pytest
from anytime import Run
from instances import Instance
from random_problems import larger_problem, parity

from puretree.bounds.iti import iti_tree
from puretree.engines import make_engine

SMALL = [Instance("parity", partial(parity, 3)), Instance("random", partial(larger_problem, 4))]


def run(instance: str, engine: str, upper: int | None, status: str = "time_limit") -> Run:
    """Make a run up."""
    return Run(instance, engine, 60.0, 31, 3, upper, 1.0, status)


def test_all_engines_begin_with_the_tree_of_iti() -> None:
    """The first upper bound is ITI's, though engines by themselves begin with a better tree."""
    instance = SMALL[1]
    n_nodes = iti_tree(instance.make()).n_nodes
    for name in ("linear", "mindt", "search"):
        found = anytime.race(instance, name, 0.5)
        assert (found.start, found.engine, found.limit) == (n_nodes, name, 0.5)
        assert found.upper is not None
        assert found.upper <= n_nodes
    assert make_engine("search").starts_from == ("greedy",)


def test_runs_that_are_known_are_not_made_again(tmp_path: Path) -> None:
    """What was written down is read back, and only the rest is run."""
    file = tmp_path / "runs.jsonl"
    assert anytime.read_runs(file) == []
    first = list(anytime.races(SMALL[:1], ["search"], 1.0))
    for each in first:
        anytime.write_down(each, file)
    known = anytime.read_runs(file)
    assert known == first
    assert [each.upper for each in known] == [15]
    more = list(anytime.races(SMALL, ["search", "mindt"], 1.0, known))
    assert {each.key[:2] for each in more} == {("parity", "mindt"), ("random", "search"), ("random", "mindt")}


def test_the_table_counts_the_best_upper_bounds() -> None:
    """Engines that tie are all best; a run that failed is never."""
    runs = [
        run("one", "a", 15, "optimal"),
        run("one", "b", 15),
        run("two", "a", 21),
        run("two", "b", 19),
        run("three", "a", 7, "optimal"),
        run("three", "b", None, "killed"),
    ]
    lines = list(anytime.table(runs, ["a", "b"]))
    assert lines[2:] == [
        "| one | 31 | 15* | 15 |",
        "| two | 31 | 21 | 19 |",
        "| three | 31 | 7* | – |",
        "| best upper bounds | | 2 | 2 |",
        "| best but for search | | 2 | 2 |",
        "| alone with the best | | 1 | 1 |",
        "| proved minimum (*) | | 2 | 0 |",
    ]


def test_the_exact_search_hides_no_race_of_the_others() -> None:
    """Its bounds count once with the others, and once they do not."""
    runs = [run("one", "a", 17), run("one", "b", 19), run("one", "search", 15, "optimal")]
    lines = list(anytime.table(runs, ["a", "b", "search"]))
    assert "| best upper bounds | | 0 | 0 | 1 |" in lines
    assert "| best but for search | | 1 | 0 | 0 |" in lines


def test_an_engine_that_is_missing_is_an_error(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """It is named before anything runs."""
    with pytest.raises(SystemExit):
        anytime.main(["--data", str(tmp_path), "--engines", "search", "no-such"])
    assert "no-such" in capsys.readouterr().err


@pytest.mark.data
def test_the_whole_path_on_the_paper_s_data(
    paper_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two data sets, two engines, a second: a table with a line for each."""
    options = ["--names", "zoo", "wine", "--engines", "linear", "search", "--time-limit", "1"]
    anytime.main(["--data", str(paper_folder), "--out", str(tmp_path / "runs.jsonl"), *options])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" | ")[0] for line in lines[4:6]] == ["| zoo 40%, seed 0", "| wine 40%, seed 0"]
    assert len(anytime.read_runs(tmp_path / "runs.jsonl")) == 4
