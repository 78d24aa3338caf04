"""Input is never executed, the network is used only on request, and every dependency has an upper bound.

joblib exchanges pickles between processes of one command (a teacher with ``n_jobs``, and Dask on request). These are
not input; no pickle is read from a file.
"""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.command_line import LOANS

import puretree

ROOT = Path(__file__).parents[1]
SOURCES = Path(puretree.pipeline.__file__).parent
FILES = sorted(SOURCES.rglob("*.py"))

FORBIDDEN_MODULES = {"pickle", "cPickle", "_pickle", "marshal", "shelve", "dill", "cloudpickle", "yaml", "code"}
FORBIDDEN_CALLS = {"eval", "exec", "compile", "__import__", "os.system", "os.popen", "joblib.load", "joblib.dump"}
FORBIDDEN_CALLS |= {"subprocess.getoutput", "subprocess.getstatusoutput", "asyncio.create_subprocess_shell"}
MAY_CALL = {("export/python_source.py", "exec"), ("export/python_source.py", "compile")}
"""Exported Python source is run on the training rows as a check; test_escaping checks that data cannot inject code."""

NETWORK_MODULES = {
    "socket",
    "ssl",
    "http",
    "urllib",
    "ftplib",
    "smtplib",
    "requests",
    "httpx",
    "aiohttp",
    "socketserver",
}
MAY_CONNECT = {
    "datasets/download.py",  # these three, if a data set of an archive is requested
    "datasets/openml.py",
    "datasets/pmlb.py",
    "engines/problem_program.py",  # these three: a pair of sockets between a process and its child process
    "sat/isolated.py",
    "sat/session.py",
    "bench/output/report.py",  # urllib.parse quotes a name in a URL
}


def parsed(path: Path) -> ast.Module:
    """Parse a source file."""
    return ast.parse(path.read_text(encoding="utf-8"))


def name_of(path: Path) -> str:
    """Return the path of a source file in the package."""
    return path.relative_to(SOURCES).as_posix()


def imported(module: ast.Module) -> set[str]:
    """Return the packages that a file imports, other than puretree."""
    packages = set()
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            packages |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            packages.add(node.module.split(".")[0])
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            constants = [argument.value for argument in node.args if isinstance(argument, ast.Constant)]
            packages |= {str(value).split(".")[0] for value in constants}
    return packages


def calls(module: ast.Module) -> Iterator[tuple[str, ast.Call]]:
    """Yield every call with the source of the function that is called."""
    for node in ast.walk(module):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func), node


def test_input_is_never_executed() -> None:
    """No file imports pickle or calls eval, exec or a shell, other than the listed exceptions."""
    for path in FILES:
        module, file = parsed(path), name_of(path)
        assert not imported(module) & FORBIDDEN_MODULES, file
        for name, call in calls(module):
            where = f"{file}: {ast.unparse(call)}"
            assert name not in FORBIDDEN_CALLS or (file, name) in MAY_CALL, where
            keywords = {keyword.arg: ast.unparse(keyword.value) for keyword in call.keywords}
            assert keywords.get("shell", "False") == "False", where
            assert keywords.get("allow_pickle", "False") == "False", where
            assert not name.endswith(("read_pickle", "yaml.load", "joblib.load")), where


def test_the_exceptions_are_still_needed() -> None:
    """Every listed exception is used; an unused one would weaken the test."""
    called = {(name_of(path), name) for path in FILES for name, _ in calls(parsed(path))}
    assert called >= MAY_CALL
    connecting = {name_of(path) for path in FILES if imported(parsed(path)) & NETWORK_MODULES}
    assert connecting == MAY_CONNECT


@pytest.mark.parametrize("text", ["import pickle", "from urllib.request import urlopen", "import_module('marshal')"])
def test_the_import_reader_finds_imports(text: str) -> None:
    """The tests above can fail: every form of import is found."""
    assert imported(ast.parse(text)) & (FORBIDDEN_MODULES | NETWORK_MODULES)


OFFLINE = """
import socket, sys
from pathlib import Path
real = socket.socket.connect
def connect(self, address):
    if self.family != socket.AF_UNIX:
        raise AssertionError(f"connection to {address}")
    return real(self, address)
def reject(*arguments, **options):
    raise AssertionError(f"look-up of {arguments}")
socket.socket.connect = socket.socket.connect_ex = connect
socket.getaddrinfo = socket.gethostbyname = socket.create_connection = reject
from puretree.cli import main
data, run, new = sys.argv[1:]
for command in (
    ["fit", data, "-t", "risk", "--out", run, "--selection", "teacher", "--n-jobs", "2", "--random-state", "0"],
    ["fit", data, "-t", "risk", "--engine", "maxsat", "--n-trees", "2", "--random-state", "0"],
    ["show", run, "--rules"],
    ["predict", run, data, "--out", new],
    ["explain", run, data, "--row", "0"],
    ["trees", run, "--features"],
    ["export", run, "--format", "svg", "--out", new],
    ["export", run, "--format", "python", "--out", new],
    ["encode", data, "-t", "risk", "--out", new],
    ["engines"],
    ["datasets"],
):
    assert main(command) == 0, command
try:
    socket.create_connection(("localhost", 1))
except AssertionError:
    print("no connection")
"""


def test_no_network_by_default(tmp_path: Path) -> None:
    """All commands work where every connection is an error, if no data set of an archive is requested."""
    data = tmp_path / "loans.csv"
    data.write_text(LOANS, encoding="utf-8")
    command = [sys.executable, "-c", OFFLINE, str(data), str(tmp_path / "run"), str(tmp_path / "new")]
    result = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=120, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stdout.endswith("no connection\n")


def requirements() -> list[tuple[str, str]]:
    """Return every requirement with the comment on its line in pyproject.toml."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)
    groups = [project["build-system"]["requires"], project["project"]["dependencies"]]
    groups += project["project"]["optional-dependencies"].values()
    lines = text.splitlines()
    commented = []
    for requirement in (item for group in groups for item in group):
        comments = [line.partition('",  # ')[2] for line in lines if line.strip().startswith(f'"{requirement}",')]
        assert comments, f"{requirement} needs a separate line"
        commented.append((requirement, comments[0]))
    return commented


def test_every_requirement_has_an_upper_bound_and_a_reason() -> None:
    """A future release cannot break an installation, and a comment says why the bound is there."""
    assert len(requirements()) > 20
    for requirement, reason in requirements():
        assert re.search(r"<\d|==\d", requirement), f"{requirement} has no upper bound"
        assert len(reason) >= 10, f"{requirement}: give the reason in a comment on its line"


def test_the_installed_packages_are_within_the_bounds() -> None:
    """The tests run with versions that the requirements allow."""
    packaging = pytest.importorskip("packaging.requirements")
    metadata = pytest.importorskip("importlib.metadata")
    for text, _ in requirements():
        requirement = packaging.Requirement(text)
        try:
            version = metadata.version(requirement.name)
        except metadata.PackageNotFoundError:
            continue
        assert requirement.specifier.contains(version, prereleases=True), f"{text}: {version} is installed"
