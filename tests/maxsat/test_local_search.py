"""Local search and its hybrids, held against trying every assignment."""

import signal
import threading
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from helpers.oracles.maxsat import cheapest, hard_formula, random_formula
from helpers.strategies import weighted_formulas
from hypothesis import given
from hypothesis import strategies as st

from puretree import InputError, _native
from puretree._support.clock import Clock
from puretree.formula import Model, Soft, Wcnf, as_block
from puretree.maxsat import BACKENDS, LinearSearch, LocalSearch
from puretree.maxsat.answer_check import Judge

HYBRIDS = ("none", "c", "ck")


def quick(hybrid: Any = "none", **options: Any) -> LocalSearch:
    """Make a search that gives up soon."""
    return LocalSearch(hybrid, isolated=False, **{"most_steps": 5000, **options})


@given(weighted_formulas() | weighted_formulas(max_weight=1) | weighted_formulas(max_weight=10**13), st.integers(0, 99))
def test_nothing_is_said_that_is_not_so(formula: Wcnf, seed: int) -> None:
    """Any formula and seed: models are models, each better than the one before, and what is called best is best."""
    truth = cheapest(formula)
    for hybrid in HYBRIDS:
        models: list[Model] = []
        answer = quick(hybrid, seed=seed).minimise(formula, on_model=models.append)
        costs = [formula.cost(model) for model in models]
        assert all(formula.broken(model) is None for model in models)
        assert costs == sorted(set(costs), reverse=True)
        assert answer.cost == (costs[-1] if costs else None)
        if answer.status != "unknown":
            assert answer.cost == truth
        assert hybrid != "ck" or answer.status == ("unsatisfiable" if truth is None else "optimal")


@pytest.mark.parametrize("hybrid", ["none", "c"])
def test_small_optima_are_found(hybrid: str) -> None:
    """On 300 small formulas the walk finds the cheapest model of nearly all, without a word of proof."""
    found = [quick(hybrid).minimise(formula).cost == cheapest(formula) for formula in map(random_formula, range(300))]
    assert sum(found) >= 297


def test_a_larger_optimum_is_found_alone() -> None:
    """Among 300 variables the walk finds, within its steps, a model that the SAT solver's first one is far from."""
    formula = hard_formula()
    answer = quick(most_steps=100_000).minimise(formula)
    first = quick("c", most_steps=0).minimise(formula)
    assert answer.status == first.status == "unknown"
    assert answer.cost is not None
    assert first.cost is not None
    assert answer.cost < 0.8 * first.cost


def test_the_same_seed_takes_the_same_steps() -> None:
    """Twice the same seed: the same models on the way; another seed: others."""
    heard: dict[int, list[list[bool]]] = {}
    for run, seed in enumerate((7, 7, 8)):
        heard[run] = []
        search = quick(seed=seed, most_steps=100_000)
        search.minimise(hard_formula(), on_model=lambda model, run=run: heard[run].append(model.tolist()))
    assert heard[0] == heard[1] != heard[2]
    assert len(heard[0]) > 1


def test_the_walk_begins_where_it_is_told() -> None:
    """The literals of a model make that model the first one."""
    formula = hard_formula()
    first = quick("c", most_steps=0).minimise(formula).model
    assert first is not None
    heard: list[Model] = []
    given = [var if first[var] else -var for var in range(1, formula.n_vars + 1)]
    quick().improve(formula, Judge(formula, "it", heard.append), Clock(), given=given)
    costs = [formula.cost(model) for model in heard]
    assert heard[0].tolist() == first.tolist() or costs[0] < formula.cost(first)
    assert all(later < earlier for earlier, later in pairwise(costs))


def test_enough_is_enough() -> None:
    """A model that costs no more than was asked for ends the walk, and is called the answer."""
    formula = hard_formula(n_hard=600)
    answer = quick(most_steps=10**6).improve(formula, Judge(formula, "it", lambda _: None), Clock(), enough=600)
    assert answer.status == "optimal"
    assert answer.cost is not None
    assert 0 < answer.cost <= 600


def formula_of(n_vars: int, hard: list[list[int]], soft: list[tuple[int, list[int]]]) -> Wcnf:
    """Make a formula from plain lists."""
    formula = Wcnf(n_vars, soft=[Soft(weight, tuple(literals)) for weight, literals in soft])
    formula.add(as_block(hard))
    return formula


EDGES: dict[str, tuple[Wcnf, tuple[str, int | None]]] = {
    "nothing at all": (formula_of(0, [], []), ("optimal", 0)),
    "variables without clauses": (formula_of(3, [], []), ("optimal", 0)),
    "no soft clauses": (formula_of(2, [[1, 2], [-1, 2]], []), ("optimal", 0)),
    "an empty hard clause": (formula_of(1, [[]], [(1, [1])]), ("unsatisfiable", None)),
    "an empty soft clause": (formula_of(1, [], [(3, []), (1, [1])]), ("optimal", 3)),
    "units that contradict": (formula_of(2, [[1], [-1, 2], [-2]], []), ("unsatisfiable", None)),
    "soft clauses against units": (formula_of(2, [[1], [-1, 2]], [(4, [-2]), (2, [2])]), ("optimal", 4)),
    "literals twice": (formula_of(2, [[1, 1, 2], [-2, -2]], [(1, [1, 1])]), ("optimal", 0)),
    "always true": (formula_of(2, [[1, -1], [2, 1, -2]], [(5, [2, -2])]), ("optimal", 0)),
    "without weight": (formula_of(1, [[1]], [(0, [-1]), (0, [])]), ("optimal", 0)),
    "heavy": (formula_of(2, [[1, 2]], [(2**61 + 1, [-1]), (2**61, [-2])]), ("unknown", 2**61)),
}


@pytest.mark.parametrize("edge", EDGES)
def test_edges(edge: str) -> None:
    """Formulas at the edge: what needs no search is known without one."""
    formula, (status, cost) = EDGES[edge]
    answer = quick().minimise(formula)
    assert (answer.status, answer.cost) == (status, cost)


def test_weights_that_cannot_be_taken() -> None:
    """Weights beyond a machine word are refused, not wrapped, and so are negative ones."""
    with pytest.raises(InputError, match="local-search cannot take weights that add up to"):
        quick().minimise(formula_of(1, [], [(2**62, [1]), (2**62, [-1])]))
    with pytest.raises(InputError, match="negative weight"):
        quick().minimise(formula_of(1, [], [(-1, [1])]))


@pytest.mark.parametrize("hybrid", HYBRIDS)
def test_the_limit_is_kept(hybrid: Any) -> None:
    """The walk goes on until the time is over, and its best model is there."""
    clock = Clock(0.5)
    answer = LocalSearch(hybrid, isolated=False).minimise(hard_formula(), clock=clock)
    assert answer.status == "unknown"
    assert answer.model is not None
    assert 0.4 < clock.seconds < 1.5


def test_ctrl_c_is_heard() -> None:
    """Ctrl-C ends a walk that would go on for ever, and the models so far were told."""
    heard: list[Model] = []
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        LocalSearch(most_steps=2**62).minimise(hard_formula(), on_model=heard.append)
    timer.join()
    assert heard


def test_an_error_of_the_listener_flies_through() -> None:
    """Who listens may give up, and is not asked again."""
    heard: list[Model] = []

    def give_up(model: Model) -> None:
        heard.append(model)
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        quick().minimise(hard_formula(), on_model=give_up)
    assert len(heard) == 1


def test_the_linear_search_goes_on_from_the_walk(monkeypatch: pytest.MonkeyPatch) -> None:
    """The hybrid that proves begins with the model of the walk, and asks only for better ones."""
    formula = hard_formula(n_vars=40, n_hard=60, n_soft=30)
    begun: list[int] = []
    original = LinearSearch.start_from

    def start_from(search: LinearSearch, literals: Sequence[int], clock: Clock) -> bool:
        begun.append(formula.cost(np.array([False, *(literal > 0 for literal in literals)])))
        return original(search, literals, clock)

    monkeypatch.setattr(LinearSearch, "start_from", start_from)
    answer = quick("ck").minimise(formula)
    first = quick("c", most_steps=0).minimise(formula)
    assert answer.status == "optimal"
    assert answer.cost is not None
    assert first.cost is not None
    assert answer.cost <= begun[0] < first.cost


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"hybrid": "cc"}, "hybrid='cc' is not known; use one of 'none', 'c', 'ck'"),
        ({"seed": -1}, "seed=-1 is no seed"),
        ({"seed": 0.5}, "seed=0.5 is no seed"),
        ({"most_steps": -1}, "most_steps=-1 is no number of steps"),
        ({"solver": "minisaur"}, "there is no solver 'minisaur'"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], match: str) -> None:
    """The error names the option and the remedy."""
    with pytest.raises(InputError, match=match):
        LocalSearch(**options)


def test_names() -> None:
    """The registry's names are those of the backends."""
    for name in ("local-search", "local-search-c", "local-search-ck"):
        assert BACKENDS[name]().name == name


def test_the_border_is_watched() -> None:
    """The kernel refuses literals of variables that are not there, and weights that are negative or missing."""
    search = _native.LocalSearch(2)
    none = np.empty(0, dtype=np.int64)
    with pytest.raises(ValueError, match="not of a variable"):
        search.add(as_block([[3]]), none)
    with pytest.raises(ValueError, match="not of a variable"):
        search.add(np.array([[-(2**31)]], dtype=np.int32), none)
    with pytest.raises(ValueError, match="needs its weight"):
        search.add(as_block([[1], [2]]), np.ones(1, dtype=np.int64))
    with pytest.raises(ValueError, match="negative"):
        search.add(as_block([[1]]), np.array([-1], dtype=np.int64))
    with pytest.raises(ValueError, match="zero"):
        search.run(np.zeros(1, dtype=np.int32), 0, 1, 0, lambda values: None, 1.0)
