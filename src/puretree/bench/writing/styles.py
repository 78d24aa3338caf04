"""The colour and marker of each engine and method: the same in every picture, and told apart without colours, too."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from zlib import crc32

from ...export.palette import CLASS_COLOURS

N_COMMON = 7  # colours that are told apart best: for what is drawn most
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "h")

# Engines are not drawn with methods, so both begin with the colours that are told apart best.
_ENGINES = (
    *("search", "maxsat", "mindt", "local-search-ck", "local-search-c", "local-search", "tt-open-wbo-inc-21"),
    *("auto", "bessiere", "dtfinder", "infer-depth", "infer-size", "dl85", "streed", "dtmax"),
)
_METHODS = (
    *("mpdt", "psk", "mpdt-lay", "lsk", "mpdt-1", "ask", "all", "mpdt-nd", "mpdt-lay-nd", "dtmax-2", "dtmax-3"),
    "dtmax-4",
)
_PLACES = {name: place for names in (_METHODS, _ENGINES) for place, name in enumerate(names)}


@dataclass(frozen=True, slots=True)
class Style:
    """How an engine or method is drawn."""

    colour: str
    marker: str


def styles_of(names: Iterable[str]) -> dict[str, Style]:
    """Return a style for each name; the known have theirs, others what their letters add up to, or the next free one.

    >>> styles_of(["psk", "mpdt"])["mpdt"]
    Style(colour='#0072b2', marker='o')
    """
    names = list(names)
    places = {name: _PLACES[name.lower()] for name in names if name.lower() in _PLACES}
    for name in sorted(set(names) - set(places)):
        places[name] = _free_place(name, set(places.values()))
    return {name: _style(places[name]) for name in names}


def _free_place(name: str, taken: set[int]) -> int:
    """Return a place among the colours that are used least."""
    places = [place for place in range(len(CLASS_COLOURS) * len(MARKERS)) if place % len(CLASS_COLOURS) >= N_COMMON]
    first = crc32(name.encode()) % len(places)
    return next((place for place in places[first:] + places[:first] if place not in taken), places[first])


def _style(place: int) -> Style:
    return Style(CLASS_COLOURS[place % len(CLASS_COLOURS)], MARKERS[place % len(MARKERS)])
