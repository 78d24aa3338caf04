"""MaxSAT solvers behind one protocol; whatever they say, their models are checked."""

from .backend import Answer, Backend, OnModel
from .external import External
from .hermax import Hermax
from .rc2 import Rc2

__all__ = ["Answer", "Backend", "External", "Hermax", "OnModel", "Rc2"]
