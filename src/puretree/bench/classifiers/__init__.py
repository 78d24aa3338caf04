"""``bench classifiers``: classifiers for noisy tables, by repeated stratified cross-validation."""

from .experiment import Classifiers, measure, prepare
from .tables import plots, tables

__all__ = ["Classifiers", "measure", "plots", "prepare", "tables"]
