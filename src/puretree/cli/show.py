"""``puretree show``: print a tree, and what is proved about it."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from .._support.text import quantity
from . import options


def show(
    model: options.Model,
    rules: Annotated[bool, typer.Option("--rules", help="Print a rule for each leaf instead of the tree.")] = False,
    is_complete: Annotated[
        bool, typer.Option("--all", help="Print all nodes of a large tree, of which a terminal gets only the top.")
    ] = False,
    json: options.Json = False,
) -> int:
    """Show a tree, and whether it is proved minimum, or to have the fewest errors for its size."""
    from .inputs import open_model
    from .output import put, put_json, put_rules, put_tree

    opened = open_model(model)
    if json:
        put_json(_as_dict(opened))
        return 0
    put_rules(opened.tree) if rules else put_tree(opened.tree, is_complete=is_complete)
    put()
    if opened.run:
        put_run(opened.run)
        put("  ", f"{opened.run.data.target} of {opened.run.data.source}")
    else:
        put(f"{quantity(opened.tree.n_nodes, 'node')}, depth {opened.tree.depth}; a run folder also contains its proof")
    return 0


def put_run(run: Any) -> None:
    """Print what is proved about the tree of a run."""
    from .output import STATUS_TEXT, put, put_status

    put_status(run.outcome, run.n_trees)
    n_dropped = run.certificate.get("n_rows_left_out")
    parts = [
        f"depth {run.tree.depth}",
        *describe_constraints(run.parameters),
        *describe_validation(run),
        describe_selection(run.selection, "trees of this size and cost" if run.allows_errors else "minimum trees"),
        f"{n_dropped} contradictory {'row' if n_dropped == 1 else 'rows'} dropped" if n_dropped else None,
        f"{run.outcome.seconds:.1f} s",
        STATUS_TEXT.get(run.outcome.status),
    ]
    put("  ", " · ".join(filter(None, parts)))


def describe_constraints(parameters: Any) -> list[str]:
    """Describe the constraints of a run: without them, a smaller pure tree may exist."""
    depth, leaves, rows = (parameters.get(name) for name in ("max_depth", "max_leaf_nodes", "min_samples_leaf"))
    root, forbidden = parameters.get("root"), parameters.get("forbidden")
    return [
        *([] if depth is None else [f"max depth {depth}"]),
        *([] if leaves is None else [f"at most {leaves} {'leaf' if leaves == 1 else 'leaves'}"]),
        *([] if rows in (None, 1) else [f"at least {rows} rows per leaf"]),
        *([] if root is None else [f"root {root}"]),
        *([] if not forbidden else [f"without {', '.join(map(str, forbidden))}"]),
    ]


def describe_validation(run: Any) -> list[str]:
    """Describe the cross-validation that chose the size of a tree; empty if there was none."""
    if not run.wants_validation or run.front is None:
        return []
    front, score = run.front, run.front.chosen_score
    if score is None:
        return ["a limit was reached before the cross-validation: each leaf saves two rows"]
    mean = (
        f"accuracy {score.mean:.1%} ± {score.std:.1%}" if front.scores_accuracy else f"cost {-score.mean:.4g} per row"
    )
    parts = [f"size chosen by {front.n_folds}-fold cross-validation ({mean})"]
    return parts if front.is_validated else [*parts, "a limit was reached in some fold, so another size may be better"]


def describe_selection(selection: Any, trees: str = "minimum trees") -> str | None:
    """Describe how a tree was chosen; None if there was no choice."""
    if selection.get("rule") == "adopted":
        note = " ".join(str(selection.get("note", "")).split())
        return f"chosen by hand: {note}" if note else "chosen by hand"
    if selection.get("n_candidates", 1) < 2 and not selection.get("is_exact", True):
        return f"no choice: a limit was reached before other {trees} were found"
    if selection.get("score") is None and not selection.get("is_exact", True):
        return f"no choice: a limit was reached before one of the {trees} was chosen"
    if selection.get("n_candidates", 1) < 2 or selection.get("score") is None:
        return None
    what = "accuracy" if str(selection["rule"]).startswith("holdout") else "agreement"
    n_unproved = selection.get("n_unproved")  # None if unknown
    diversity = f"; {quantity(n_unproved, 'tree')} not proved farthest" if n_unproved else ""
    return f"chosen by {selection['rule']} ({selection['score']:.1%} {what}){diversity}"


def _as_dict(opened: Any) -> dict[str, Any]:
    run = opened.run
    summary = {} if run is None else {**run.summary(), "data": run.data_dict()}
    return summary | {"tree": opened.tree.to_dict(), "rules": [str(rule) for rule in opened.tree.rules()]}
