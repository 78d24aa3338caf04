"""MaxSAT solvers behind one protocol; whatever they say, their models are checked."""

from .backend import Answer, Backend, OnModel
from .external import External

__all__ = ["Answer", "Backend", "External", "OnModel"]
