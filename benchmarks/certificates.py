"""Certificates of the paper's data sets: how large they are, how long they take to make, and how long to check.

Run with ``python benchmarks/certificates.py --data FOLDER [--limit 60] [--names zoo irish]``. Each data set is fitted
with the paper's bits, or with thresholds if it is not of the paper, certified and verified, all in this one run. A
refutation that is not done within the limit is told as such; the search's log then proves the bound alone. Ends with an
error if a certificate is not verified.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from puretree._support.clock import Clock
from puretree._support.text import text_table
from puretree.cli import main as puretree
from puretree.datasets import load
from puretree.proof import CertifyOptions, Check, Manifest, Verdict, VerifyOptions, certify, verify
from puretree.runs import load_run

# Those whose refutation is short come first; of the others the search's log is the proof.
NAMES = (
    *("balloons1", "balloons3", "lenses", "meteo", "corral", "mux6", "irish", "lung_cancer", "mouse", "monks-1"),
    *("hayes-roth", "zoo", "sklearn:iris", "mushroom-cp4im", "monks-3", "house-votes-84", "spect", "lymphography"),
    "monks-2",
)
HEADER = (
    *("data set", "nodes", "log bytes", "made s", "checked s", "clauses", "proof bytes", "refuted s", "checked s"),
    *("purity s", "verdict"),
)


def certify_one(name: str, folder: Path, limit: float) -> tuple[Manifest, dict[str, float], Verdict]:
    """Fit, certify and verify one data set; the seconds are those of making each part."""
    run = folder / "run"
    data, questions = (name, "thresholds") if ":" in name else (f"file:{name}", "bits")
    asked = ["--binarize", questions, "--on-conflict", "majority", "--selection", "first", "--n-trees", "1"]
    limits = ["--quiet", "--time-limit", "60", "--out", str(run)]
    with contextlib.redirect_stdout(io.StringIO()):
        assert puretree(["fit", data, *asked, *limits]) in (0, 10)
    seconds: dict[str, float] = {}
    given = CertifyOptions(clock=Clock(2 * limit), on_done=lambda part, _, taken: seconds.__setitem__(part, taken))
    manifest = certify(load_run(run), run, load(data), given)
    return manifest, seconds, verify(run, VerifyOptions(clock=Clock(10 * limit)))


def line(name: str, manifest: Manifest, taken: dict[str, float], verdict: Verdict) -> tuple[str, ...]:
    """Return the figures of one certificate; a dash where a part was not made, or not checked."""
    checks: dict[str, Check] = {check.part: check for check in verdict.checks}
    size = {file: f"{told['bytes']:,}" for file, told in manifest.files.items()}

    def seconds(part: str) -> tuple[str, str]:
        check, is_made = checks[part], manifest.parts[part]["made"]
        is_checked = check.result == "verified"
        return f"{taken[part]:.2f}" if is_made else "—", f"{check.seconds:.2f}" if is_checked else "—"

    claim = manifest.claim
    nodes = f"{claim['n_nodes']}" if claim["is_minimum"] else f"{claim['lower_bound']}–{claim['n_nodes']}"
    n_clauses = manifest.parts["refutation"]["detail"].partition("nodes: ")[2].partition(" clauses")[0] or "—"
    return (
        *(name, nodes, size.get("bound.log", "—"), *seconds("bound")),
        *(n_clauses, size.get("proof.drat", "—"), *seconds("refutation"), f"{checks['purity'].seconds:.2f}"),
        "verified" if verdict.holds else "NOT VERIFIED",
    )


def measure(names: Sequence[str], limit: float) -> Iterator[tuple[str, ...]]:
    """Yield the figures of each data set."""
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            found = line(name, *certify_one(name, Path(folder), limit))
            print("…", *found, flush=True)
            yield found


def main() -> None:
    """Read the options and run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=os.environ.get("PURETREE_DATA"), help="the folder of data sets")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for each proof")
    parser.add_argument("--names", nargs="+", default=NAMES)
    given: Any = parser.parse_args()
    os.environ["PURETREE_DATA"] = str(given.data or parser.error("--data is missing"))
    lines = list(measure(given.names, given.limit))
    print(*text_table(HEADER, lines), sep="\n")
    both = sum(found[2] != "—" and found[6] != "—" for found in lines)
    print(f"{len(lines)} certificates, {both} of them with both proofs of minimality")
    if any(found[-1] != "verified" for found in lines):
        parser.error("not all of them are verified")


if __name__ == "__main__":
    main()
