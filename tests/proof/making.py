"""Small certificates, or the half of one that purity is about."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from puretree.engines import make_engine, solve
from puretree.pipeline import prepare
from puretree.proof.problem_file import problem_to_dict, table_to_csv
from puretree.reading import read_table
from puretree.steering import Steering


def write_half(folder: Path, X: Any, y: Any, *, max_depth: int | None = None, **asked: Any) -> dict[str, Any]:
    """Write a tree, its problem and its table into a folder, and return the problem."""
    table = read_table(X)
    prepared = prepare(table, y, **asked)
    outcome = solve(prepared.problem, make_engine("search"), steering=Steering(max_depth, prepared.roots))
    tree = prepared.told(outcome).tree
    assert tree is not None
    problem = problem_to_dict(prepared, max_depth, "label", table.n_rows)
    (folder / "model.json").write_text(tree.to_json())
    (folder / "problem.json").write_text(json.dumps(problem))
    (folder / "table.csv").write_bytes(table_to_csv(table, "label", np.asarray(y).tolist()))
    return problem
