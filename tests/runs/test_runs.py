"""The run folder: saved atomically, and validated when it is loaded."""

import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from puretree import FormatError, InputError, Tree, minimum_tree
from puretree.errors import DataNotFoundError
from puretree.outcome import Bounds
from puretree.pipeline import choose_optimal_tree
from puretree.runs import DataRecord, Run, atomic, is_run, load_run, replace_file, save_run
from puretree.runs.store import FILES


def make_run(n_trees: int | None = 3) -> Run:
    """Return a run on a small table."""
    outcome = minimum_tree([["red", 1.0], ["red", 3.0], ["blue", 1.0]], ["stop", "go", "go"])
    assert outcome.tree is not None
    data = DataRecord("/somewhere/table.csv", True, "0" * 64, "1" * 64, "light", ("colour", "x"), {"x": 2.5})
    return Run(
        outcome,
        n_trees,
        {"rule": "first", "score": 1.0, "n_candidates": 1, "n_unproved": 0},
        {"engine": "auto"},
        {"tree": outcome.tree.digest, "versions": {"puretree": "0.0.1"}},
        data,
        ((1.0, 0.0), (0.75, 0.25), (0.0, 1.0)),
    )


def test_a_run_without_unproved_trees_is_loaded() -> None:
    """In a run that was saved before they were counted, their number is unknown; only a number is valid otherwise."""
    run = make_run()
    summary = json.loads(json.dumps(run.summary()))
    parts = (run.outcome.history, run.certificate, json.loads(json.dumps(run.data_dict())))
    del summary["selection"]["n_unproved"]
    loaded = Run.from_parts(run.tree, summary, *parts)
    assert loaded.selection["n_unproved"] is None
    saved = json.dumps(loaded.summary())
    assert json.dumps(Run.from_parts(run.tree, json.loads(saved), *parts).summary()) == saved
    summary["selection"]["n_unproved"] = "3"
    with pytest.raises(FormatError, match="n_unproved"):
        Run.from_parts(run.tree, summary, *parts)


def test_a_saved_run_is_loaded(tmp_path: Path) -> None:
    """Tree, bounds, history, integers larger than a machine word and the data record are restored."""
    run = make_run(10**30)
    save_run(run, tmp_path / "run")
    loaded = load_run(tmp_path / "run")
    assert loaded.tree == run.tree
    assert loaded.leaf_shares == run.leaf_shares
    assert loaded.n_trees == 10**30
    assert (loaded.data, loaded.selection, loaded.parameters) == (run.data, run.selection, run.parameters)
    rounded = tuple(replace(bounds, seconds=round(bounds.seconds, 6)) for bounds in run.outcome.history)
    assert loaded.outcome.history == rounded
    assert loaded.outcome.found_by == run.outcome.found_by != ""
    assert loaded.outcome.status == "optimal"


def test_a_saved_run_has_its_front(tmp_path: Path) -> None:
    """Where errors are allowed, the front and the cross-validation are loaded as they were saved."""
    rows, labels = [[i, i % 7] for i in range(40)], [i % 7 > 2 or i > 35 for i in range(40)]
    result = choose_optimal_tree(rows, labels, binarize="thresholds", selection="first", random_state=0)
    run = Run.from_fit(result, {"alpha": "cv"})
    save_run(run, tmp_path / "run")
    loaded = load_run(tmp_path / "run")
    assert loaded.front == run.front
    assert loaded.front is not None
    assert loaded.allows_errors
    assert loaded.is_finished
    assert loaded.wants_validation
    unproved = replace(loaded, outcome=replace(loaded.outcome, status="time_limit"))
    cut_short = replace(loaded, front=replace(loaded.front, is_validated=False))
    assert not unproved.is_finished
    assert not cut_short.is_finished


def test_the_versions_are_those_of_the_run(tmp_path: Path) -> None:
    """A loaded run has the versions that made it, not those that loaded it."""
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
def test_leaf_shares_must_match_the_tree(tmp_path: Path, shares: object) -> None:
    """leaf_shares needs a row for each leaf and a fraction for each class, with a sum of at most 1."""
    save_run(make_run(), tmp_path / "run")
    path = tmp_path / "run" / "outcome.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"leaf_shares": shares}))
    with pytest.raises(FormatError, match="leaf_shares"):
        load_run(tmp_path / "run")


def test_training_rows_are_saved(tmp_path: Path) -> None:
    """If some rows were held out, the run records the training rows."""
    save_run(replace(make_run(), training_rows=(0, 2, 5)), tmp_path / "run")
    assert load_run(tmp_path / "run").training_rows == (0, 2, 5)


@pytest.mark.parametrize("rows", [[1, 0], [0, 0], [-1], [True], ["0"], [0.5], "all", {}])
def test_training_rows_must_be_row_numbers(tmp_path: Path, rows: object) -> None:
    """training_rows must be distinct row numbers in ascending order."""
    save_run(make_run(), tmp_path / "run")
    path = tmp_path / "run" / "outcome.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"training_rows": rows}))
    with pytest.raises(FormatError, match="training_rows"):
        load_run(tmp_path / "run")


def test_a_run_without_a_count_and_with_unusual_names(tmp_path: Path) -> None:
    """None is restored, and so are a path that is not UTF-8 and unusual column names."""
    run = make_run(None)
    unusual = replace(run, data=replace(run.data, source="/tmp/\udcff.csv", columns=('a"b', "ü\n")))
    save_run(unusual, tmp_path / "run")
    assert load_run(tmp_path / "run").n_trees is None
    assert load_run(tmp_path / "run").data == unusual.data


@pytest.mark.parametrize("step", range(20))
def test_a_failure_at_any_step_leaves_the_old_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int) -> None:
    """If any system call fails, the folder holds the old run or the new one, and no temporary file is left."""
    folder = tmp_path / "run"
    save_run(make_run(1), folder)
    calls = 0

    def make_failing(name: str) -> None:
        real = getattr(atomic, name)

        def call(*arguments: object) -> object:
            nonlocal calls
            calls += 1
            if calls == step + 1:
                raise OSError(28, "No space left on device")
            return real(*arguments)

        monkeypatch.setattr(atomic, name, call)

    for name in ("write_and_sync", "_sync_folder", "_rename_over", "_exchange"):
        make_failing(name)
    try:
        save_run(make_run(2), folder, force=True)
        expected = 2
    except OSError:
        expected = 2 if calls == 9 else 1  # the last sync is after the rename
    assert load_run(folder).n_trees == expected
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


@pytest.mark.parametrize("fails", [False, True])
def test_without_exchange_the_old_run_is_renamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: bool) -> None:
    """Without an atomic exchange the result is the same; if the second rename fails, the old run is restored."""
    folder = tmp_path / "run"
    save_run(make_run(1), folder)
    monkeypatch.setattr(atomic, "_exchange", lambda first, second: False)
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


def test_a_killed_process_leaves_a_complete_run(tmp_path: Path) -> None:
    """If the process is killed, without any clean-up, the run under the name is still complete."""
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
for name in ("write_and_sync", "_sync_folder", "_rename_over"):
    setattr(atomic, name, dying(getattr(atomic, name)))
save_run(make_run(2), Path({str(folder)!r}), force=True)
"""
    ended = subprocess.run([sys.executable, "-c", program], check=False)
    assert ended.returncode == 9
    assert load_run(folder).n_trees == 1


def test_only_a_run_is_ever_replaced(tmp_path: Path) -> None:
    """Other files in the folder are never deleted, with or without force."""
    folder = tmp_path / "run"
    save_run(make_run(), folder)
    with pytest.raises(InputError, match="already holds a run"):
        save_run(make_run(), folder)
    (folder / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match=r"holds notes\.txt, which is not part of a run"):
        save_run(make_run(), folder, force=True)
    assert (folder / "notes.txt").read_text() == "mine"


def test_an_empty_folder_can_be_used(tmp_path: Path) -> None:
    """An empty folder is replaced; a symbolic link to a folder is kept."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    save_run(make_run(), tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert is_run(tmp_path / "real")


@pytest.mark.parametrize("where", [".", "..", "{absolute}"])
def test_the_current_folder_cannot_be_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    """The current folder and its parents are rejected, since replacing them would delete the working directory."""
    (tmp_path / "here" / "below").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "here" / "below" if where == ".." else tmp_path / "here")
    with pytest.raises(InputError, match="is the current folder or contains it; use a separate folder"):
        save_run(make_run(), Path(where.format(absolute=tmp_path / "here")), force=True)
    save_run(make_run(), Path("run"))
    assert is_run(Path("run"))


@pytest.mark.parametrize("name", FILES)
def test_every_file_is_needed(tmp_path: Path, name: str) -> None:
    """A run with a missing file is rejected."""
    save_run(make_run(), tmp_path / "run")
    (tmp_path / "run" / name).unlink()
    with pytest.raises(FormatError, match=f"has no {name}"):
        load_run(tmp_path / "run")


def test_a_folder_that_does_not_exist(tmp_path: Path) -> None:
    """A missing folder is reported."""
    with pytest.raises(DataNotFoundError, match="there is no folder"):
        load_run(tmp_path / "none")


def test_another_tree_is_detected(tmp_path: Path) -> None:
    """A model that does not match the digest in the certificate is rejected."""
    save_run(make_run(), tmp_path / "run")
    (tmp_path / "run" / "model.json").write_text(Tree.from_nested((0, "a", "b")).to_json())
    with pytest.raises(FormatError, match=r"not that of certificate\.json"):
        load_run(tmp_path / "run")


def test_a_file_is_replaced_atomically(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A failure leaves the old file; a symbolic link is kept; a device is written to directly."""
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
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["file", "link"]


def mode_of(path: Path) -> int:
    """Return the permission bits of a path."""
    return stat.S_IMODE(path.stat().st_mode)


def test_permissions_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A private file and a private run stay private, also while they are replaced; new ones have those of the umask."""
    file, folder = tmp_path / "file", tmp_path / "run"
    umask = os.umask(0o027)
    try:
        replace_file(file, b"old")
        save_run(make_run(1), folder)
    finally:
        os.umask(umask)
    assert (mode_of(file), mode_of(folder), mode_of(folder / "model.json")) == (0o640, 0o750, 0o640)
    file.chmod(0o600)
    folder.chmod(0o700)
    (folder / "model.json").chmod(0o600)
    written, write = [], atomic.write_and_sync

    def observed(path: Path, content: bytes) -> None:
        written.append(mode_of(path) if path.exists() else mode_of(path.parent))
        write(path, content)

    monkeypatch.setattr(atomic, "write_and_sync", observed)
    replace_file(file, b"new")
    save_run(make_run(2), folder, force=True)
    assert written == [0o600] + [0o700] * len(FILES)
    assert (mode_of(file), mode_of(folder), mode_of(folder / "model.json")) == (0o600, 0o700, 0o600)
    assert file.read_bytes() == b"new"
    assert load_run(folder).n_trees == 2


def test_a_symbolic_link_to_itself_is_rejected(tmp_path: Path) -> None:
    """A target that is a symbolic link to itself is an input error that names it, for files and for runs."""
    path = tmp_path / "loop"
    path.symlink_to(path)
    for write in (lambda: replace_file(path, b""), lambda: save_run(make_run(), path)):
        with pytest.raises(InputError, match="loop cannot be written: it is a symbolic link that leads to itself"):
            write()


@pytest.mark.parametrize("write", [lambda path: replace_file(path, b""), lambda path: save_run(make_run(), path)])
def test_errors_name_the_target_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[[Path], None]
) -> None:
    """Errors name the target, not the temporary file; a missing folder is reported."""
    with pytest.raises(InputError, match=r"no/x cannot be written: there is no folder .*no; create it first"):
        write(tmp_path / "no" / "x")

    def failing(path: Path, content: bytes) -> None:
        raise OSError(28, "No space left on device", str(path), None, str(path))

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(atomic, "write_and_sync", failing)
    with pytest.raises(OSError, match="No space") as caught:
        write(Path("x"))
    assert (caught.value.filename, caught.value.filename2) == ("x", None)


@pytest.mark.parametrize(("name", "field"), [("outcome.json", "seconds"), ("data.json", "ranges")])
def test_numbers_too_large_for_a_float_are_rejected(tmp_path: Path, name: str, field: str) -> None:
    """An integer of 400 digits in place of a float is rejected with the name of its field."""
    save_run(make_run(), tmp_path / "run")
    path = tmp_path / "run" / name
    value: object = 10**400 if field == "seconds" else {"x": 10**400}
    path.write_text(json.dumps(json.loads(path.read_text()) | {field: value}))
    with pytest.raises(FormatError, match="has the invalid value 1000"):
        load_run(tmp_path / "run")


def test_a_history_of_an_earlier_release_is_loaded(tmp_path: Path) -> None:
    """Without the column that says who made each improvement, the bounds are read, and nobody is credited."""
    save_run(make_run(), tmp_path / "run")
    (tmp_path / "run" / "history.csv").write_text("seconds,lower,upper\n0.25,3,\n0.5,3,5\n")
    outcome = load_run(tmp_path / "run").outcome
    assert (outcome.history, outcome.found_by) == ((Bounds(0.25, 3, None), Bounds(0.5, 3, 5)), "")


@pytest.mark.parametrize("seconds", ["nan", "inf", "1e999"])
def test_a_history_needs_finite_times(tmp_path: Path, seconds: str) -> None:
    """A time that is not finite is rejected."""
    save_run(make_run(), tmp_path / "run")
    (tmp_path / "run" / "history.csv").write_text(f"seconds,lower,upper\n{seconds},3,5\n")
    with pytest.raises(FormatError, match=r"history\.csv"):
        load_run(tmp_path / "run")


def test_weights_of_training_rows_are_restored_and_checked(tmp_path: Path) -> None:
    """Weights are stored with the training rows; older runs have none, and invalid ones are rejected."""
    run = replace(make_run(), training_rows=(0, 2), training_weights=(5, 1))
    save_run(run, tmp_path / "run")
    assert load_run(tmp_path / "run").training_weights == (5, 1)
    path = tmp_path / "run" / "outcome.json"
    summary = json.loads(path.read_text())
    for weights in ([1], [1, 0], [1, 1.5], "11", [1, 2**62]):
        path.write_text(json.dumps(summary | {"training_weights": weights}))
        with pytest.raises(FormatError, match="'training_weights' must be a positive integer for each"):
            load_run(tmp_path / "run")
    del summary["training_weights"]
    path.write_text(json.dumps(summary))
    assert load_run(tmp_path / "run").training_weights is None
