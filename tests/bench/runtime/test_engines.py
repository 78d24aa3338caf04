"""The engines of the runtime experiment, and which solvers of the paper they are."""

import pytest

from puretree.bench.published import TABLE_3
from puretree.bench.runtime.engines import (
    ENGINES,
    OTHER_ALGORITHMS,
    PAPER_ENGINES,
    encoding_of,
    measured_engine,
    paper_solver,
)
from puretree.bench.runtime.maxsat_mindt import linear_search_or_mindt
from puretree.engines import options_of


def test_the_default_engines_are_explicit() -> None:
    """MaxSAT and MinDT name their warm start, so that the table does not depend on the engines' defaults."""
    assert all(("warm_start=" in name) == (linear_search_or_mindt(name) is not None) for name in ENGINES)
    for name in ("maxsat", "mindt"):
        assert {f"{name}(warm_start=True)", f"{name}(warm_start=False)"} < set(ENGINES)
    assert len({repr(measured_engine(name)) for name in ENGINES}) == len(ENGINES)


@pytest.mark.parametrize("name", ENGINES)
def test_engines_run_alone_on_all_examples_with_one_solver(name: str) -> None:
    """No engine hands over to another or adds examples lazily, and all SAT solvers are the same."""
    options = options_of(measured_engine(name))
    assert options.get("takeover", False) is False
    assert ("lazy" in options) == name.startswith(("maxsat", "local-search"))
    assert options.get("lazy", False) is False
    assert options.get("solver", "cadical195") == "cadical195"


def test_options_of_the_engine_win() -> None:
    """A takeover and lazy examples that the name asks for are respected."""
    options = options_of(measured_engine("maxsat(backend='rc2', takeover=True, lazy=None)", 1e9))
    assert (options["takeover"], options["lazy"], options["memory_limit"]) == (True, None, 1e9)


def test_every_solver_of_the_paper_has_an_engine() -> None:
    """All but the external program; MPDT is Algorithm 1 as written: without warm start, with a totaliser."""
    assert {*PAPER_ENGINES, "TT-Open-WBO-Inc-21"} == set(TABLE_3[3600.0][0.4])
    assert set(PAPER_ENGINES.values()) < set(ENGINES)
    assert set(OTHER_ALGORITHMS) < set(PAPER_ENGINES)
    solvers = {paper_solver(name): name for name in ENGINES}
    assert {solver: solvers[solver] for solver in solvers if solver} == PAPER_ENGINES
    assert PAPER_ENGINES["MPDT"] == "maxsat(objective='totaliser', warm_start=False)"


@pytest.mark.parametrize(
    ("name", "solver"),
    [
        ("mindt(solver='cadical195', warm_start=False)", "MinDT"),
        ("mindt(solver='glucose4', warm_start=False)", None),
        ("maxsat(lazy=True, objective='totaliser', warm_start=False)", None),
        ("mindt(upper_bound='iti')", "MinDT"),
        ("maxsat(warm_start=False, objective='totaliser', lazy=False, upper_bound='iti')", "MPDT"),
        ("maxsat(objective='totaliser', warm_start=False, upper_bound='best')", "MPDT"),
        ("maxsat(backend='external:/opt/TT-Open-WBO-Inc-21 -t 60?format=old')", "TT-Open-WBO-Inc-21"),
        ("maxsat(backend='external:bash /opt/tt-open-wbo-inc-Glucose4_1-2021.sh')", "TT-Open-WBO-Inc-21"),
        ("maxsat(backend='external:/opt/TT-Open-WBO-Inc-Glucose4_1_static -t 60')", None),
        ("maxsat(backend='external:/opt/TT-Open-WBO-Inc-22')", None),
        ("maxsat(backend='external:/opt/tt-open-wbo-inc-21', takeover=True)", None),
        ("maxsat(backend='external:/opt/loandra')", None),
        ("maxsat(backend='rc2')", None),
    ],
)
def test_other_options_are_other_algorithms(name: str, solver: str | None) -> None:
    """Published values are for the paper's algorithm only, whatever the order of its options."""
    assert paper_solver(name) == solver
    assert encoding_of(name) == ("SAT" if name.startswith("mindt") else "MaxSAT")
