"""The Pareto front of size and errors: the least cost of a tree for every number of nodes."""

from .curves import Curves
from .front import Front, FrontBounds, FrontPoint
from .questions import Request, answer
from .search import OnFront, OpenFront, find_front, warn_if_open

__all__ = [
    "Curves",
    "Front",
    "FrontBounds",
    "FrontPoint",
    "OnFront",
    "OpenFront",
    "Request",
    "answer",
    "find_front",
    "warn_if_open",
]
