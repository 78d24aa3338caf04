"""``bench runtime``, the paper's Table 3: the smallest tree of each engine at the time limit."""

from .experiment import Runtime, largest_datasets, measure, plots, tables

__all__ = ["Runtime", "largest_datasets", "measure", "plots", "tables"]
