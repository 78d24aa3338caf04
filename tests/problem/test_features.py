"""Options about columns become a policy about features."""

import pandas as pd
import pytest

from puretree import BinaryProblem, ConflictError, ConflictWarning, InputError, Outcome, minimum_tree, prepare

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
    """Return the names of the columns that a tree tests."""
    assert outcome.tree is not None
    return {outcome.tree.predicate(feature).column.name for feature in outcome.tree.features}


def test_forbidden_columns_are_not_tested() -> None:
    """An equal column that is allowed takes the place of a forbidden one."""
    assert columns_used(minimum_tree(TABLE, Y)) == {"sex"}
    assert columns_used(minimum_tree(TABLE, Y, forbidden=["sex"])) == {"twin"}
    outcome = minimum_tree(TABLE, Y, forbidden=["sex", "twin"])
    assert (columns_used(outcome), outcome.n_nodes) == ({"age"}, 11)
    assert columns_used(minimum_tree(TABLE, Y, forbidden=[0, 1])) == {"twin"}


def test_rows_that_differ_only_in_forbidden_columns_are_contradictory() -> None:
    """They are reported like any other contradictory rows."""
    with pytest.raises(ConflictError, match="contradict"):
        minimum_tree(TABLE, Y, forbidden=["age", "sex", "twin"], on_conflict="raise")
    with pytest.warns(ConflictWarning, match="contradict"):
        assert minimum_tree(TABLE, Y, forbidden=["age", "sex", "twin"]).n_nodes == 1


def test_the_root_tests_the_required_column() -> None:
    """Of equal columns, the root tests the one that was required."""
    outcome = minimum_tree(TABLE, Y, root="twin")
    assert (columns_used(outcome), outcome.n_nodes) == ({"twin"}, 3)
    outcome = minimum_tree(TABLE, Y, root="age")
    assert outcome.tree is not None
    assert outcome.tree.predicate(int(outcome.tree.feature[0])).column.name == "age"
    assert (outcome.status, outcome.n_nodes) == ("optimal", 5)


def test_the_cheapest_of_equal_features_is_kept() -> None:
    """Of equal columns, trees test the one of lowest cost."""
    outcome = minimum_tree(TABLE, Y, feature_costs={"sex": 5, "twin": 2}, minimise="nodes-then-cost")
    assert (columns_used(outcome), outcome.cost) == ({"twin"}, 2)
    outcome = minimum_tree(TABLE, Y, feature_costs={"sex": 7, "twin": 7}, minimise="cost")
    assert (columns_used(outcome), outcome.cost, outcome.n_nodes) == ({"age"}, 5, 11)
    outcome = minimum_tree(TABLE, Y, feature_costs={"sex": 4, "twin": 4}, minimise="cost")
    assert (outcome.cost, outcome.n_nodes) == (4, 3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"forbidden": ["agee"]},
            r"forbidden='agee' is not a column of the table \(did you mean 'age'\?\); it has age, sex",
        ),
        ({"forbidden": "age"}, r"use a list of columns: \['age'\]"),
        ({"root": "name"}, "root='name' is not a column"),
        ({"root": "flat"}, "root='flat' cannot be the root"),
        ({"root": "age", "forbidden": ["age"]}, "root='age' cannot be the root"),
        ({"feature_costs": {"height": 3}}, "feature_costs='height' is not a column"),
        ({"feature_costs": {"age": -1}}, "cost of column 'age' is -1"),
        ({"feature_costs": {"age": 2.5}}, "cost of column 'age' is 2.5"),
        ({"root": "sex", "feature_costs": {"sex": 9}}, "column 'twin' splits the rows like 'sex', .* forbid 'twin'"),
    ],
)
def test_invalid_columns_raise_an_error(options: dict[str, object], message: str) -> None:
    """The message names the parameter, the column and the remedy."""
    with pytest.raises(InputError, match=message):
        prepare(TABLE, Y, **options)  # type: ignore[arg-type]


def test_costs_of_a_binary_problem() -> None:
    """Each feature of a 0/1 matrix has a cost; invalid costs raise an error."""
    problem = BinaryProblem.from_rows([[0, 1, 0], [1, 0, 0], [1, 1, 1]], [0, 1, 1], costs=[4, 5, 6], allowed=[2, 0])
    assert problem.merge.original_of_feature.tolist() == [2, 0]
    assert problem.costs.tolist() == [6, 4]
    twins = BinaryProblem.from_rows([[0, 0, 1], [1, 1, 1], [1, 1, 0]], [0, 1, 0], costs=[7, 3, 5])
    assert twins.merge.original_of_feature.tolist() == [1, 2]
    assert twins.costs.tolist() == [3, 5]
    for costs in ([1, 2], [1, 2, 3, 4], [1.5, 2.5, 3.5], [1, 2, -3]):
        with pytest.raises(InputError, match="costs must be 3 integers"):
            BinaryProblem.from_rows([[0, 1, 0], [1, 0, 0]], [0, 1], costs=costs)
