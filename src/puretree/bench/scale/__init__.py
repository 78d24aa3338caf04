"""``bench scale``: how time and memory grow with rows, columns, classes and nodes."""

from .experiment import Scale, measure, plots, tables

__all__ = ["Scale", "measure", "plots", "tables"]
