"""Run commands in processes that start at once, optionally under adverse conditions such as a full disk.

A separate process can be killed, and can have its own mounts. But starting Python and importing puretree takes seconds,
so fifty processes would take minutes: a server imports puretree once and forks for each command.
"""

import ctypes
import json
import os
import resource
import shutil
import subprocess
import sys
from contextlib import redirect_stdout
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

NOT_SUPPORTED = 77
"""Exit code if the system does not allow the conditions."""

NEW_MOUNTS, NEW_USERS = 0x00020000, 0x10000000  # as in linux/sched.h
READ_ONLY, REMOUNT, BIND, ALL_BELOW, PRIVATE = 1, 32, 4096, 16384, 1 << 18  # as in linux/mount.h


@dataclass(frozen=True)
class Conditions:
    """Conditions that a command runs under.

    Parameters
    ----------
    log : str, optional
        File for the standard output; standard error goes to the same name with ``.err``. By default both are discarded.
    stdout : {"broken pipe"} or str, optional
        A pipe without a reader, or another file for the standard output.
    largest_file : int, optional
        Maximum size of a file in bytes.
    user : int, optional
        User id of the process.
    read_only : str, optional
        A folder that is mounted read-only.
    small_disk : str, optional
        A folder that is mounted as a disk of 16 kB. Its final contents are copied to the same name with ``.copy``.
    """

    log: str | None = None
    stdout: str | None = None
    largest_file: int | None = None
    user: int | None = None
    read_only: str | None = None
    small_disk: str | None = None

    def apply(self) -> None:
        """Apply the conditions to this process."""
        out = os.open(self.log or os.devnull, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(out, 1)
        os.dup2(os.open(f"{self.log}.err" if self.log else os.devnull, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
        if self.stdout == "broken pipe":
            reader, writer = os.pipe()
            os.close(reader)
            os.dup2(writer, 1)
        elif self.stdout is not None:
            os.dup2(os.open(self.stdout, os.O_WRONLY), 1)
        if self.largest_file is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (self.largest_file, self.largest_file))
        if self.read_only is not None:
            _unshare_mounts()
            _mount(self.read_only, self.read_only, None, BIND)
            _mount(None, self.read_only, None, BIND | REMOUNT | READ_ONLY)
        if self.small_disk is not None:
            _unshare_mounts()
            _mount("none", self.small_disk, "tmpfs", 0, "size=16k")
        if self.user is not None:
            os.setgroups([])
            os.setgid(self.user)
            os.setuid(self.user)

    def export(self) -> None:
        """Copy the files that only this process can see."""
        if self.small_disk is not None:
            shutil.copytree(self.small_disk, f"{self.small_disk}.copy")


def _unshare_mounts() -> None:
    is_root = os.geteuid() == 0
    if ctypes.CDLL(None).unshare(NEW_MOUNTS if is_root else NEW_MOUNTS | NEW_USERS) != 0:
        os._exit(NOT_SUPPORTED)
    _mount("none", "/", None, ALL_BELOW | PRIVATE)


def _mount(source: str | None, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
    words = [None if word is None else word.encode() for word in (source, target, kind)]
    if ctypes.CDLL(None).mount(*words, ctypes.c_ulong(flags), None if data is None else data.encode()) != 0:
        os._exit(NOT_SUPPORTED)


class CommandServer:
    """Runs puretree commands, one or several at a time."""

    def __enter__(self) -> Self:
        # Without threads, which a fork would not copy.
        self._server = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
        )
        self._receive()  # until it is ready
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.communicate(timeout=60)  # closing the input ends it

    def start(self, *commands: list[object], conditions: tuple[Conditions, ...] = ()) -> list[int]:
        """Start commands at the same time, and return their process ids, which stay valid until :meth:`wait`."""
        words = [[str(word) for word in command] for command in commands]
        self._send([words, [asdict(condition) for condition in conditions or [Conditions()] * len(commands)]])
        return self._receive()

    def wait(self) -> list[int]:
        """Wait for the commands started last; return their exit codes, negative for a signal."""
        self._send("wait")
        return self._receive()

    def run(self, *commands: list[object], conditions: tuple[Conditions, ...] = ()) -> list[int]:
        """Start commands at the same time, wait for them, and return their exit codes."""
        self.start(*commands, conditions=conditions)
        return self.wait()

    def _send(self, message: object) -> None:
        assert self._server.stdin is not None
        self._server.stdin.write(json.dumps(message) + "\n")
        self._server.stdin.flush()

    def _receive(self) -> list[int]:
        assert self._server.stdout is not None
        return [int(word) for word in self._server.stdout.readline().split()]


def has_ended(process: int) -> bool:
    """Return whether a process that was not reaped yet has ended."""
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"


def serve() -> None:
    """Run commands until the input is closed."""
    from puretree.cli import main

    with Path(os.devnull).open("w") as null, redirect_stdout(null):
        main(["fit", "formula:mux6", "--quiet"])  # triggers the imports inside commands
    print("0", flush=True)
    for line in sys.stdin:
        commands, conditions = json.loads(line)
        processes = [_fork(words, Conditions(**fields)) for words, fields in zip(commands, conditions, strict=True)]
        print(*processes, flush=True)
        sys.stdin.readline()  # they are not reaped before, so that their ids are not reused
        print(*(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) for process in processes), flush=True)


def _fork(command: list[str], conditions: Conditions) -> int:
    """Run a command in a fork of this process, and return its id."""
    from puretree.cli import main

    process = os.fork()
    if process == 0:
        code = 99
        try:
            conditions.apply()
            code = main(command)
            conditions.export()
        finally:
            os._exit(code)
    return process


if __name__ == "__main__":
    serve()
