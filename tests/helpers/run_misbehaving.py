"""Run misbehaving cells as a program that a test can kill: ``run_misbehaving.py FOLDER ACTION…`` stores rows there."""

import sys
from pathlib import Path

from helpers.misbehaving import Misbehaving

from puretree.bench.measurement.results import ResultsFile
from puretree.bench.measurement.runner import run

if __name__ == "__main__":
    folder, *actions = sys.argv[1:]
    with ResultsFile(Path(folder) / "results.jsonl", {}) as results:
        experiment = Misbehaving(tuple(actions), folder=folder)
        run(experiment, results, on_row=lambda row: print(row.key["number"], flush=True))
