"""``bench runtime``, the paper's Table 3: how small the trees of each engine are when the time is over."""

from .experiment import Runtime, largest_datasets, measure, plots, tables

__all__ = ["Runtime", "largest_datasets", "measure", "plots", "tables"]
