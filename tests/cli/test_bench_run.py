"""What is told of the runs that a report is made of."""

from puretree.cli.bench_run import _notes


def test_all_runs_are_told_each_thing_once() -> None:
    """Rows of two runs may be of two versions: both are told; what they share is told once."""
    sessions = [{"puretree": "1", "cores": "2", "command": "a"}, {"puretree": "2", "cores": "2", "command": "b"}]
    assert _notes(sessions) == ["puretree: 1; 2", "cores: 2", "command: a; b"]
