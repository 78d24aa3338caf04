"""``bench accuracy``, the paper's Table 4: how right trees are on new rows."""

from .experiment import Accuracy, measure
from .tables import plots, tables

__all__ = ["Accuracy", "measure", "plots", "tables"]
