"""Does a certificate speak of the run that it lies in? Both are read, and both may have been written by a forger.

A proof of one problem is no proof of another: the tree, the table, the rows that trained and the wishes of the run must
be those of the certificate. That the tree is the same is told by its digest, which is part of the claim.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import FormatError
from ..runs import Run


def require_same(run: Run, problem: Any, table: Mapping[str, Any] | None) -> None:
    """Refuse a certificate of other data or of other wishes than the run tells of.

    Parameters
    ----------
    run : Run
    problem : object
        The content of problem.json.
    table : dict or None
        What the certificate says of the bytes of its table. Data that are known by name have no bytes of their own.
    """
    if not isinstance(problem, dict):
        raise FormatError("problem.json is no problem")
    if run.data.is_file and (table is None or table["sha256"] != run.data.sha256):
        raise FormatError("the table of the certificate is not the file that the run was made of")
    said = {"target": problem.get("target"), "rows": problem.get("rows"), "max_depth": problem.get("max_depth")}
    expected = {
        "target": run.data.target,
        "rows": None if run.training_rows is None else list(run.training_rows),
        "max_depth": run.parameters.get("max_depth"),
    }
    for name, value in expected.items():
        if said[name] != value:
            raise FormatError(f"problem.json does not have the {name!r} of the run")
    if (problem.get("roots") is None) != (run.parameters.get("root") is None):
        raise FormatError("problem.json does not have the 'root' of the run")
    _require_asked(run, problem.get("columns"))


def _require_asked(run: Run, columns: Any) -> None:
    """Refuse a problem in which columns may not be asked that the run did not forbid: fewer trees are larger trees."""
    if not isinstance(columns, list) or not all(isinstance(column, dict) for column in columns):
        raise FormatError("problem.json has no columns")
    forbidden = run.parameters.get("forbidden") or ()
    for place, column in enumerate(columns):
        if column.get("may_be_asked") is not True and not any(
            name in (place, column.get("name")) for name in forbidden
        ):
            raise FormatError(f"problem.json does not ask column {column.get('name')!r}, which the run did not forbid")
