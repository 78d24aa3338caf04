"""The command line as tests call it."""

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
class Ended:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str


Puretree = Callable[..., Ended]


def in_this_process(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Puretree:
    """Return a function that runs a command here; no command may ever show a traceback, or colour in a pipe."""
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.delenv("PURETREE_DATA", raising=False)

    def run(*arguments: object) -> Ended:
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err, captured.err
        assert "\x1b" not in captured.out + captured.err
        return Ended(code, captured.out, captured.err)

    return run
