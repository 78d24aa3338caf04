"""Engines: everything that turns a binary problem into an Outcome, behind one protocol and by name."""

from .auto import Auto
from .base import Engine, solve
from .maxsat import MaxSat
from .mindt import MinDt
from .registry import ENGINES, make_engine
from .search import Search

__all__ = ["ENGINES", "Auto", "Engine", "MaxSat", "MinDt", "Search", "make_engine", "solve"]
