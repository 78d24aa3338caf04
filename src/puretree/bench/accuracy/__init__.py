"""``bench accuracy``, the paper's Table 4: the test accuracy of each method."""

from .experiment import Accuracy, measure
from .tables import plots, tables

__all__ = ["Accuracy", "measure", "plots", "tables"]
