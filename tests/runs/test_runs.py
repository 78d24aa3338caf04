"""The run folder: all of it or nothing, whatever happens."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from puretree import FormatError, InputError, Tree, minimum_tree
from puretree.errors import DataNotFoundError
from puretree.runs import DataRecord, Run, atomic, is_run, load_run, replace_file, save_run
from puretree.runs.store import FILES


def make_run(n_trees: int | None = 3) -> Run:
    """Make a run of a small table."""
    outcome = minimum_tree([["red", 1.0], ["red", 3.0], ["blue", 1.0]], ["stop", "go", "go"])
    assert outcome.tree is not None
    data = DataRecord("/somewhere/table.csv", True, "0" * 64, "1" * 64, "light", ("colour", "x"), {"x": 2.5})
    return Run(
        outcome,
        n_trees,
        {"rule": "first", "score": 1.0, "n_candidates": 1},
        {"engine": "auto"},
        {"tree": outcome.tree.digest, "versions": {"puretree": "0.0.1"}},
        data,
        ((1.0, 0.0), (0.75, 0.25), (0.0, 1.0)),
    )


def test_what_is_saved_is_read_back(tmp_path: Path) -> None:
    """Tree, bounds, history, numbers larger than a machine word, and the data's record."""
    run = make_run(10**30)
    save_run(run, tmp_path / "run")
    again = load_run(tmp_path / "run")
    assert again.tree == run.tree
    assert again.leaf_shares == run.leaf_shares
    assert again.n_trees == 10**30
    assert (again.data, again.selection, again.parameters) == (run.data, run.selection, run.parameters)
    rounded = [(round(bounds.seconds, 6), bounds.lower, bounds.upper) for bounds in run.outcome.history]
    assert [(bounds.seconds, bounds.lower, bounds.upper) for bounds in again.outcome.history] == rounded
    assert again.outcome.status == "optimal"


def test_the_versions_are_those_of_the_run(tmp_path: Path) -> None:
    """A run that is read again tells what made it, not what reads it."""
    save_run(make_run(), tmp_path / "run")
    assert load_run(tmp_path / "run").summary()["versions"] == {"puretree": "0.0.1"}


@pytest.mark.parametrize(
    "shares",
    [
        [],
        [[1, 0]] * 2,
        [[1, 0]] * 4,
        [[1]] * 3,
        [[1, 0, 0]] * 3,
        [[1, 1]] * 3,
        [[2, -1]] * 3,
        [[True, 0]] * 3,
        [["1", "0"]] * 3,
        [[10**400, 0.5]] * 3,
        [{"stop": 1, "go": 0}] * 3,
        "abc",
    ],
)
def test_shares_must_fit_the_tree(tmp_path: Path, shares: object) -> None:
    """A row for each leaf, a share for each class, and not more than 1 in all: anything else is refused."""
    save_run(make_run(), tmp_path / "run")
    path = tmp_path / "run" / "outcome.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"leaf_shares": shares}))
    with pytest.raises(FormatError, match="leaf_shares"):
        load_run(tmp_path / "run")


def test_the_rows_that_trained_are_kept(tmp_path: Path) -> None:
    """Where some rows were kept back, the run tells which were not."""
    save_run(replace(make_run(), training_rows=(0, 2, 5)), tmp_path / "run")
    assert load_run(tmp_path / "run").training_rows == (0, 2, 5)


@pytest.mark.parametrize("rows", [[1, 0], [0, 0], [-1], [True], ["0"], [0.5], "all", {}])
def test_rows_that_trained_must_be_row_numbers(tmp_path: Path, rows: object) -> None:
    """Numbers of rows, each once and in order: anything else is refused."""
    save_run(make_run(), tmp_path / "run")
    path = tmp_path / "run" / "outcome.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"training_rows": rows}))
    with pytest.raises(FormatError, match="training_rows"):
        load_run(tmp_path / "run")


def test_a_run_without_a_count_and_with_odd_names(tmp_path: Path) -> None:
    """None stays None, and a path that is not UTF-8 is kept, too."""
    run = make_run(None)
    odd = replace(run, data=replace(run.data, source="/tmp/\udcff.csv", columns=('a"b', "ü\n")))
    save_run(odd, tmp_path / "run")
    assert load_run(tmp_path / "run").n_trees is None
    assert load_run(tmp_path / "run").data == odd.data


@pytest.mark.parametrize("step", range(20))
def test_a_failure_at_any_step_leaves_the_old_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int) -> None:
    """Whatever call to the system fails, the folder holds the old run or the new one, and nothing lies beside it."""
    folder = tmp_path / "run"
    save_run(make_run(1), folder)
    calls = 0

    def failing(name: str) -> None:
        real = getattr(atomic, name)

        def call(*arguments: object) -> object:
            nonlocal calls
            calls += 1
            if calls == step + 1:
                raise OSError(28, "No space left on device")
            return real(*arguments)

        monkeypatch.setattr(atomic, name, call)

    for name in ("write_lasting", "_sync", "_take_place", "_exchange"):
        failing(name)
    try:
        save_run(make_run(2), folder, force=True)
        expected = 2
    except OSError:
        expected = 2 if calls == 9 else 1  # the last sync comes when the new one is in its place
    assert load_run(folder).n_trees == expected
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


@pytest.mark.parametrize("fails", [False, True])
def test_without_exchange_the_old_one_is_moved_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: bool
) -> None:
    """Where names cannot be exchanged the result is the same; and if the last step fails, the old one comes back."""
    folder = tmp_path / "run"
    save_run(make_run(1), folder)
    monkeypatch.setattr(atomic, "_exchange", lambda one, other: False)
    rename, calls = Path.rename, 0

    def second_fails(self: Path, target: Path) -> Path:
        nonlocal calls
        calls += 1
        if fails and calls == 2:
            raise OSError(5, "Input/output error")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", second_fails)
    if fails:
        with pytest.raises(OSError, match="Input/output"):
            save_run(make_run(2), folder, force=True)
    else:
        save_run(make_run(2), folder, force=True)
    assert load_run(folder).n_trees == (1 if fails else 2)
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_a_killed_process_leaves_a_whole_run(tmp_path: Path) -> None:
    """No clean-up runs when a process is killed: what is under the name is whole all the same."""
    folder = tmp_path / "run"
    save_run(make_run(1), folder)
    program = f"""
import os, sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from pathlib import Path
from puretree.runs import atomic, save_run
from test_runs import make_run
calls = 0
def dying(real):
    def call(*arguments):
        global calls
        calls += 1
        if calls == 7:
            os._exit(9)
        return real(*arguments)
    return call
for name in ("write_lasting", "_sync", "_take_place"):
    setattr(atomic, name, dying(getattr(atomic, name)))
save_run(make_run(2), Path({str(folder)!r}), force=True)
"""
    ended = subprocess.run([sys.executable, "-c", program], check=False)
    assert ended.returncode == 9
    assert load_run(folder).n_trees == 1


def test_only_a_run_is_ever_replaced(tmp_path: Path) -> None:
    """Files of other people are never deleted, forced or not."""
    folder = tmp_path / "run"
    save_run(make_run(), folder)
    with pytest.raises(InputError, match="holds a run already"):
        save_run(make_run(), folder)
    (folder / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match=r"holds notes\.txt, which is no part of a run"):
        save_run(make_run(), folder, force=True)
    assert (folder / "notes.txt").read_text() == "mine"


def test_an_empty_folder_can_be_used(tmp_path: Path) -> None:
    """Nothing is lost there; a link to a folder stays a link."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    save_run(make_run(), tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert is_run(tmp_path / "real")


@pytest.mark.parametrize("where", [".", "..", "{absolute}"])
def test_the_folder_one_is_in_is_no_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    """A folder is replaced as a whole, and whoever is in it, or below it, would be left in a deleted one."""
    (tmp_path / "here" / "below").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "here" / "below" if where == ".." else tmp_path / "here")
    with pytest.raises(InputError, match="is the folder you are in, or around it; give the run its own"):
        save_run(make_run(), Path(where.format(absolute=tmp_path / "here")), force=True)
    save_run(make_run(), Path("run"))
    assert is_run(Path("run"))


@pytest.mark.parametrize("name", FILES)
def test_every_file_is_needed(tmp_path: Path, name: str) -> None:
    """A run with a file missing is not half a run."""
    save_run(make_run(), tmp_path / "run")
    (tmp_path / "run" / name).unlink()
    with pytest.raises(FormatError, match=f"has no {name}"):
        load_run(tmp_path / "run")


def test_no_run(tmp_path: Path) -> None:
    """A folder that is not there."""
    with pytest.raises(DataNotFoundError, match="there is no folder"):
        load_run(tmp_path / "none")


def test_another_tree_is_noticed(tmp_path: Path) -> None:
    """A model that the certificate does not speak of is refused."""
    save_run(make_run(), tmp_path / "run")
    (tmp_path / "run" / "model.json").write_text(Tree.from_nested((0, "a", "b")).to_json())
    with pytest.raises(FormatError, match=r"not that of certificate\.json"):
        load_run(tmp_path / "run")


def test_a_file_is_replaced_as_a_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A failure leaves the old file; a link stays a link; what is no plain file is written to."""
    path, link = tmp_path / "file", tmp_path / "link"
    path.write_bytes(b"old")
    link.symlink_to(path)
    replace_file(link, b"new")
    assert link.is_symlink()
    assert path.read_bytes() == b"new"
    replace_file(Path(os.devnull), b"gone")
    assert Path(os.devnull).is_char_device()
    monkeypatch.setattr(os, "fsync", lambda handle: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(OSError, match="No space"):
        replace_file(path, b"newer")
    assert path.read_bytes() == b"new"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["file", "link"]


@pytest.mark.parametrize("write", [lambda path: replace_file(path, b""), lambda path: save_run(make_run(), path)])
def test_errors_name_the_path_that_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[[Path], None]
) -> None:
    """Not that of the file beside it; and a folder that is not there is told as such."""
    with pytest.raises(InputError, match=r"no/x cannot be written: there is no folder .*no; make it first"):
        write(tmp_path / "no" / "x")

    def failing(path: Path, content: bytes) -> None:
        raise OSError(28, "No space left on device", str(path), None, str(path))

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(atomic, "write_lasting", failing)
    with pytest.raises(OSError, match="No space") as caught:
        write(Path("x"))
    assert (caught.value.filename, caught.value.filename2) == ("x", None)


@pytest.mark.parametrize(("name", "field"), [("outcome.json", "seconds"), ("data.json", "ranges")])
def test_numbers_beyond_all_are_refused(tmp_path: Path, name: str, field: str) -> None:
    """A whole number of 400 digits, where one with a point is meant, is told by its field."""
    save_run(make_run(), tmp_path / "run")
    path = tmp_path / "run" / name
    value: object = 10**400 if field == "seconds" else {"x": 10**400}
    path.write_text(json.dumps(json.loads(path.read_text()) | {field: value}))
    with pytest.raises(FormatError, match="has the invalid value 1000"):
        load_run(tmp_path / "run")


@pytest.mark.parametrize("seconds", ["nan", "inf", "1e999"])
def test_a_history_has_times(tmp_path: Path, seconds: str) -> None:
    """What is no moment is refused."""
    save_run(make_run(), tmp_path / "run")
    (tmp_path / "run" / "history.csv").write_text(f"seconds,lower,upper\n{seconds},3,5\n")
    with pytest.raises(FormatError, match=r"history\.csv"):
        load_run(tmp_path / "run")
