"""Running commands of puretree in the test process."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from puretree.cli import main

LOANS = """income,job [red],owns,code,risk
30,clerk,yes,0012,high
,clerk,no,0013,high
80,nurse,,0012,low
55,"chef, head",yes,0044,low
20,nurse,no,0044,high
90,clerk,no,0013,low
"""


@dataclass
class CommandResult:
    """The exit code and the output of a command."""

    code: int
    out: str
    err: str


Puretree = Callable[..., CommandResult]


def in_this_process(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Puretree:
    """Return a function that runs a command in this process, and fails on a traceback or on colours in a pipe."""
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.delenv("PURETREE_DATA", raising=False)

    def run(*arguments: object) -> CommandResult:
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err, captured.err
        assert "\x1b" not in captured.out + captured.err
        return CommandResult(code, captured.out, captured.err)

    return run
