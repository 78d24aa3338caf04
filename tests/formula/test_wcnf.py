"""The check of a model that trusts nobody."""

import numpy as np
from helpers.oracles.maxsat import hard_clauses, satisfies
from helpers.strategies import weighted_formulas
from hypothesis import given
from hypothesis import strategies as st

from puretree.formula import Objective, Soft, Wcnf, combine


@given(weighted_formulas(), st.data())
def test_cost_and_broken_clauses(formula: Wcnf, data: st.DataObject) -> None:
    """A broken hard clause is found if there is one, and the cost is the weight of the broken soft ones."""
    values = data.draw(st.lists(st.booleans(), min_size=formula.n_vars, max_size=formula.n_vars))
    model = np.array([False, *values])
    hard = hard_clauses(formula)
    broken = formula.broken(model)
    assert (broken is None) == all(satisfies(values, clause) for clause in hard)
    assert broken is None or (broken in hard and not satisfies(values, broken))
    expected = sum(soft.weight for soft in formula.soft if not satisfies(values, soft.literals))
    assert formula.cost(model) == expected


@given(st.lists(st.lists(st.tuples(st.integers(1, 5), st.booleans()), max_size=3), min_size=1, max_size=3))
def test_combined_weights_keep_the_order(parts: list[list[tuple[int, bool]]]) -> None:
    """One weight for all objectives orders assignments as the objectives do, the first one first."""
    objectives, var = [], 0
    for part in parts:
        objectives.append(Objective.of([Soft(weight, (var := var + 1,)) for weight, _ in part]))
    combined = combine(objectives)
    rng = np.random.default_rng(var)
    models = [np.array([False, *(rng.random(var) < 0.5)]) for _ in range(6)]
    for one in models:
        for other in models:
            separate = [tuple(objective.cost(model) for objective in objectives) for model in (one, other)]
            together = [sum(soft.weight for soft in combined if soft.is_broken(model)) for model in (one, other)]
            assert (separate[0] < separate[1]) == (together[0] < together[1])
