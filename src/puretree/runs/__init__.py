"""The run folder: a tree, what was proved about it, how long that took, and from which data; written atomically."""

from .atomic import path_in_errors, replace_file, replacement_folder, write_and_sync
from .favourites import Favourite, read_favourite
from .rebuild import rebuild_costs, rebuild_problem, training_rows
from .run import DataRecord, Run
from .store import is_run, load_run, read_json, read_model, require_free, save_run

__all__ = [
    "DataRecord",
    "Favourite",
    "Run",
    "is_run",
    "load_run",
    "path_in_errors",
    "read_favourite",
    "read_json",
    "read_model",
    "rebuild_costs",
    "rebuild_problem",
    "replace_file",
    "replacement_folder",
    "require_free",
    "save_run",
    "training_rows",
    "write_and_sync",
]
