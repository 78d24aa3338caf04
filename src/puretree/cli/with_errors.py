"""``puretree fit`` and ``puretree trees`` where errors are allowed: the options, and the parameters they stand for.

One of ``--alpha``, ``--max-errors`` and ``--max-nodes`` selects a point of the front; by default cross-validation does.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InputError, UnfinishedError

if TYPE_CHECKING:
    from .._support.clock import Clock
    from ..forest import Forest
    from ..pareto import FrontPoint, OnFront
    from .inputs import InputData

ERRORS = "Errors allowed"

Alpha = Annotated[
    str | None,
    typer.Option(
        "--alpha",
        rich_help_panel=ERRORS,
        metavar="cv|PRICE",
        help="Allow errors: choose the size by cross-validation, or for a price of each leaf, as CART's ccp_alpha.",
    ),
]
MaxErrors = Annotated[
    int | None,
    typer.Option(
        "--max-errors", rich_help_panel=ERRORS, metavar="N", help="The smallest tree with at most N training errors."
    ),
]
MaxNodes = Annotated[
    int | None,
    typer.Option(
        "--max-nodes",
        rich_help_panel=ERRORS,
        metavar="N",
        help="The tree of at most N nodes with the fewest training errors; with --alpha or --max-errors a limit.",
    ),
]
Rule = Annotated[
    str,
    typer.Option(
        "--rule",
        rich_help_panel=ERRORS,
        metavar="NAME",
        help="Of --alpha cv: best, or one-se for the smallest tree within a standard error of it.",
    ),
]
Folds = Annotated[
    int, typer.Option("--cv", rich_help_panel=ERRORS, metavar="FOLDS", min=2, help="The number of folds of --alpha cv.")
]
ClassWeight = Annotated[
    str | None,
    typer.Option(
        "--class-weight", rich_help_panel=ERRORS, metavar="balanced", help="Give all classes the same total weight."
    ),
]

ExtraNodes = Annotated[
    int,
    typer.Option("--extra-nodes", rich_help_panel=ERRORS, metavar="N", help="Include trees with up to N more nodes."),
]
ExtraErrors = Annotated[
    int,
    typer.Option(
        "--extra-errors", rich_help_panel=ERRORS, metavar="N", help="Include trees with up to N more training errors."
    ),
]

NAMES = ("alpha", "max_errors", "max_nodes", "rule", "cv", "class_weight")
OF_POINT = ("alpha", "max_errors", "max_nodes", "max_leaf_nodes")
OF_VALIDATION = ("rule", "cv")
OF_FRONT = ("binarize", "max_depth", "min_samples_leaf", "root", "forbidden", "class_weight", "memory_limit")
OF_BAND = ("extra_nodes", "extra_errors")

_ALL_TREES = "is not for trees with errors: one is chosen among all trees of its size and cost"
_NOT_HELD_OUT = "is not for trees with errors: no rows are held out"
REFUSED = {
    "engine": "is not for trees with errors: the exact search finds the front",
    "on_conflict": "is not for trees with errors: contradictory rows need no rule, since they count as errors",
    "feature_costs": "is not for trees with errors: they have no feature costs",
    "n_trees": _ALL_TREES,
    "diversity": _ALL_TREES,
    "layout_depth": _ALL_TREES,
    "selection_size": _NOT_HELD_OUT,
    "delta": _NOT_HELD_OUT,
    "extra": "is not for trees with errors, which have --extra-nodes and --extra-errors",
}


def given_options(context: typer.Context) -> set[str]:
    """Return the parameters that were given on the command line."""
    return {name for name in context.params if context.get_parameter_source(name).name == "COMMANDLINE"}  # type: ignore[union-attr]


def parameters_with_errors(parameters: dict[str, Any], given: Collection[str]) -> dict[str, Any]:
    """Return the parameters of the fit where errors are allowed.

    Parameters
    ----------
    parameters : dict
        All options of the command.
    given : collection of str
        Those that were given on the command line; InputError is raised for those that have no meaning.
    """
    for name, reason in REFUSED.items():
        if name in given:
            raise InputError(f"{reason}; omit it", parameter=name, value=parameters[name])
    alpha = _parse_alpha(parameters["alpha"])
    max_errors, max_nodes, max_leaf_nodes = (parameters[name] for name in ("max_errors", "max_nodes", "max_leaf_nodes"))
    if max_nodes is not None:
        if max_leaf_nodes is not None:
            raise InputError(
                "says the same as --max-nodes; use one of them", parameter="max_leaf_nodes", value=max_leaf_nodes
            )
        if max_nodes < 1:
            raise InputError("is not a size; use 1 or more", parameter="max_nodes", value=max_nodes)
        max_leaf_nodes = (max_nodes + 1) // 2
        if alpha is None and max_errors is None and not set(given) & set(OF_VALIDATION):
            alpha = 0.0  # the fewest errors, whatever leaves they take
    if alpha is None:
        alpha = "cv"
    if alpha != "cv" or max_errors is not None:
        for name in OF_VALIDATION:
            if name in given:
                raise InputError("is only for --alpha cv; omit it", parameter=name, value=parameters[name])
    names = (
        *("max_depth", "min_samples_leaf", "cv", "rule", "selection", "root", "forbidden"),
        *("time_limit", "memory_limit", "n_jobs", "random_state"),
    )
    return {
        "alpha": alpha,
        "max_leaf_nodes": max_leaf_nodes,
        "max_errors": max_errors,
        "class_weight": parse_class_weight(parameters["class_weight"]),
        "binarize": parameters["binarize"] if "binarize" in given else "guessed",
        **{name: parameters[name] for name in names},
    }


def parse_class_weight(text: str | None) -> str | None:
    """Read the weights of the classes."""
    if text not in (None, "balanced"):
        raise InputError("is unknown; use balanced", parameter="class_weight", value=text)
    return text


def _parse_alpha(text: str | None) -> float | str | None:
    if text is None or text == "cv":
        return text
    try:
        return float(text)
    except ValueError:
        raise InputError("is neither a price nor cv", parameter="alpha", value=text) from None


def trees_of_point(
    data: InputData,
    parameters: dict[str, Any],
    max_nodes: int | None,
    band: tuple[int, int],
    clock: Clock,
    on_progress: OnFront,
) -> tuple[FrontPoint, Forest]:
    """Find a point of the front, and all trees of a band around it.

    Parameters
    ----------
    data : InputData
    parameters : dict
        Of the fit.
    max_nodes : int or None
        The point with at most so many nodes; None for the one that the parameters select.
    band : tuple of two int
        How many more nodes and errors the trees may have.
    clock : Clock
    on_progress : callable
        Called with the bounds of the front.

    Raises
    ------
    UnfinishedError
        If the point is not proved, or not all trees were found.
    """
    from ..pareto.front import REASONS
    from ..pipeline import choose_optimal_tree, front
    from ..tuning import trees_of_point as candidates_of

    extra_nodes, extra_errors = band
    memory_limit = parameters["memory_limit"]
    rows = data.dataset.table, data.dataset.target
    if max_nodes is None:
        point = choose_optimal_tree(
            *rows, **parameters | {"time_limit": clock, "selection": "first", "on_progress": on_progress}
        ).point
    else:
        of_front = {name: parameters[name] for name in OF_FRONT}
        ends_at = max_nodes + max(0, extra_nodes)
        found = front(*rows, max_nodes=ends_at, time_limit=clock.part(0.5), on_progress=on_progress, **of_front)
        point = found.at(max_nodes=max_nodes)
    if point.status != "optimal":
        outcome = candidates_of(point.front, point, clock, memory_limit).outcome
        reason = REASONS.get(point.status, "the search ended")
        raise UnfinishedError(f"{reason} before the point was proved: {point}; allow more time", outcome)
    return point, point.forest(extra_nodes, extra_errors, time_limit=clock, memory_limit=memory_limit)
