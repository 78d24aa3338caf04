"""How cells become rows: a process for each, a file that only grows, all the cores of a machine or a cluster."""

from .results import ResultsFile, read_results
from .runner import run

__all__ = ["ResultsFile", "read_results", "run"]
