"""Colours and markers of engines and methods, the same in every plot and distinguishable without colour."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from zlib import crc32

from ...export.appearance import CLASS_COLOURS

N_RESERVED = 7  # the most distinguishable colours, reserved for the most frequent names
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "h")

# Engines, methods and classifiers are never in the same plot, so all use the reserved colours.
_ENGINES = (
    *("search", "maxsat", "mindt", "local-search-ck", "local-search-c", "maxsat(warm_start=false)"),
    *("mindt(warm_start=true)", "maxsat(objective='totaliser', warm_start=false)", "local-search"),
    *("tt-open-wbo-inc-21", "auto", "bessiere", "dtfinder", "infer-depth", "infer-size", "dl85", "streed", "dtmax"),
    "local-improvement",
)
_METHODS = (
    *("mpdt", "psk", "mpdt-lay", "lsk", "mpdt-1", "ask", "all", "mpdt-nd", "mpdt-lay-nd", "dtmax-2", "dtmax-3"),
    *("dtmax-4", "all-mdsol"),
)
_CLASSIFIERS = (
    *("front-cv", "cart-ccp", "front-vote", "streed-cv", "fst-cv", "figs", "pure"),
    *("front-1se", "front-teacher", "cart"),
)
_INDICES = {name: index for names in (_METHODS, _ENGINES, _CLASSIFIERS) for index, name in enumerate(names)}
_INDICES |= {"maxsat(warm_start=true)": _INDICES["maxsat"], "mindt(warm_start=false)": _INDICES["mindt"]}  # defaults


@dataclass(frozen=True, slots=True)
class Style:
    """The colour and marker of an engine or method."""

    colour: str
    marker: str


def styles_of(names: Iterable[str]) -> dict[str, Style]:
    """Return a style for each name: fixed for known names; for others by a hash, or the next free one.

    >>> styles_of(["psk", "mpdt"])["mpdt"]
    Style(colour='#0072b2', marker='o')
    """
    names = list(names)
    indices = {name: _INDICES[name.lower()] for name in names if name.lower() in _INDICES}
    for name in sorted(set(names) - set(indices)):
        indices[name] = _free_index(name, set(indices.values()))
    return {name: _style(indices[name]) for name in names}


def _free_index(name: str, taken: set[int]) -> int:
    """Return a style index outside the reserved colours."""
    n_styles = len(CLASS_COLOURS) * len(MARKERS)
    indices = [index for index in range(n_styles) if index % len(CLASS_COLOURS) >= N_RESERVED]
    first = crc32(name.encode()) % len(indices)
    return next((index for index in indices[first:] + indices[:first] if index not in taken), indices[first])


def _style(index: int) -> Style:
    return Style(CLASS_COLOURS[index % len(CLASS_COLOURS)], MARKERS[index % len(MARKERS)])
