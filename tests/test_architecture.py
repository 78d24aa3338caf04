"""The architecture: the order of the rooms, their layout, and the public names."""

import ast
from collections.abc import Sequence
from pathlib import Path

import puretree

SOURCES = Path(puretree.pipeline.__file__).parent

# The rooms in the order of the data: a room imports only earlier ones. ``proof.claim`` states what a fit proves, so
# that estimators and runs can record it; it imports nothing else of ``proof``.
ROOMS = [
    "errors",
    "_native",
    "_support",
    "table",
    "binarize",
    "tree",
    "outcome",
    "problem",
    "formula",
    "sat",
    "maxsat",
    "encoding",
    "bounds",
    "engines",
    "forest",
    "extraction",
    "selection",
    "export",
    "pareto",
    "tuning",
    "proof.claim",
    "pipeline",
    "mpdt",
    "runs",
    "explorer",
    "estimators",
    "datasets",
    "proof",
    "report",
    "bench",
    "cli",
    "__main__",
]
MAY_IMPORT_LATER = {("forest/forest.py", "explorer"), ("pareto/front.py", "explorer")}
"""Methods of a result that write it as a page: they import a later room when they are called, and only then."""
TOP_LEVEL_MODULES = {"__init__", "__main__", "errors", "mpdt", "outcome", "pipeline"}


def room_of(parts: Sequence[str]) -> str:
    """Return the room of a module, given as the parts of its dotted name."""
    return ".".join(parts[:2]) if ".".join(parts[:2]) in ROOMS else parts[0]


def imported_rooms(path: Path) -> set[str]:
    """Return the rooms that a file imports, other than for type checking."""
    module = ast.parse(path.read_text(encoding="utf-8"))
    package = path.relative_to(SOURCES).parts[:-1]
    rooms = set()
    for node in ast.walk(module):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            node.body = []
    for node in ast.walk(module):
        if isinstance(node, ast.Import) and any(alias.name.startswith("puretree") for alias in node.names):
            raise AssertionError(f"{path.name}: use relative imports")
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            assert not f"{node.module}.".startswith("puretree."), f"{path.name}: use relative imports"
        if isinstance(node, ast.ImportFrom) and node.level:
            origin = [*package[: len(package) - node.level + 1], *(node.module or "").split(".")]
            origin = [part for part in origin if part]
            rooms |= {room_of(origin)} if origin else {alias.name for alias in node.names}
    return rooms


FILES = sorted(path for path in SOURCES.rglob("*.py") if path != SOURCES / "__init__.py")


def test_a_room_imports_only_earlier_rooms() -> None:
    """The data flows one way: no file imports a later room, and every file belongs to a room."""
    for path in FILES:
        room = room_of(path.relative_to(SOURCES).with_suffix("").parts)
        assert room in ROOMS, f"add {room} to ROOMS"
        later = imported_rooms(path) - set(ROOMS[: ROOMS.index(room) + 1])
        later -= {allowed for file, allowed in MAY_IMPORT_LATER if file == path.relative_to(SOURCES).as_posix()}
        assert not later, f"{path.relative_to(SOURCES)} imports {sorted(later)}"


def test_the_exceptions_are_imports_of_a_method() -> None:
    """A later room that may be imported is imported, and not when the module is."""
    for file, room in MAY_IMPORT_LATER:
        module = ast.parse((SOURCES / file).read_text(encoding="utf-8"))
        at_top = {node.module for node in module.body if isinstance(node, ast.ImportFrom)}
        assert room not in at_top
        assert room in imported_rooms(SOURCES / file)


def test_the_import_reader_finds_imports() -> None:
    """The test above can fail: the imports of the pipeline are found, and those of a nested file."""
    assert {"problem", "engines", "selection"} <= imported_rooms(SOURCES / "pipeline.py")
    assert {"proof.claim", "errors"} <= imported_rooms(SOURCES / "runs" / "run.py")


def test_the_top_level_is_small() -> None:
    """At most six modules lie outside the rooms."""
    assert {path.stem for path in SOURCES.glob("*.py")} == TOP_LEVEL_MODULES


def test_the_tests_mirror_the_rooms() -> None:
    """Every room with files has a folder of tests of the same name."""
    folders = {path.name for path in Path(__file__).parent.iterdir() if path.is_dir()}
    rooms = {path.name for path in SOURCES.iterdir() if (path / "__init__.py").exists()}
    assert rooms <= folders


def test_the_pipeline_is_short() -> None:
    """The bodies of the pipeline's functions, without docstrings, can be read in one go."""
    module = ast.parse((SOURCES / "pipeline.py").read_text(encoding="utf-8"))
    lengths = {}
    for function in (node for node in module.body if isinstance(node, ast.FunctionDef)):
        first = function.body[1]  # after the docstring
        lengths[function.name] = (function.end_lineno or 0) - first.lineno + 1
    assert len(lengths) == 5
    assert max(lengths.values()) <= 36
    assert sum(lengths.values()) <= 145


def test_public_names_are_pinned() -> None:
    """Adding or removing a public name is a decision, not an accident."""
    assert sorted(puretree.__all__) == [
        "Auto",
        "BinaryProblem",
        "BitsBinarizer",
        "Bounds",
        "Comparison",
        "ConflictError",
        "ConflictWarning",
        "DataNotFoundError",
        "DtMaxClassifier",
        "FitResult",
        "Forest",
        "FormatError",
        "Front",
        "FrontBounds",
        "FrontPoint",
        "GuessedThresholdBinarizer",
        "InfeasibleError",
        "InputError",
        "InputTypeError",
        "MaxSat",
        "MinDt",
        "MissingValuesWarning",
        "MixedColumnWarning",
        "NoisyLabelsWarning",
        "OneHotBinarizer",
        "OptimalFitResult",
        "OptimalTreeClassifier",
        "Outcome",
        "Predicate",
        "PureTreeClassifier",
        "PuretreeError",
        "Rule",
        "Search",
        "SolverError",
        "ThresholdBinarizer",
        "Tree",
        "UnfinishedError",
        "UnfinishedWarning",
        "choose_optimal_tree",
        "choose_tree",
        "compare",
        "front",
        "minimum_tree",
        "minimum_trees",
        "mpdt",
        "prepare",
    ]
    assert all(hasattr(puretree, name) for name in puretree.__all__)


def test_the_version_is_the_installed_one() -> None:
    """The version in the code and in the package's metadata are the same."""
    from importlib.metadata import version

    assert puretree.__version__ == version("puretree")
