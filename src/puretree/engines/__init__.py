"""Engines: everything that turns a binary problem into an Outcome, behind one protocol and by name."""

from .auto import Auto
from .base import Engine, Promise, solve
from .maxsat import MaxSat
from .mindt import MinDt
from .registry import ENGINES, make_engine, options_of
from .search import Search

__all__ = ["ENGINES", "Auto", "Engine", "MaxSat", "MinDt", "Promise", "Search", "make_engine", "options_of", "solve"]
