"""The README tells the truth: its Python runs, in order, and prints what the README shows."""

import contextlib
import io
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

README = (Path(__file__).parents[1] / "README.md").read_text("utf-8")
BLOCK = re.compile(r"```python\n(?P<code>.*?)```(?:\n\n```text\n(?P<output>.*?)```)?", re.DOTALL)


def test_the_readme_tells_the_truth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every block of Python runs after those before it, and prints the text below it."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    blocks = list(BLOCK.finditer(README))
    assert len(blocks) >= 5
    for block in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(_without_what_is_not_installed(block["code"]), names)
        assert printed.getvalue() == (block["output"] or "")
    assert (tmp_path / "loans.svg").read_text("utf-8").startswith("<svg")


def test_the_tutorial_is_short() -> None:
    """From a pandas table with strings and gaps to a tree, its rules and its picture: in under 15 lines."""
    first = next(BLOCK.finditer(README))["code"]
    assert all(word in first for word in ("DataFrame", "None", "fit", "rules", "svg"))
    assert len([line for line in first.splitlines() if line]) < 15


def _without_what_is_not_installed(code: str) -> str:
    """Leave out the line that needs the optional package hermax, where it is not there."""
    return code if find_spec("hermax") else re.sub(r"^MaxSat\(Hermax.*\n", "", code, flags=re.MULTILINE)
