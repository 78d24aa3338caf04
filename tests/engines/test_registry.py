"""Engines by name."""

import re

import pytest

from puretree import InputError, MaxSat, MinDt, Search
from puretree.engines import ENGINES, make_engine, options_of


@pytest.mark.parametrize("name", ENGINES)
def test_engine_describes_itself(name: str) -> None:
    """An engine made by name has that name, a source, and an objective."""
    engine = make_engine(name)
    assert engine.name == name
    assert engine.source
    assert engine.guarantees.objective


@pytest.mark.parametrize("name", ENGINES)
def test_options_round_trip(name: str) -> None:
    """A name with all options of an engine, as the listing shows them, makes an equal engine."""
    engine = make_engine(name)
    options = ", ".join(f"{option}={value!r}" for option, value in options_of(engine).items())
    assert make_engine(f"{name}({options})") == engine


def test_options_use_python_call_syntax() -> None:
    """Values are literals, spaces are ignored, and memory_limit applies to engines that have this option."""
    assert make_engine(" maxsat( backend = 'rc2', lazy=True ) ") == MaxSat(backend="rc2", lazy=True)
    assert make_engine("mindt()") == MinDt()
    assert make_engine("search", 2e9) == Search(memory_limit=2e9)
    assert make_engine("search(memory_limit=3e9)", 2e9) == Search(memory_limit=3e9)
    assert make_engine("mindt", 2e9) == MinDt()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nonsense", "is unknown; use one of auto, search, maxsat, mindt"),
        ("", "is unknown"),
        ("maxsat(lazy=True", "is not valid"),
        ("maxsat(True)", "is not valid"),
        ("maxsat(lazy=yes)", "is not valid"),
        ("maxsat(**{})", "is not valid"),
        ("maxsat(lazy=True)(solver='x')", "is not valid"),
        ("maxsat(lazy=__import__('os').getcwd())", "is not valid"),
        ("maxsat(colour=1)", "maxsat has no option colour; use one of backend, solver, lazy, isolated"),
        ("mindt(solver='nonsense')", "there is no solver 'nonsense'"),
        ("maxsat(warm_start='False')", "warm_start='False' is neither True nor False"),
        ("maxsat(takeover=0)", "takeover=0 is neither True nor False"),
        ("maxsat(lazy='no')", "lazy='no' is neither True nor False"),
        ("mindt(warm_start=None)", "warm_start=None is neither True nor False"),
        ("dtmax(takeover='False')", "takeover='False' is neither True nor False"),
        ("maxsat(upper_bound='greedy')", "upper_bound='greedy' is unknown; use 'best' or 'iti'"),
        ("mindt(upper_bound=[])", "upper_bound=[] is unknown; use 'best' or 'iti'"),
    ],
)
def test_invalid_specification_is_rejected(text: str, message: str) -> None:
    """Only a name with literal options is accepted, and the error says what to write."""
    with pytest.raises(InputError, match=re.escape(message)):
        make_engine(text)


def test_objects_that_are_no_engines_are_rejected() -> None:
    """A class and any object without a search method are rejected."""
    with pytest.raises(InputError, match=r"engine=MaxSat is a class; use MaxSat\(\)"):
        make_engine(MaxSat)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="engine=7 is not an engine"):
        make_engine(7)  # type: ignore[arg-type]


def test_the_text_false_is_not_false() -> None:
    """Every engine that can isolate its solver requires True or False."""
    for name, make in ENGINES.items():
        if "isolated" in options_of(make()):
            with pytest.raises(InputError, match="isolated='False' is neither True nor False"):
                make_engine(f"{name}(isolated='False')")
