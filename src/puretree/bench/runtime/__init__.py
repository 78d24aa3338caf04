"""``bench runtime``, the paper's Table 3: the smallest tree of each engine at the time limit."""

from .experiment import PROTOCOL, QUICK_DATASETS, Runtime, largest_datasets, measure, plots, tables

__all__ = ["PROTOCOL", "QUICK_DATASETS", "Runtime", "largest_datasets", "measure", "plots", "tables"]
