"""Nothing from outside is ever run, nobody is called without being asked, and every package has a newest version.

Processes of our own talk to each other through pickles where joblib does it (a teacher's trees with ``n_jobs``, and
Dask, which is asked for): that is no input, and nothing here reads a pickle from a file.
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
"""An export of ours is run on the training rows before it is handed out: our own words, which test_escaping tries."""

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
MAY_TALK = {
    "datasets/download.py",  # these three, if a data set is asked for that is elsewhere
    "datasets/openml.py",
    "datasets/pmlb.py",
    "sat/isolated.py",  # a pair of sockets between a process and its child
    "sat/session.py",
    "bench/output/report.py",  # a name as part of an address, by urllib.parse
}


def parsed(path: Path) -> ast.Module:
    """Read a file of ours."""
    return ast.parse(path.read_text(encoding="utf-8"))


def name_of(path: Path) -> str:
    """Return the name of a file of ours."""
    return path.relative_to(SOURCES).as_posix()


def imported(module: ast.Module) -> set[str]:
    """Return the packages that a file imports, other than our own."""
    found = set()
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(node.module.split(".")[0])
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            found |= {str(argument.value).split(".")[0] for argument in node.args if isinstance(argument, ast.Constant)}
    return found


def calls(module: ast.Module) -> Iterator[tuple[str, ast.Call]]:
    """Yield what is called, by its name as it is written."""
    for node in ast.walk(module):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func), node


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_nothing_from_outside_is_run(path: Path) -> None:
    """No pickle, no eval, no shell: neither imported nor called."""
    module = parsed(path)
    assert not imported(module) & FORBIDDEN_MODULES
    for name, call in calls(module):
        assert name not in FORBIDDEN_CALLS or (name_of(path), name) in MAY_CALL, ast.unparse(call)
        given = {word.arg: ast.unparse(word.value) for word in call.keywords}
        assert given.get("shell", "False") == "False", ast.unparse(call)
        assert given.get("allow_pickle", "False") == "False", ast.unparse(call)
        assert not name.endswith(("read_pickle", "yaml.load", "joblib.load")), ast.unparse(call)


def test_the_exceptions_are_still_needed() -> None:
    """An exception that nothing uses any more is a hole."""
    made = {(name_of(path), name) for path in FILES for name, _ in calls(parsed(path))}
    assert made >= MAY_CALL
    talking = {name_of(path) for path in FILES if imported(parsed(path)) & NETWORK_MODULES}
    assert talking == MAY_TALK


@pytest.mark.parametrize("text", ["import pickle", "from urllib.request import urlopen", "import_module('marshal')"])
def test_imports_are_seen(text: str) -> None:
    """The tests above can fail: every way to import is noticed."""
    assert imported(ast.parse(text)) & (FORBIDDEN_MODULES | NETWORK_MODULES)


OFFLINE = """
import socket, sys
from pathlib import Path
real = socket.socket.connect
def connect(self, address):
    if self.family != socket.AF_UNIX:
        raise AssertionError(f"somebody calls {address}")
    return real(self, address)
def refuse(*arguments, **options):
    raise AssertionError(f"somebody asks for an address: {arguments}")
socket.socket.connect = socket.socket.connect_ex = connect
socket.getaddrinfo = socket.gethostbyname = socket.create_connection = refuse
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
    print("nobody was called")
"""


def test_no_network_unless_asked(tmp_path: Path) -> None:
    """All commands but those that ask for a data set elsewhere work where every connection is an error."""
    data = tmp_path / "loans.csv"
    data.write_text(LOANS, encoding="utf-8")
    command = [sys.executable, "-c", OFFLINE, str(data), str(tmp_path / "run"), str(tmp_path / "new")]
    ended = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=120, check=False)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.endswith("nobody was called\n")


def requirements() -> list[tuple[str, str]]:
    """Return each required package as pip reads it, with the words beside it in the file."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)
    groups = [project["build-system"]["requires"], project["project"]["dependencies"]]
    groups += project["project"]["optional-dependencies"].values()
    lines = text.splitlines()
    found = []
    for requirement in (each for group in groups for each in group):
        beside = [line.partition('",  # ')[2] for line in lines if line.strip().startswith(f'"{requirement}",')]
        assert beside, f"{requirement} does not stand on a line of its own"
        found.append((requirement, beside[0]))
    return found


@pytest.mark.parametrize(("requirement", "reason"), requirements(), ids=[each for each, _ in requirements()])
def test_every_package_has_an_upper_bound_and_a_reason(requirement: str, reason: str) -> None:
    """So that a release that is not written yet cannot break an install, and whoever raises a bound knows its sense."""
    assert re.search(r"<\d|==\d", requirement), f"{requirement} has no upper bound"
    assert len(reason) >= 10, f"{requirement}: say why, in a comment beside it"


def test_the_installed_packages_are_within_the_bounds() -> None:
    """What is tested is what is allowed."""
    packaging = pytest.importorskip("packaging.requirements")
    metadata = pytest.importorskip("importlib.metadata")
    for text, _ in requirements():
        requirement = packaging.Requirement(text)
        try:
            version = metadata.version(requirement.name)
        except metadata.PackageNotFoundError:
            continue
        assert requirement.specifier.contains(version, prereleases=True), f"{text}: {version} is installed"
