"""Write small certificates, or only the files that the purity checker reads."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from puretree.engines import make_engine, solve
from puretree.pipeline import prepare
from puretree.problem import Constraints
from puretree.proof import Manifest
from puretree.proof.manifest import MANIFEST, describe_file
from puretree.proof.problem_file import problem_to_dict, table_to_csv
from puretree.table import read_table

MANIFEST_FIELDS = ("claim", "files", "left_out", "run", "parts", "versions")
"""The fields of a manifest, in the order of its constructor."""


def write_purity_files(folder: Path, X: Any, y: Any, *, max_depth: int | None = None, **options: Any) -> dict[str, Any]:
    """Write a tree, its problem and its table into a folder, and return the problem."""
    table = read_table(X)
    prepared = prepare(table, y, **options)
    outcome = solve(prepared.problem, make_engine("search"), constraints=Constraints(max_depth, prepared.roots))
    tree = prepared.decode(outcome).tree
    assert tree is not None
    problem = problem_to_dict(prepared, tree, max_depth, "label", table.n_rows)
    (folder / "model.json").write_text(tree.to_json())
    (folder / "problem.json").write_text(json.dumps(problem))
    (folder / "table.csv").write_bytes(table_to_csv(table, "label", np.asarray(y).tolist()))
    return problem


def reseal(proof: Path, change: Callable[[dict[str, Any]], Any] = lambda content: None) -> None:
    """Update the hashes and the seal of a certificate to its present files, as a forger would."""
    content = json.loads((proof / MANIFEST).read_text())
    content["files"] = {path.name: describe_file(path) for path in sorted(proof.iterdir()) if path.name != MANIFEST}
    change(content)
    (proof / MANIFEST).write_bytes(Manifest(*(content[name] for name in MANIFEST_FIELDS)).to_bytes())
