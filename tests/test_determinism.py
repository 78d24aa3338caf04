"""The same data, the same seed: the same bytes, whatever the number of processors and the order of hashing.

What is compared is written by processes of their own, since Python takes another order of hashing for each.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

# Selections that draw rows, train teachers on several processors, and list trees in some order.
CASES = {
    "search": [
        ["--engine", "search", "--selection", selection]
        for selection in ("consensus", "teacher", "teacher-extra-trees", "holdout", "holdout-teacher", "first")
    ]
    + [["--engine", "search", "--selection", "teacher", "--n-trees", "7", "--diversity", "mdsol"]],
    "maxsat": [
        ["--engine", "maxsat", "--selection", "consensus"],
        ["--engine", "maxsat", "--selection", "teacher", "--n-trees", "5"],
        ["--engine", "maxsat", "--selection", "holdout", "--n-trees", "5", "--diversity", "mdsol"],
    ],
}
FIT = """
import sys
from puretree.cli import main
data, folder, n_jobs, *options = sys.argv[1:]
for place, case in enumerate(" ".join(options).split(" ; ")):
    out = ["--out", f"{folder}/{place}", "--n-jobs", n_jobs, "--random-state", "3", "--quiet"]
    assert main(["fit", data, *case.split(), *out]) == 0, case
"""


def start(data: str, folder: Path, n_jobs: int, hash_seed: int, cases: list[list[str]]) -> subprocess.Popen[bytes]:
    """Fit all cases in one process."""
    folder.mkdir()
    options = " ; ".join(" ".join(case) for case in cases)
    command = [sys.executable, "-c", FIT, data, str(folder), str(n_jobs), *options.split(" ")]
    environment = os.environ | {"PYTHONHASHSEED": str(hash_seed)}
    return subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def require_equal_models(data: str, tmp_path: Path, cases: list[list[str]]) -> None:
    """Fit with 1 and with 2 processors, and compare the models byte by byte."""
    folders = [tmp_path / "one", tmp_path / "two"]
    runs = [start(data, folder, n_jobs, n_jobs, cases) for n_jobs, folder in enumerate(folders, 1)]
    try:
        for run in runs:
            _, complaints = run.communicate(timeout=120)
            assert run.returncode == 0, complaints.decode()
    finally:
        for run in runs:
            run.kill()
            run.communicate()
    for place, case in enumerate(cases):
        one, other = ((folder / str(place) / "model.json").read_bytes() for folder in folders)
        assert one == other, case


def test_equal_runs(tmp_path: Path) -> None:
    """One choice of each engine on a small table."""
    require_equal_models("formula:monks-1", tmp_path, [CASES["search"][1], CASES["maxsat"][1]])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("engine", "data"),
    [("search", "sklearn:iris"), ("search", "formula:mux6"), ("maxsat", "formula:mux6"), ("maxsat", "formula:monks-1")],
)
def test_equal_runs_of_every_choice(tmp_path: Path, data: str, engine: str) -> None:
    """Every rule of selection, on numbers and on bits."""
    require_equal_models(data, tmp_path, CASES[engine])
