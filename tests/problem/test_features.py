"""Wishes about columns become an order of questions."""

import pandas as pd
import pytest

from puretree import BinaryProblem, ConflictError, InputError, Outcome, minimum_tree, prepare

TABLE = pd.DataFrame(
    {
        "age": [20, 30, 40, 50, 60, 70],
        "sex": ["f", "m", "f", "m", "f", "m"],
        "twin": ["x", "y", "x", "y", "x", "y"],
        "flat": [1, 1, 1, 1, 1, 1],
    }
)
Y = ["a", "b", "a", "b", "a", "b"]


def columns_used(outcome: Outcome) -> set[str]:
    """Return the names of the columns that a tree asks about."""
    assert outcome.tree is not None
    return {outcome.tree.predicate(feature).column.name for feature in outcome.tree.features}


def test_forbidden_columns_are_not_asked() -> None:
    """Neither as they are nor through the words of a column that says the same."""
    assert columns_used(minimum_tree(TABLE, Y)) == {"sex"}
    assert columns_used(minimum_tree(TABLE, Y, forbidden=["sex"])) == {"twin"}
    outcome = minimum_tree(TABLE, Y, forbidden=["sex", "twin"])
    assert (columns_used(outcome), outcome.n_nodes) == ({"age"}, 11)
    assert columns_used(minimum_tree(TABLE, Y, forbidden=[0, 1])) == {"twin"}


def test_forbidding_what_tells_rows_apart_is_a_contradiction() -> None:
    """Rows that differ in forbidden columns only are reported as what they are."""
    with pytest.raises(ConflictError, match="contradict"):
        minimum_tree(TABLE, Y, forbidden=["age", "sex", "twin"])


def test_the_root_is_told_as_it_was_asked_for() -> None:
    """Of columns that say the same, the one asked for as root speaks."""
    outcome = minimum_tree(TABLE, Y, root="twin")
    assert (columns_used(outcome), outcome.n_nodes) == ({"twin"}, 3)
    outcome = minimum_tree(TABLE, Y, root="age")
    assert outcome.tree is not None
    assert outcome.tree.predicate(int(outcome.tree.feature[0])).column.name == "age"
    assert (outcome.status, outcome.n_nodes) == ("optimal", 5)


def test_the_cheapest_of_equal_questions_speaks() -> None:
    """Columns that say the same are asked at the lowest cost."""
    outcome = minimum_tree(TABLE, Y, costs={"sex": 5, "twin": 2}, minimise="nodes-then-cost")
    assert (columns_used(outcome), outcome.cost) == ({"twin"}, 2)
    outcome = minimum_tree(TABLE, Y, costs={"sex": 7, "twin": 7}, minimise="cost")
    assert (columns_used(outcome), outcome.cost, outcome.n_nodes) == ({"age"}, 5, 11)
    outcome = minimum_tree(TABLE, Y, costs={"sex": 4, "twin": 4}, minimise="cost")
    assert (outcome.cost, outcome.n_nodes) == (4, 3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"forbidden": ["agee"]},
            r"forbidden names 'agee', which the table does not have \(did you mean 'age'\?\); it has age, sex",
        ),
        ({"forbidden": "age"}, r"use a list of columns: \['age'\]"),
        ({"root": "name"}, "root names 'name'"),
        ({"root": "flat"}, "root='flat' cannot be the root"),
        ({"root": "age", "forbidden": ["age"]}, "root='age' cannot be the root"),
        ({"costs": {"height": 3}}, "costs names 'height'"),
        ({"costs": {"age": -1}}, "cost of column 'age' is -1"),
        ({"costs": {"age": 2.5}}, "cost of column 'age' is 2.5"),
        ({"root": "sex", "costs": {"sex": 9}}, "column 'twin' says the same as 'sex', .* forbid 'twin'"),
    ],
)
def test_wishes_that_cannot_be_kept(options: dict[str, object], message: str) -> None:
    """The message names the option, the column and the remedy."""
    with pytest.raises(InputError, match=message):
        prepare(TABLE, Y, **options)  # type: ignore[arg-type]


def test_costs_of_a_binary_problem() -> None:
    """Each feature of a 0/1 matrix has its cost; what is no cost is refused."""
    problem = BinaryProblem.from_rows([[0, 1, 0], [1, 0, 0], [1, 1, 1]], [0, 1, 1], costs=[4, 5, 6], allowed=[2, 0])
    assert problem.merge.original_of_feature.tolist() == [2, 0]
    assert problem.costs.tolist() == [6, 4]
    twins = BinaryProblem.from_rows([[0, 0, 1], [1, 1, 1], [1, 1, 0]], [0, 1, 0], costs=[7, 3, 5])
    assert twins.merge.original_of_feature.tolist() == [1, 2]
    assert twins.costs.tolist() == [3, 5]
    for costs in ([1, 2], [1, 2, 3, 4], [1.5, 2.5, 3.5], [1, 2, -3]):
        with pytest.raises(InputError, match="costs must be 3 integers"):
            BinaryProblem.from_rows([[0, 1, 0], [1, 0, 0]], [0, 1], costs=costs)
