"""Child processes: how they start and end."""

import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from puretree._support import processes
from puretree._support.clock import Clock

SCRIPT = """
import sys
from pathlib import Path

def main():
    print(__name__, Path(sys.argv[0]).name, *sys.argv[1:], "puretree" in sys.modules)

if __name__ == "__main__":
    main()
"""

PARENT = """
import subprocess, sys, time
from pathlib import Path
from puretree._support import processes
child = processes.start_python(Path(sys.argv[1]))
print(child.pid, flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("ends_with_parent", [False, True])
def test_a_script_runs_as_main_with_its_arguments(tmp_path: Path, ends_with_parent: bool) -> None:
    """The launcher is invisible to the script, and does not import puretree."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    child = processes.start_python(script, "a", "-b", ends_with_parent=ends_with_parent, stdout=subprocess.PIPE)
    output, _ = child.communicate()
    assert output.decode().split() == ["__main__", "script.py", "a", "-b", "False"]


def test_the_exit_code_of_a_script_is_kept(tmp_path: Path) -> None:
    """A script that fails makes its process fail."""
    script = tmp_path / "script.py"
    script.write_text("import sys; sys.exit(3)")
    assert processes.start_python(script).wait() == 3


@pytest.mark.skipif(sys.platform != "linux", reason="needs prctl")
def test_a_script_ends_with_its_parent(tmp_path: Path) -> None:
    """If the parent is killed, the script is killed, too."""
    script = tmp_path / "script.py"
    script.write_text("import time; time.sleep(60)")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", PARENT, str(script)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as parent:
        assert parent.stdout is not None
        child = psutil.Process(int(parent.stdout.readline()))
        assert [child.pid] == processes.descendants(parent.pid)
        limit = Clock(10)
        while child.cmdline()[-1] != str(script) and not limit.is_over:
            time.sleep(0.01)
        time.sleep(0.5)  # until the launcher has made the system call
        parent.kill()
    while is_alive(child) and not limit.is_over:
        time.sleep(0.01)
    assert not is_alive(child)


def is_alive(process: psutil.Process) -> bool:
    """Whether a process runs: a zombie does not."""
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def test_a_process_that_has_ended_has_no_descendants() -> None:
    """Unknown process IDs raise nothing."""
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    assert processes.descendants(child.pid) == []
    assert not processes.has_own_program(child.pid)
