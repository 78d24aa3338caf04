"""A run as a program, to be killed: ``run_misbehaving.py FOLDER DEED…`` keeps its rows in the folder."""

import sys
from pathlib import Path

from helpers.misbehaving import Misbehaving

from puretree.bench.measurement.results import ResultsFile
from puretree.bench.measurement.runner import run

if __name__ == "__main__":
    folder, *deeds = sys.argv[1:]
    with ResultsFile(Path(folder) / "results.jsonl", {}) as results:
        run(Misbehaving(tuple(deeds), folder=folder), results, on_row=lambda row: print(row.key["number"], flush=True))
