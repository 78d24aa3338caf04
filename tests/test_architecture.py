"""The layout is the architecture: these tests keep it so."""

import ast
from pathlib import Path

import pytest

import puretree

SOURCES = Path(puretree.pipeline.__file__).parent

# The order in which the data flows. A stage imports only earlier ones.
STAGES = [
    "errors",
    "text_table",
    "markdown_text",
    "_native",
    "machine",
    "clock",
    "children",
    "region",
    "predicate",
    "table",
    "reading",
    "columns",
    "labels",
    "bitmatrix",
    "binarize",
    "wording",
    "tree_format",
    "tree",
    "problem",
    "askable",
    "steering",
    "outcome",
    "record",
    "prepared",
    "formula",
    "sat",
    "maxsat",
    "encoding",
    "bounds",
    "engines",
    "forest",
    "extraction",
    "selection",
    "explanation",
    "export",
    "certificate",
    "candidates",
    "chosen",
    "pipeline",
    "variants",
    "comparison",
    "runs",
    "model_file",
    "saving",
    "classifier",
    "boosting",
    "datasets",
    "proof",
    "report",
    "bench",
    "cli",
    "__main__",
]


def imported_stages(path: Path) -> set[str]:
    """Return the stages of puretree that a file imports, other than for type checking."""
    module = ast.parse(path.read_text(encoding="utf-8"))
    depth = len(path.relative_to(SOURCES).parts)
    found = set()
    for node in ast.walk(module):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            node.body = []
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[1] for alias in node.names if alias.name.startswith("puretree.")}
        if isinstance(node, ast.ImportFrom) and node.level == 0 and f"{node.module}.".startswith("puretree."):
            pytest.fail(f"{path.name} imports {node.module}: use relative imports, as everywhere")
        if isinstance(node, ast.ImportFrom) and node.level == depth:
            origin = node.module.split(".")[0] if node.module else None
            found |= {origin} if origin else {alias.name for alias in node.names}
    return found


def stage_of(path: Path) -> str:
    """Return the stage a file belongs to."""
    return path.relative_to(SOURCES).parts[0].removesuffix(".py")


FILES = sorted(path for path in SOURCES.rglob("*.py") if path != SOURCES / "__init__.py")


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCES)))
def test_a_stage_imports_only_earlier_stages(path: Path) -> None:
    """The data flows one way: no file imports a later stage, and every file has its place in the order."""
    stage = stage_of(path)
    assert stage in STAGES, f"give {stage} its place in STAGES"
    allowed = set(STAGES[: STAGES.index(stage) + 1])
    assert imported_stages(path) <= allowed


def test_the_import_reader_sees_imports() -> None:
    """The test above can fail: the pipeline's imports are found."""
    assert {"binarize", "problem", "steering", "engines"} <= imported_stages(SOURCES / "pipeline.py")


def test_the_pipeline_is_read_at_a_glance() -> None:
    """A newcomer sees the whole path in one go: what each function does, without what is said about it, is short."""
    module = ast.parse((SOURCES / "pipeline.py").read_text(encoding="utf-8"))
    lengths = {}
    for function in (node for node in module.body if isinstance(node, ast.FunctionDef)):
        first = function.body[1]  # after the docstring
        lengths[function.name] = (function.end_lineno or 0) - first.lineno + 1
    assert len(lengths) == 4
    assert max(lengths.values()) <= 22
    assert sum(lengths.values()) <= 60


def test_public_names_are_pinned() -> None:
    """Adding or removing a public name is a decision, not an accident."""
    assert sorted(puretree.__all__) == [
        "Auto",
        "BinaryProblem",
        "BitsBinarizer",
        "Bounds",
        "Chosen",
        "Comparison",
        "ConflictError",
        "ConflictWarning",
        "DataNotFoundError",
        "DtMaxClassifier",
        "Forest",
        "FormatError",
        "InfeasibleError",
        "InputError",
        "InputTypeError",
        "MaxSat",
        "MinDt",
        "MixedColumnWarning",
        "OneHotBinarizer",
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
        "choose_tree",
        "compare",
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
