"""The run folder: a tree, what was proved of it, how long that took, and of which data; all of it or nothing."""

from .atomic import building_folder, replace_file, write_lasting, writing_to
from .rebuild import rebuild_problem
from .run import DataRecord, Run
from .store import is_run, load_run, parse_json, read_json, read_model, require_free, save_run

__all__ = [
    "DataRecord",
    "Run",
    "building_folder",
    "is_run",
    "load_run",
    "parse_json",
    "read_json",
    "read_model",
    "rebuild_problem",
    "replace_file",
    "require_free",
    "save_run",
    "write_lasting",
    "writing_to",
]
