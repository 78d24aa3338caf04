"""Equal data and seeds give equal bytes, for any number of jobs and any hash seed.

Each fit is a separate process with its own hash seed.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

# Selection rules that draw rows, train teachers in parallel, and enumerate trees.
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
for index, case in enumerate(" ".join(options).split(" ; ")):
    out = ["--out", f"{folder}/{index}", "--n-jobs", n_jobs, "--random-state", "3", "--quiet"]
    assert main(["fit", data, *case.split(), *out]) == 0, case
"""


def start(data: str, folder: Path, n_jobs: int, hash_seed: int, cases: list[list[str]]) -> subprocess.Popen[bytes]:
    """Start a process that fits all cases."""
    folder.mkdir()
    options = " ; ".join(" ".join(case) for case in cases)
    command = [sys.executable, "-c", FIT, data, str(folder), str(n_jobs), *options.split(" ")]
    environment = os.environ | {"PYTHONHASHSEED": str(hash_seed)}
    return subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def require_equal_models(data: str, tmp_path: Path, cases: list[list[str]]) -> None:
    """Fit with 1 and with 2 jobs, and compare the models byte by byte."""
    folders = [tmp_path / "one", tmp_path / "two"]
    runs = [start(data, folder, n_jobs, n_jobs, cases) for n_jobs, folder in enumerate(folders, 1)]
    try:
        for run in runs:
            _, errors = run.communicate(timeout=120)
            assert run.returncode == 0, errors.decode()
    finally:
        for run in runs:
            run.kill()
            run.communicate()
    for index, case in enumerate(cases):
        first, second = ((folder / str(index) / "model.json").read_bytes() for folder in folders)
        assert first == second, case


def test_models_are_reproducible(tmp_path: Path) -> None:
    """One selection rule of each engine gives equal models on a small table."""
    require_equal_models("formula:mux6", tmp_path, [CASES["search"][1], CASES["maxsat"][1]])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("engine", "data"),
    [("search", "sklearn:iris"), ("search", "formula:mux6"), ("maxsat", "formula:mux6"), ("maxsat", "formula:monks-1")],
)
def test_every_selection_rule_is_reproducible(tmp_path: Path, data: str, engine: str) -> None:
    """Every selection rule gives equal models, on numbers and on binary features."""
    require_equal_models(data, tmp_path, CASES[engine])
