"""Raw tables: named columns of numbers and categories, read from any container, with their labels."""

from __future__ import annotations

from .column import DOMAINS, KINDS, UNSEEN, Column, Floats, Level, is_missing, plain_level
from .estimator_columns import read_columns_of, unchanged_by_failure
from .labels import Labels, label_array, read_labels
from .reading import (
    LARGEST_EXACT_INTEGER,
    as_frame,
    read_columns,
    read_fitted_columns,
    read_table,
    sort_levels,
    take_rows,
)
from .table import Table, TableColumn, column_indices

__all__ = [
    "DOMAINS",
    "KINDS",
    "LARGEST_EXACT_INTEGER",
    "UNSEEN",
    "Column",
    "Floats",
    "Labels",
    "Level",
    "Table",
    "TableColumn",
    "as_frame",
    "column_indices",
    "is_missing",
    "label_array",
    "plain_level",
    "read_columns",
    "read_columns_of",
    "read_fitted_columns",
    "read_labels",
    "read_table",
    "sort_levels",
    "take_rows",
    "unchanged_by_failure",
]
