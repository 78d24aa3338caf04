"""``puretree show``: a tree, and what is known of it."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from . import options


def show(
    model: options.Model,
    rules: Annotated[bool, typer.Option("--rules", help="A rule for each leaf instead of the drawing.")] = False,
    json: options.Json = False,
) -> int:
    """Show a tree, and whether it is proved to be the smallest."""
    from .inputs import open_model
    from .output import put, put_json, put_rules, put_tree

    opened = open_model(model)
    if json:
        put_json(_as_dict(opened))
        return 0
    put_rules(opened.tree) if rules else put_tree(opened.tree)
    put()
    if opened.run:
        put_run(opened.run)
        put("  ", f"{opened.run.data.target} of {opened.run.data.source}")
    else:
        put(f"{opened.tree.n_nodes} nodes, depth {opened.tree.depth}; whether that is minimum is told in a run folder")
    return 0


def put_run(run: Any) -> None:
    """Print what is known of the tree of a run."""
    from .output import ENDINGS, put, put_status

    put_status(run.outcome, run.n_trees)
    ending = ENDINGS.get(run.outcome.status)
    left_out = run.certificate.get("n_rows_left_out")
    parts = [
        f"depth {run.tree.depth}",
        *_wishes(run.parameters),
        how_chosen(run.selection),
        f"{left_out} contradictory rows left out" if left_out else None,
        f"{run.outcome.seconds:.1f} s",
        ending,
    ]
    put("  ", " · ".join(filter(None, parts)))


def _wishes(parameters: Any) -> list[str]:
    """Tell what was asked of the tree: without it, a smaller one may be right."""
    depth, root, forbidden = (parameters.get(name) for name in ("max_depth", "root", "forbidden"))
    return [
        *([] if depth is None else [f"at most {depth} tests on a path"]),
        *([] if root is None else [f"the first about {root}"]),
        *([] if not forbidden else [f"none about {', '.join(map(str, forbidden))}"]),
    ]


def how_chosen(selection: Any) -> str | None:
    """Tell in a few words how a tree was chosen; None if there was no choice."""
    if selection.get("n_candidates", 1) < 2 and not selection.get("is_exact", True):
        return "not chosen: the others were not found within the limits"
    if selection.get("n_candidates", 1) < 2 or selection.get("score") is None:
        return None
    what = "accuracy" if str(selection["rule"]).startswith("holdout") else "agreement"
    return f"chosen by {selection['rule']} ({selection['score']:.1%} {what})"


def _as_dict(opened: Any) -> dict[str, Any]:
    run = opened.run
    told = {} if run is None else {**run.summary(), "data": run.data_dict()}
    return told | {"tree": opened.tree.to_dict(), "rules": [str(rule) for rule in opened.tree.rules()]}
