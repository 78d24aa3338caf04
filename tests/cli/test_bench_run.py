"""The provenance of a benchmark report."""

from puretree.cli.bench_run import _notes


def test_notes_contain_every_distinct_value_once() -> None:
    """If rows were measured by two sessions, values that differ are listed both, and equal values once."""
    sessions = [{"puretree": "1", "cores": "2", "command": "a"}, {"puretree": "2", "cores": "2", "command": "b"}]
    assert _notes(sessions) == ["puretree: 1; 2", "cores: 2", "command: a; b"]
