"""pydl8.5 behind the engine ``dl85``: the fewest errors that brute force finds, in the time it is given."""

import sys

import pytest
from helpers.peer_suite import require_answer, require_fewest_errors, require_limit
from helpers.random_problems import xor

from puretree.engines.base import solve
from puretree.engines.peers import Dl85
from puretree.errors import InputError
from puretree.problem import Constraints


def test_fewest_errors_are_those_of_brute_force() -> None:
    """On random problems with weights the best tree at depth 1, 2 and 3 has as few errors as any."""
    pytest.importorskip("dl85Optimizer")
    require_fewest_errors("dl85")


@pytest.mark.parametrize("depth", [1, 2])
def test_the_engine_hands_on_what_the_peer_finds(depth: int) -> None:
    """The tree keeps the depth, its errors are counted anew, and the claim of the peer is repeated."""
    pytest.importorskip("dl85Optimizer")
    require_answer(Dl85(depth), depth)


def test_the_time_limit_holds() -> None:
    """At the end of its time there is an answer without proof."""
    pytest.importorskip("dl85Optimizer")
    require_limit(Dl85(6))


def test_a_smaller_depth_can_be_wished_for() -> None:
    """The wish and the option both hold; other wishes are refused."""
    pytest.importorskip("dl85Optimizer")
    outcome = solve(xor(), Dl85(2), constraints=Constraints(max_depth=1))
    assert (outcome.n_errors, outcome.status) == (2, "optimal")
    with pytest.raises(InputError, match="engine='dl85' cannot keep to max_nodes=3"):
        solve(xor(), Dl85(), constraints=Constraints(max_nodes=3))


def test_a_missing_package_is_named_when_it_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine can be made and listed without it."""
    monkeypatch.setitem(sys.modules, "dl85Optimizer", None)
    with pytest.raises(InputError, match=r'pydl8\.5 is not installed; use: pip install "puretree\[peers\]"'):
        solve(xor(), Dl85())


@pytest.mark.parametrize("depth", [0, -1, 2.0, True, None])
def test_a_depth_that_is_none_is_refused(depth: object) -> None:
    """The option and its value are named."""
    with pytest.raises(InputError, match=f"depth={depth!r} is not a whole number of at least 1"):
        Dl85(depth)  # type: ignore[arg-type]
