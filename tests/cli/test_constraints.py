"""``--max-leaf-nodes``, ``--min-samples-leaf`` and ``--time-limit``: on every command, and in certificates."""

import json
from pathlib import Path

import pytest
from helpers.command_line import Puretree

from puretree import Tree

# The minimum tree has 5 nodes and a leaf of one row; with at least 2 rows in every leaf, the minimum is 7 nodes.
ROWS = """a,b,c,d,e,y
1,1,1,0,0,no
0,1,0,1,0,yes
1,1,1,0,1,no
1,1,0,1,0,no
0,1,0,1,0,yes
0,1,1,0,1,no
0,0,1,1,1,yes
0,0,0,1,0,yes
"""
# The minimum tree has 5 nodes, and at least 2 rows in every leaf.
PAIRS = "a,b,y\n0,0,p\n0,0,p\n0,1,q\n0,1,q\n1,0,q\n1,0,q\n"
LIMITS = ["--max-leaf-nodes", 4, "--min-samples-leaf", 2]
TOO_FEW_LEAVES = ["--max-leaf-nodes", 3, "--min-samples-leaf", 2]
TOO_MANY_ROWS = ["--min-samples-leaf", 3]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Write the table whose minimum depends on the number of rows per leaf."""
    path = tmp_path / "table.csv"
    path.write_text(ROWS)
    return path


def test_fit_satisfies_the_constraints_on_leaves(puretree: Puretree, table: Path) -> None:
    """With at least 2 rows per leaf a larger tree is minimum, and the status line names the constraints."""
    free = json.loads(puretree("fit", table, "-t", "y", "--json").out)
    result = json.loads(puretree("fit", table, "-t", "y", *LIMITS, "--json").out)
    assert (free["n_nodes"], result["n_nodes"], result["status"]) == (5, 7, "optimal")
    assert (result["parameters"]["max_leaf_nodes"], result["parameters"]["min_samples_leaf"]) == (4, 2)
    tree = Tree.from_dict(result["tree"])
    assert tree.counts is not None
    assert tree.counts[tree.left < 0].sum(axis=1).min() == 2
    out = puretree("fit", table, "-t", "y", *LIMITS).out
    assert "at most 4 leaves · at least 2 rows per leaf" in out
    assert "rows per leaf" not in puretree("fit", table, "-t", "y").out


def test_trees_satisfy_the_constraints_on_leaves(puretree: Puretree, table: Path) -> None:
    """All minimum trees are counted under the constraints."""
    assert "1 tree of 7 nodes, proved minimum" in puretree("trees", table, "-t", "y", *LIMITS).out
    assert "2 trees of 5 nodes, proved minimum" in puretree("trees", table, "-t", "y").out


def test_trees_of_a_run_satisfy_its_constraints_on_leaves(puretree: Puretree, table: Path, tmp_path: Path) -> None:
    """The constraints of the run apply, unless the command line replaces them, even by the default."""
    run = tmp_path / "run"
    assert puretree("fit", table, "-t", "y", *LIMITS, "--out", run).code == 0
    assert "1 tree of 7 nodes, proved minimum" in puretree("trees", run).out
    assert "2 trees of 5 nodes, proved minimum" in puretree("trees", run, "--min-samples-leaf", 1).out
    assert puretree("trees", run, "--max-leaf-nodes", 3).code == 20


def test_compare_satisfies_the_constraints_on_leaves(puretree: Puretree, table: Path) -> None:
    """Engines without support for a constraint are reported as unsupported, and others satisfy it."""
    result = puretree("compare", table, "-t", "y", *LIMITS, "--engines", "search,mindt", "--json")
    search, mindt = json.loads(result.out)
    assert (search["n_nodes"], search["status"]) == (7, "optimal")
    assert (mindt["tree"], mindt["status"]) == (None, "unsupported")


@pytest.mark.parametrize("command", ["fit", "trees"])
@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        (TOO_FEW_LEAVES, "with at most 3 leaves (5 nodes), with at least 2 rows in every leaf"),
        (TOO_MANY_ROWS, "with at least 3 rows in every leaf"),
    ],
)
def test_infeasible_constraints_exit_with_code_20(
    puretree: Puretree, table: Path, command: str, constraints: list[object], message: str
) -> None:
    """If no pure tree satisfies the constraints, the exit code is 20 and the error names them."""
    result = puretree(command, table, "-t", "y", *constraints)
    assert (result.code, result.out) == (20, "")
    assert result.err.startswith(f"error: there is no pure tree {message}")


def test_compare_reports_infeasible_constraints(puretree: Puretree, table: Path) -> None:
    """Infeasible constraints are a result of an engine, not an error."""
    result = puretree("compare", table, "-t", "y", *TOO_FEW_LEAVES, "--engines", "search")
    assert result.code == 0
    assert "infeasible" in result.out
    assert "search: there is no pure tree with at most 3 leaves" in result.err


def test_engines_without_support_exit_with_code_2(puretree: Puretree, table: Path) -> None:
    """An engine that does not support a constraint is an error that names another engine."""
    result = puretree("fit", table, "-t", "y", "--min-samples-leaf", 2, "--engine", "mindt")
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("error: --engine mindt does not support ")
    assert "use --engine auto" in result.err


def test_no_time_limit(puretree: Puretree, table: Path, tmp_path: Path) -> None:
    """The time limit is 60 seconds by default; 'none' means no limit, and is recorded as null."""
    for options, expected in (([], 60.0), (["--time-limit", "none"], None), (["--time-limit", "NONE"], None)):
        result = json.loads(puretree("fit", table, "-t", "y", *options, "--json").out)
        assert (result["status"], result["parameters"]["time_limit"]) == ("optimal", expected)
    run = tmp_path / "run"
    assert puretree("fit", table, "-t", "y", "--out", run).code == 0
    for command in (["trees", run], ["certify", run], ["verify", run], ["report", run]):
        assert puretree(*command, "--time-limit", "none").code == 0
    assert puretree("compare", table, "-t", "y", "--engines", "search", "--time-limit", "none").code == 0


@pytest.mark.parametrize("command", ["fit", "trees", "compare", "certify", "verify", "report"])
def test_invalid_time_limits_exit_with_code_2(puretree: Puretree, table: Path, run_folder: Path, command: str) -> None:
    """Negative numbers, NaN and other words are rejected before any work."""
    arguments = [run_folder] if command in ("certify", "verify", "report") else [table, "-t", "y"]
    for text in ("-1", "nan", "soon", ""):
        result = puretree(command, *arguments, "--time-limit", text)
        assert (result.code, result.out) == (2, "")
        assert result.err.startswith(f"error: --time-limit {text} is not a number of seconds")


# Certificates: a proof is about all pure trees, so a bound that depends on the constraint cannot be certified.


@pytest.mark.parametrize("proof", ["none", "drat"])
def test_bounds_that_depend_on_the_rows_per_leaf_are_not_certified(
    puretree: Puretree, table: Path, tmp_path: Path, proof: str
) -> None:
    """A pure tree of 5 nodes violates the constraint, so a proof of 7 nodes is not made, and not verified."""
    run = tmp_path / "run"
    assert puretree("fit", table, "-t", "y", "--min-samples-leaf", 2, "--out", run).code == 0
    assert puretree("certify", run, "--proof", proof).code == 10
    verified = puretree("verify", run)
    assert verified.code == 10
    assert "not verified" in verified.out.splitlines()[-1]


def test_bounds_that_hold_without_the_rows_per_leaf_are_certified(puretree: Puretree, tmp_path: Path) -> None:
    """If the constraint does not change the minimum, the claim is proved for all pure trees, without the constraint."""
    table, run = tmp_path / "pairs.csv", tmp_path / "run"
    table.write_text(PAIRS)
    constraints = ["--min-samples-leaf", 2, "--max-leaf-nodes", 3]
    assert puretree("fit", table, "-t", "y", *constraints, "--out", run).code == 0
    assert puretree("certify", run).code == 0
    verified = puretree("verify", run)
    assert verified.code == 0
    assert "model.json has 5 nodes" in verified.out.splitlines()[-1]
    assert verified.out.splitlines()[-1].endswith("Limitations of the rows and trees: none.")


def test_the_claim_of_a_run_names_the_rows_per_leaf(puretree: Puretree, table: Path, tmp_path: Path) -> None:
    """A claim of 7 nodes is wrong without its constraints, so the claim contains them."""
    run = tmp_path / "run"
    assert puretree("fit", table, "-t", "y", *LIMITS, "--out", run).code == 0
    claim = json.loads((run / "certificate.json").read_text())["claim"]
    assert (claim["n_nodes"], claim["is_minimum"]) == (7, True)
    constraints = claim["constraints"]
    assert (constraints["min_samples_leaf"], constraints["max_leaf_nodes"]) == (2, 4)
