"""``bench scale``: growth of time and memory with the numbers of rows, columns, classes and nodes."""

from .experiment import Scale, measure, plots, tables

__all__ = ["Scale", "measure", "plots", "tables"]
