"""Engines by name."""

import re

import pytest

from puretree import InputError, MaxSat, MinDt, Search
from puretree.engines import ENGINES, make_engine, options_of


@pytest.mark.parametrize("name", ENGINES)
def test_an_engine_knows_its_name(name: str) -> None:
    """What is asked for by a name says that name, a source, and what it promises."""
    engine = make_engine(name)
    assert engine.name == name
    assert engine.source
    assert engine.guarantees.objective


@pytest.mark.parametrize("name", ENGINES)
def test_options_can_be_spelled_out(name: str) -> None:
    """The options of every engine, written as the listing writes them, make the same engine again."""
    engine = make_engine(name)
    written = ", ".join(f"{option}={value!r}" for option, value in options_of(engine).items())
    assert make_engine(f"{name}({written})") == engine


def test_options_are_read_as_python_writes_them() -> None:
    """Plain values, spaces wherever one likes, and a limit of memory where an engine counts it."""
    assert make_engine(" maxsat( backend = 'rc2', lazy=True ) ") == MaxSat(backend="rc2", lazy=True)
    assert make_engine("mindt()") == MinDt()
    assert make_engine("search", 2e9) == Search(memory_limit=2e9)
    assert make_engine("search(memory_limit=3e9)", 2e9) == Search(memory_limit=3e9)
    assert make_engine("mindt", 2e9) == MinDt()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nonsense", "is not known; use one of auto, search, maxsat, mindt"),
        ("", "is not known"),
        ("maxsat(lazy=True", "cannot be read"),
        ("maxsat(True)", "cannot be read"),
        ("maxsat(lazy=yes)", "cannot be read"),
        ("maxsat(**{})", "cannot be read"),
        ("maxsat(lazy=True)(solver='x')", "cannot be read"),
        ("maxsat(lazy=__import__('os').getcwd())", "cannot be read"),
        ("maxsat(colour=1)", "maxsat has no option colour; use one of backend, solver, lazy, isolated"),
        ("mindt(solver='nonsense')", "there is no solver 'nonsense'"),
    ],
)
def test_what_cannot_be_read_is_refused(text: str, message: str) -> None:
    """Nothing but a name and plain options is taken, and the message says what would be."""
    with pytest.raises(InputError, match=re.escape(message)):
        make_engine(text)


def test_what_is_no_engine_is_refused() -> None:
    """A class or any other object is told from an engine."""
    with pytest.raises(InputError, match=r"engine=MaxSat is a class; use MaxSat\(\)"):
        make_engine(MaxSat)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="engine=7 is no engine"):
        make_engine(7)  # type: ignore[arg-type]
