"""Test the evaluation of models and the combination of objectives."""

from itertools import product

import numpy as np
from helpers.oracles.maxsat import hard_clauses, satisfies
from helpers.strategies import weighted_formulas
from hypothesis import given
from hypothesis import strategies as st

from puretree.formula import Objective, Soft, Wcnf, combine


@given(weighted_formulas(), st.data())
def test_cost_and_falsified_clauses(formula: Wcnf, data: st.DataObject) -> None:
    """A falsified hard clause is returned if there is one; the cost is the weight of the falsified soft clauses."""
    values = data.draw(st.lists(st.booleans(), min_size=formula.n_vars, max_size=formula.n_vars))
    model = np.array([False, *values])
    hard = hard_clauses(formula)
    falsified = formula.falsified_clause(model)
    assert (falsified is None) == all(satisfies(values, clause) for clause in hard)
    assert falsified is None or (falsified in hard and not satisfies(values, falsified))
    expected = sum(soft.weight for soft in formula.soft if not satisfies(values, soft.literals))
    assert formula.cost(model) == expected


@given(st.lists(st.lists(st.tuples(st.integers(1, 5), st.booleans()), max_size=3), min_size=1, max_size=3))
def test_combined_weights_order_models_lexicographically(parts: list[list[tuple[int, bool]]]) -> None:
    """The combined cost orders assignments as the objectives do, the first objective first."""
    objectives, var = [], 0
    for part in parts:
        objectives.append(Objective.of([Soft(weight, (var := var + 1,)) for weight, _ in part]))
    combined = combine(objectives)
    rng = np.random.default_rng(var)
    models = [np.array([False, *(rng.random(var) < 0.5)]) for _ in range(6)]
    for pair in product(models, repeat=2):
        separate = [tuple(objective.cost(model) for objective in objectives) for model in pair]
        total = [sum(soft.weight for soft in combined if soft.is_falsified(model)) for model in pair]
        assert (separate[0] < separate[1]) == (total[0] < total[1])
