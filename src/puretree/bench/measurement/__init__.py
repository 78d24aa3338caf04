"""Measure cells: one process per cell, an append-only results file, on all cores of a machine or on a cluster."""

from .results import ResultsFile, read_results
from .runner import run

__all__ = ["ResultsFile", "read_results", "run"]
