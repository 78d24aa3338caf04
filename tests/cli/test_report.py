"""``puretree report``: four documents in the run, and a line about what is in the way."""

import hashlib
import json
from pathlib import Path

from helpers.command_line import LOANS, Puretree

from puretree.runs import load_run
from puretree.runs.store import FILES


def test_report_writes_into_the_run(puretree: Puretree, run_folder: Path) -> None:
    """The documents are told on standard output; the run is a run as before."""
    ended = puretree("report", run_folder)
    names = ["card.md", "card.html", "dossier.md", "dossier.html"]
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.splitlines() == [str(run_folder / "report" / name) for name in names]
    assert load_run(run_folder).tree.n_nodes == 5
    card = (run_folder / "report" / "card.md").read_text(encoding="utf-8")
    assert "correctly classifies all 6 training rows has at least 5 nodes" in card
    assert "There are 2 trees of this size" in card


def test_report_as_json(puretree: Puretree, run_folder: Path, loans: Path, tmp_path: Path) -> None:
    """The facts for programs: hashes of the files of the run and of what was written, and the figures."""
    out = tmp_path / "out"
    told = json.loads(puretree("report", run_folder, "--out", out, "--test", loans, "--json").out)
    assert told["files"] == {name: hashlib.sha256((run_folder / name).read_bytes()).hexdigest() for name in FILES}
    written = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in out.iterdir()}
    assert told["documents"] == written
    assert (told["lower_bound"], told["n_nodes"], told["n_trees"], told["proof"]) == (5, 5, 2, None)
    assert [part["name"] for part in told["parts"]] == ["training", "test"]
    assert told["parts"][1]["metrics"]["accuracy"] == 1.0
    assert told["parts"][1]["is_training_file"] is True
    assert told["data"]["source"] == "loans.csv"
    assert all(digest in (out / "dossier.md").read_text(encoding="utf-8") for digest in told["files"].values())


def test_a_report_is_made_again(puretree: Puretree, run_folder: Path) -> None:
    """In place of the older one, but not of what people wrote."""
    assert puretree("report", run_folder).code == 0
    first = (run_folder / "report" / "card.html").read_bytes()
    assert puretree("report", run_folder).code == 0
    assert (run_folder / "report" / "card.html").read_bytes() == first
    (run_folder / "report" / "card.md").write_text("mine", encoding="utf-8")
    ended = puretree("report", run_folder)
    assert ended.code == 2
    assert "edited documents: card.md" in ended.err
    assert puretree("report", run_folder, "--force").code == 0


def test_changed_data_are_refused(puretree: Puretree, run_folder: Path, loans: Path) -> None:
    """A report of other data would be a lie, and nothing is written."""
    loans.write_text(LOANS.replace("30,clerk", "31,clerk"), encoding="utf-8")
    ended = puretree("report", run_folder)
    assert ended.code == 2
    assert "changed since the run" in ended.err
    assert not (run_folder / "report").exists()


def test_data_that_moved(puretree: Puretree, run_folder: Path, loans: Path, tmp_path: Path) -> None:
    """Gone is an error that names the option; elsewhere will do if it is the same; another file will not."""
    moved, other = tmp_path / "moved.csv", tmp_path / "other.csv"
    loans.rename(moved)
    ended = puretree("report", run_folder)
    assert ended.code == 2
    assert "--data" in ended.err
    assert puretree("report", run_folder, "--data", moved).code == 0
    other.write_text(LOANS + "1,nurse,no,0012,high\n", encoding="utf-8")
    ended = puretree("report", run_folder, "--data", other)
    assert ended.code == 2
    assert "is not what the run was made of" in ended.err


def test_a_model_alone_is_no_run(puretree: Puretree, run_folder: Path) -> None:
    """It has no bounds to tell of."""
    ended = puretree("report", run_folder / "model.json")
    assert ended.code == 2
    assert "run folder" in ended.err


def test_a_test_without_a_column(puretree: Puretree, run_folder: Path, tmp_path: Path) -> None:
    """One line that names the file and the column."""
    rows = tmp_path / "rows.csv"
    rows.write_text("income\n3\n", encoding="utf-8")
    ended = puretree("report", run_folder, "--test", rows)
    assert ended.code == 2
    assert "rows.csv has no column 'risk'" in ended.err


def test_no_time_for_all_trees_is_noted(puretree: Puretree, run_folder: Path) -> None:
    """The documents are written, and both they and standard error say what is not in them."""
    ended = puretree("report", run_folder, "--time-limit", 0)
    assert ended.code == 0
    assert "Not all minimum trees were enumerated" in ended.err
    assert "Not all minimum trees were enumerated" in (run_folder / "report" / "dossier.md").read_text(encoding="utf-8")


def test_a_run_with_a_report_can_be_replaced(puretree: Puretree, run_folder: Path, loans: Path) -> None:
    """The old report goes with the run that it speaks of; without --force neither does."""
    (run_folder / "proof").mkdir()
    assert puretree("report", run_folder).code == 0
    assert "already holds a run" in puretree("fit", loans, "--target", "risk", "--out", run_folder).err
    assert puretree("fit", loans, "--target", "risk", "--out", run_folder, "--force", "--quiet").code == 0
    assert sorted(path.name for path in run_folder.iterdir()) == sorted(FILES)


def test_a_folder_called_report_is_somebody_elses(puretree: Puretree, loans: Path, tmp_path: Path) -> None:
    """Where there is no run, nothing of that name is wiped out."""
    folder = tmp_path / "mine"
    (folder / "report").mkdir(parents=True)
    ended = puretree("fit", loans, "--target", "risk", "--out", folder, "--force")
    assert ended.code == 2
    assert "holds report, which is not part of a run" in ended.err
    assert (folder / "report").is_dir()
