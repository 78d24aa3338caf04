"""Engines: everything that turns a binary problem into an Outcome, behind one protocol and by name."""

from .ask import Ask
from .auto import Auto
from .base import Engine, Promise, solve
from .bessiere import Bessiere
from .dl85 import Dl85
from .dtfinder import DtFinder
from .dtmax import DtMax
from .infer_depth import InferDepth
from .infer_size import InferSize
from .local_search import Anytime
from .lsk import Lsk
from .maxsat import MaxSat
from .mindt import MinDt
from .psk import Psk
from .registry import ENGINES, make_engine, options_of
from .search import Search
from .streed import Streed

__all__ = [
    "ENGINES",
    "Anytime",
    "Ask",
    "Auto",
    "Bessiere",
    "Dl85",
    "DtFinder",
    "DtMax",
    "Engine",
    "InferDepth",
    "InferSize",
    "Lsk",
    "MaxSat",
    "MinDt",
    "Promise",
    "Psk",
    "Search",
    "Streed",
    "make_engine",
    "options_of",
    "solve",
]
