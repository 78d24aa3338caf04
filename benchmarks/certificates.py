"""Size of certificates for the paper's data sets, and the time to create and to verify them.

Run with ``python benchmarks/certificates.py --data FOLDER [--limit 60] [--names zoo irish]``. Each data set is fitted,
with the paper's binary features or with thresholds if it is not one of the paper's, then certified and verified. If a
refutation does not finish within the limit, its columns are empty, and only the search's log proves the bound. Exits
with an error if a certificate is not verified.
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

# Data sets with a short refutation come first; for the others the search's log is the proof.
NAMES = (
    *("balloons1", "balloons3", "lenses", "meteo", "corral", "mux6", "irish", "lung_cancer", "mouse", "monks-1"),
    *("hayes-roth", "zoo", "sklearn:iris", "mushroom-cp4im", "monks-3", "house-votes-84", "spect", "lymphography"),
    "monks-2",
)
HEADER = (
    *("data set", "nodes", "log bytes", "made s", "checked s", "clauses", "proof bytes", "refuted s", "checked s"),
    *("purity s", "verdict"),
)


def certify_dataset(name: str, folder: Path, limit: float) -> tuple[Manifest, dict[str, float], Verdict]:
    """Fit, certify and verify a data set; return the seconds to create each part of the certificate."""
    run = folder / "run"
    data, binarize = (name, "thresholds") if ":" in name else (f"file:{name}", "bits")
    options = ["--binarize", binarize, "--on-conflict", "majority", "--selection", "first", "--n-trees", "1"]
    limits = ["--quiet", "--time-limit", "60", "--out", str(run)]
    with contextlib.redirect_stdout(io.StringIO()):
        assert puretree(["fit", data, *options, *limits]) in (0, 10)
    seconds: dict[str, float] = {}
    certifying = CertifyOptions(clock=Clock(2 * limit), on_done=lambda part, _, taken: seconds.__setitem__(part, taken))
    manifest = certify(load_run(run), run, load(data), certifying)
    return manifest, seconds, verify(run, VerifyOptions(clock=Clock(10 * limit)))


def table_row(name: str, manifest: Manifest, created: dict[str, float], verdict: Verdict) -> tuple[str, ...]:
    """Return the table row of a certificate; a dash for parts that were not created or not checked."""
    checks: dict[str, Check] = {check.part: check for check in verdict.checks}
    size = {file: f"{entry['bytes']:,}" for file, entry in manifest.files.items()}

    def seconds(part: str) -> tuple[str, str]:
        check, is_made = checks[part], manifest.parts[part]["made"]
        is_checked = check.result == "verified"
        return f"{created[part]:.2f}" if is_made else "—", f"{check.seconds:.2f}" if is_checked else "—"

    claim = manifest.claim
    nodes = f"{claim['n_nodes']}" if claim["is_minimum"] else f"{claim['lower_bound']}–{claim['n_nodes']}"
    n_clauses = manifest.parts["refutation"]["detail"].partition("nodes: ")[2].partition(" clauses")[0] or "—"
    return (
        *(name, nodes, size.get("bound.log", "—"), *seconds("bound")),
        *(n_clauses, size.get("proof.drat", "—"), *seconds("refutation"), f"{checks['purity'].seconds:.2f}"),
        "verified" if verdict.holds else "NOT VERIFIED",
    )


def measure(names: Sequence[str], limit: float) -> Iterator[tuple[str, ...]]:
    """Yield the table row of each data set."""
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            row = table_row(name, *certify_dataset(name, Path(folder), limit))
            print("…", *row, flush=True)
            yield row


def main() -> None:
    """Parse the command line and run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=os.environ.get("PURETREE_DATA"), help="folder of the data sets")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for each proof")
    parser.add_argument("--names", nargs="+", default=NAMES)
    options: Any = parser.parse_args()
    os.environ["PURETREE_DATA"] = str(options.data or parser.error("--data is missing"))
    rows = list(measure(options.names, options.limit))
    print(*text_table(HEADER, rows), sep="\n")
    both = sum(row[2] != "—" and row[6] != "—" for row in rows)
    print(f"{len(rows)} certificates, {both} of them with both proofs of minimality")
    if any(row[-1] != "verified" for row in rows):
        parser.error("some certificates were not verified")


if __name__ == "__main__":
    main()
