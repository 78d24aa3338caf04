"""Engines: solvers that turn a binary problem into an `Outcome`, behind one protocol and available by name."""

from .auto import Auto
from .base import HEURISTIC_SOURCES, Engine, Guarantees, solve
from .bessiere import Bessiere
from .dtfinder import DtFinder
from .dtmax import DtMax
from .infer_depth import InferDepth
from .infer_size import InferSize
from .local_improvement import LocalImprovement
from .local_search import Anytime
from .maxsat import MaxSat, OpenFormula
from .mindt import MinDt
from .peers import Dl85, Streed
from .registry import ENGINES, make_engine, options_of
from .search import Search
from .sklearn_trees import Ask, Lsk, Psk

__all__ = [
    "ENGINES",
    "HEURISTIC_SOURCES",
    "Anytime",
    "Ask",
    "Auto",
    "Bessiere",
    "Dl85",
    "DtFinder",
    "DtMax",
    "Engine",
    "Guarantees",
    "InferDepth",
    "InferSize",
    "LocalImprovement",
    "Lsk",
    "MaxSat",
    "MinDt",
    "OpenFormula",
    "Psk",
    "Search",
    "Streed",
    "make_engine",
    "options_of",
    "solve",
]
