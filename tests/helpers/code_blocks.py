"""Run the code blocks of a page in order, as a reader does who has installed puretree without extras.

A block is left out only if the page says what else it needs, in the block or in the paragraph before it: an extra such
as ``puretree[onnx]``, or a "checkout" of the sources. All others must run as written, each page in an empty folder, and
print the text below them. ``.ci/run`` calls this file as a script, in an environment without the packages that the
tests use, so it imports none of them.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_BLOCK = re.compile(r"^```(python|console)\n(.*?)^```$(?:\n\n```text\n(.*?)^```$)?", re.DOTALL | re.MULTILINE)
_NEED = re.compile(r"puretree\[(\w+)\]|\b(checkout)\b")


@dataclass(frozen=True)
class Block:
    """A code block of a page.

    Parameters
    ----------
    line : int
        The line of the page that it begins on.
    language : {"python", "console"}
    code : str
    output : str or None
        The text below it.
    need : str or None
        The extra that it needs, or "checkout".
    """

    line: int
    language: str
    code: str
    output: str | None
    need: str | None


class BlockError(Exception):
    """A block failed, or printed another text."""


def read_blocks(page: Path) -> list[Block]:
    """Return the code blocks of a page."""
    text = page.read_text("utf-8")
    return [_read_block(text, match) for match in _BLOCK.finditer(text)]


def _read_block(text: str, match: re.Match[str]) -> Block:
    language, code, output = match.groups()
    before = text[: match.start()]
    paragraph = before.rstrip().rpartition("\n\n")[2]
    needs = [need for found in _NEED.finditer(paragraph + code) for need in found.groups() if need]
    return Block(before.count("\n") + 1, language, code, output, needs[0] if needs else None)


def run_blocks(blocks: Iterable[Block], path: Path) -> None:
    """Run blocks one after the other in the current folder; raise BlockError if one fails or prints another text.

    Parameters
    ----------
    blocks : iterable of Block
    path : Path
        The folder of the commands that console blocks use.
    """
    names: dict[str, Any] = {}
    for block in blocks:
        printed = _run_console(block, path) if block.language == "console" else _run_python(block, names)
        if printed != (block.output or "") and (block.output is not None or block.language == "python"):
            raise BlockError(f"line {block.line}: the block prints {printed!r}, not {block.output!r}")


def _run_python(block: Block, names: dict[str, Any]) -> str:
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            exec(block.code, names)
    except Exception as error:
        raise BlockError(f"line {block.line}: {traceback.format_exc()}") from error
    return printed.getvalue()


def _run_console(block: Block, path: Path) -> str:
    environment = os.environ | {"PATH": f"{path}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-ec", block.code], capture_output=True, text=True, env=environment)
    if done.returncode:
        raise BlockError(f"line {block.line}: exit code {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


def main(pages: Iterable[str]) -> int:
    """Run the blocks of pages that need nothing else; return the exit code."""
    code = 0
    for page in [Path(page).resolve() for page in pages]:
        blocks = read_blocks(page)
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            try:
                run_blocks([block for block in blocks if block.need is None], Path(sys.executable).parent)
            except BlockError as error:
                print(f"{page}, {error}", file=sys.stderr)
                code = 1
        left_out = [f"line {block.line} ({block.need})" for block in blocks if block.need]
        print(f"{page.name}: {len(blocks) - len(left_out)} blocks; left out: {', '.join(left_out) or 'none'}")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
