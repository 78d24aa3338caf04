"""The word of a peer is held against its tree, and a peer that fails says so: with scripts that stand in for one."""

import time
from pathlib import Path

import pytest
from helpers.random_problems import xor

from puretree._support.clock import Clock
from puretree.engines import peers
from puretree.engines.base import solve
from puretree.engines.peers import Dl85
from puretree.errors import SolverError

HONEST = 'print(\'{"tree": [0, 1, [1, 1, 0]], "errors": 1, "is_optimal": false}\')'


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Have a script take the place of the program that calls the peers."""
    script = tmp_path / "peers.py"
    monkeypatch.setattr(peers, "_PROGRAM", script)
    monkeypatch.setattr(peers, "find_spec", lambda name: object())
    return script


def test_what_is_not_claimed_is_not_proved(stand_in: Path) -> None:
    """A tree without a claim is taken, and the status stays open."""
    stand_in.write_text(f"import sys; sys.stdin.buffer.read(); {HONEST}", encoding="utf-8")
    outcome = solve(xor(), Dl85())
    assert outcome.tree is not None
    assert (outcome.tree.to_nested(), outcome.n_errors) == ((0, 1, (1, 1, 0)), 1)
    assert (outcome.status, outcome.lower_bound) == ("time_limit", 0)


def test_errors_are_counted_anew(stand_in: Path) -> None:
    """A peer that miscounts is caught; the tree from before is kept."""
    stand_in.write_text(HONEST.replace('"errors": 1', '"errors": 0'), encoding="utf-8")
    with pytest.raises(SolverError, match=r"pydl8\.5 says that its tree is wrong on 0 rows") as caught:
        solve(xor(), Dl85())
    assert caught.value.outcome.n_errors == 2


def test_a_crash_is_told_with_its_last_words(stand_in: Path) -> None:
    """The code and the last line on stderr are in the message."""
    stand_in.write_text("import sys; sys.exit('no such thing')", encoding="utf-8")
    with pytest.raises(SolverError, match=r"dl85 ended without an answer \(code 1\): no such thing"):
        solve(xor(), Dl85())


def test_too_little_memory_is_a_limit(stand_in: Path) -> None:
    """C++ and Python each have a word for it."""
    for word in ("std::bad_alloc", "MemoryError"):
        stand_in.write_text(f"import sys; sys.exit('{word}')", encoding="utf-8")
        assert solve(xor(), Dl85()).status == "memory_limit"


def test_a_peer_that_hears_no_clock_is_ended(stand_in: Path) -> None:
    """A second after the limit there is an answer: the most frequent class."""
    stand_in.write_text("import time; time.sleep(60)", encoding="utf-8")
    start = time.monotonic()
    outcome = solve(xor(), Dl85(), clock=Clock(0.2))
    assert time.monotonic() - start < 3
    assert (outcome.status, outcome.n_nodes) == ("time_limit", 1)
