"""``puretree report``: the documents it writes, and its errors."""

import hashlib
import json
from pathlib import Path

from helpers.command_line import LOANS, Puretree

from puretree.runs import load_run
from puretree.runs.store import FILES


def test_report_writes_into_the_run(puretree: Puretree, run_folder: Path) -> None:
    """The paths of the documents are printed on standard output; the run stays valid."""
    result = puretree("report", run_folder)
    names = ["card.md", "card.html", "dossier.md", "dossier.html"]
    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines() == [str(run_folder / "report" / name) for name in names]
    assert load_run(run_folder).tree.n_nodes == 5
    card = (run_folder / "report" / "card.md").read_text(encoding="utf-8")
    assert "correctly classifies all 6 training rows has at least 5 nodes" in card
    assert "There are 2 trees of this size" in card


def test_report_as_json(puretree: Puretree, run_folder: Path, loans: Path, tmp_path: Path) -> None:
    """JSON contains the hashes of the run's files and of the documents, and all figures."""
    out = tmp_path / "out"
    facts = json.loads(puretree("report", run_folder, "--out", out, "--test", loans, "--json").out)
    assert facts["files"] == {name: hashlib.sha256((run_folder / name).read_bytes()).hexdigest() for name in FILES}
    written = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in out.iterdir()}
    assert facts["documents"] == written
    assert (facts["lower_bound"], facts["n_nodes"], facts["n_trees"], facts["proof"]) == (5, 5, 2, None)
    assert [part["name"] for part in facts["parts"]] == ["training", "test"]
    assert facts["parts"][1]["metrics"]["accuracy"] == 1.0
    assert facts["parts"][1]["is_training_file"] is True
    assert facts["data"]["source"] == "loans.csv"
    assert all(digest in (out / "dossier.md").read_text(encoding="utf-8") for digest in facts["files"].values())


def test_a_report_is_replaced(puretree: Puretree, run_folder: Path) -> None:
    """A report replaces an older one; edited documents are replaced only with --force."""
    assert puretree("report", run_folder).code == 0
    first = (run_folder / "report" / "card.html").read_bytes()
    assert puretree("report", run_folder).code == 0
    assert (run_folder / "report" / "card.html").read_bytes() == first
    (run_folder / "report" / "card.md").write_text("mine", encoding="utf-8")
    result = puretree("report", run_folder)
    assert result.code == 2
    assert "edited documents: card.md" in result.err
    assert puretree("report", run_folder, "--force").code == 0


def test_changed_data_are_rejected(puretree: Puretree, run_folder: Path, loans: Path) -> None:
    """A report on other data would be wrong, so nothing is written."""
    loans.write_text(LOANS.replace("30,clerk", "31,clerk"), encoding="utf-8")
    result = puretree("report", run_folder)
    assert result.code == 2
    assert "has changed since the run" in result.err
    assert not (run_folder / "report").exists()


def test_moved_data(puretree: Puretree, run_folder: Path, loans: Path, tmp_path: Path) -> None:
    """An error about missing data names --data, which accepts only a file with the same content."""
    moved, other = tmp_path / "moved.csv", tmp_path / "other.csv"
    loans.rename(moved)
    result = puretree("report", run_folder)
    assert result.code == 2
    assert "--data" in result.err
    assert puretree("report", run_folder, "--data", moved).code == 0
    other.write_text(LOANS + "1,nurse,no,0012,high\n", encoding="utf-8")
    result = puretree("report", run_folder, "--data", other)
    assert result.code == 2
    assert "is not the data of the run" in result.err


def test_a_model_without_a_run_is_rejected(puretree: Puretree, run_folder: Path) -> None:
    """A model has no bounds to report."""
    result = puretree("report", run_folder / "model.json")
    assert result.code == 2
    assert "run folder" in result.err


def test_test_rows_without_the_target_are_rejected(puretree: Puretree, run_folder: Path, tmp_path: Path) -> None:
    """The error names the file and the column."""
    rows = tmp_path / "rows.csv"
    rows.write_text("income\n3\n", encoding="utf-8")
    result = puretree("report", run_folder, "--test", rows)
    assert result.code == 2
    assert "rows.csv has no column 'risk'" in result.err


def test_a_time_limit_is_noted(puretree: Puretree, run_folder: Path) -> None:
    """If not all minimum trees are found in time, the documents and a note on standard error say so."""
    result = puretree("report", run_folder, "--time-limit", 0)
    assert result.code == 0
    assert "Not all minimum trees were enumerated" in result.err
    assert "Not all minimum trees were enumerated" in (run_folder / "report" / "dossier.md").read_text(encoding="utf-8")


def test_a_run_with_a_report_can_be_replaced(puretree: Puretree, run_folder: Path, loans: Path) -> None:
    """With --force, a run is replaced together with its report; without it, neither is."""
    (run_folder / "proof").mkdir()
    assert puretree("report", run_folder).code == 0
    assert "already holds a run" in puretree("fit", loans, "--target", "risk", "--out", run_folder).err
    assert puretree("fit", loans, "--target", "risk", "--out", run_folder, "--force", "--quiet").code == 0
    assert sorted(path.name for path in run_folder.iterdir()) == sorted(FILES)


def test_a_folder_report_without_a_run_is_not_deleted(puretree: Puretree, loans: Path, tmp_path: Path) -> None:
    """In a folder without a run, a subfolder named report is not part of a run, and stays."""
    folder = tmp_path / "mine"
    (folder / "report").mkdir(parents=True)
    result = puretree("fit", loans, "--target", "risk", "--out", folder, "--force")
    assert result.code == 2
    assert "holds report, which is not part of a run" in result.err
    assert (folder / "report").is_dir()
