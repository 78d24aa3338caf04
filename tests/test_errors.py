"""Exceptions: their messages as Python calls and as options, and pickling."""

import pickle
from typing import Any

import pytest

from puretree import ConflictError, InputError, SolverError, UnfinishedError, minimum_tree
from puretree.cli.options import as_option
from puretree.errors import CannotSearchError, NotKeptError
from puretree.outcome import Outcome


@pytest.mark.parametrize(
    ("error", "python", "option"),
    [
        (InputError("the table is empty"), "the table is empty", "the table is empty"),
        (
            InputError("is unknown", parameter="engine", value="best"),
            "engine='best' is unknown",
            "--engine best is unknown",
        ),
        (
            InputError("is not supported", parameter="max_leaf_nodes", value=3, use={"engine": "auto"}),
            "max_leaf_nodes=3 is not supported; use engine='auto'",
            "--max-leaf-nodes 3 is not supported; use --engine auto",
        ),
        (
            InputError("there are contradictory rows", use={"on_conflict": "drop", "time_limit": None}),
            "there are contradictory rows; use on_conflict='drop' or time_limit=None",
            "there are contradictory rows; use --on-conflict drop or --time-limit none",
        ),
        (
            InputError("are constant", parameter="forbidden", value=["a", "b c"]),
            "forbidden=['a', 'b c'] are constant",
            "--forbidden a --forbidden b c are constant",
        ),
        (
            InputError("is not an integer", parameter="feature_costs", value={"a": 0.5}),
            "feature_costs={'a': 0.5} is not an integer",
            "--feature-costs a=0.5 is not an integer",
        ),
        (InputError("is missing", parameter="value"), "value=None is missing", "--value none is missing"),
    ],
)
def test_messages_of_input_errors(error: InputError, python: str, option: str) -> None:
    """The message names parameters as in a Python call; the command line writes the same fields as options."""
    assert str(error) == error.describe() == python
    assert error.describe(as_option) == option


@pytest.mark.parametrize("kind", [InputError, CannotSearchError, NotKeptError])
def test_input_errors_survive_pickling(kind: type[InputError]) -> None:
    """A copy from another process has the same class, message and fields, also for subclasses."""
    error = kind("does not support root", parameter="engine", value="dl85", use={"engine": "auto"})
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is kind
    assert (str(copy), copy.args) == (str(error), error.args)
    assert vars(copy) == vars(error)
    assert copy.describe(as_option) == "--engine dl85 does not support root; use --engine auto"


def test_other_errors_survive_pickling() -> None:
    """Contradictory rows and the best tree so far are kept."""
    with pytest.raises(ConflictError) as caught:
        minimum_tree([[1], [1]], ["p", "q"], on_conflict="raise")
    copy: Any = pickle.loads(pickle.dumps(caught.value))
    assert (str(copy), copy.conflicts) == (str(caught.value), caught.value.conflicts)
    assert copy.describe(as_option) == str(copy)
    outcome: Outcome = minimum_tree([[1], [2]], ["p", "q"])
    failed = SolverError("the solver crashed")
    failed.outcome = outcome
    for error in (failed, UnfinishedError("time limit reached", outcome)):
        copy = pickle.loads(pickle.dumps(error))
        assert (type(copy), str(copy)) == (type(error), str(error))
        assert copy.outcome.tree == outcome.tree
