"""Engines: everything that turns a binary problem into an Outcome, behind one protocol and by name."""

from .base import Engine, solve
from .maxsat import MaxSat
from .mindt import MinDt
from .registry import ENGINES, make_engine

__all__ = ["ENGINES", "Engine", "MaxSat", "MinDt", "make_engine", "solve"]
