"""Commands as processes that begin at once, in a world that is against them if need be.

A real process can be killed, and can have a full disk of its own. But starting Python and importing takes seconds, so
fifty of them would take minutes: a server has imported puretree already, and forks for each command.
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

CANNOT = 77
"""The exit code where the system does not let a process have such a world."""

NEW_MOUNTS, NEW_USERS = 0x00020000, 0x10000000  # as in linux/sched.h
READ_ONLY, REMOUNT, BIND, ALL_BELOW, PRIVATE = 1, 32, 4096, 16384, 1 << 18  # as in linux/mount.h


@dataclass(frozen=True)
class World:
    """What is otherwise than usual for a command.

    Parameters
    ----------
    log : str, optional
        Where to write what it prints, standard error to the same with ``.err``; nowhere by default.
    stdout : {"gone", "closed"} or str, optional
        A pipe that nobody reads, no standard output at all, or a file for it.
    largest_file : int, optional
        The bytes that a file may have.
    user : int, optional
        Whose process it is.
    read_only : str, optional
        A folder that cannot be written to.
    small_disk : str, optional
        A folder that becomes a disk of 16 kB of its own. What is there in the end is copied to the same name with
        ``.seen``.
    """

    log: str | None = None
    stdout: str | None = None
    largest_file: int | None = None
    user: int | None = None
    read_only: str | None = None
    small_disk: str | None = None

    def enter(self) -> None:
        """Make this process one of this world."""
        out = os.open(self.log or os.devnull, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(out, 1)
        os.dup2(os.open(f"{self.log}.err" if self.log else os.devnull, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
        if self.stdout == "gone":
            reader, writer = os.pipe()
            os.close(reader)
            os.dup2(writer, 1)
        elif self.stdout is not None:
            os.dup2(os.open(self.stdout, os.O_WRONLY), 1)
        if self.largest_file is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (self.largest_file, self.largest_file))
        if self.read_only is not None:
            _have_own_mounts()
            _mount(self.read_only, self.read_only, None, BIND)
            _mount(None, self.read_only, None, BIND | REMOUNT | READ_ONLY)
        if self.small_disk is not None:
            _have_own_mounts()
            _mount("none", self.small_disk, "tmpfs", 0, "size=16k")
        if self.user is not None:
            os.setgroups([])
            os.setgid(self.user)
            os.setuid(self.user)

    def leave(self) -> None:
        """Show what the process alone could see."""
        if self.small_disk is not None:
            shutil.copytree(self.small_disk, f"{self.small_disk}.seen")


def _have_own_mounts() -> None:
    is_root = os.geteuid() == 0
    if ctypes.CDLL(None).unshare(NEW_MOUNTS if is_root else NEW_MOUNTS | NEW_USERS) != 0:
        os._exit(CANNOT)
    _mount("none", "/", None, ALL_BELOW | PRIVATE)


def _mount(source: str | None, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
    words = [None if word is None else word.encode() for word in (source, target, kind)]
    if ctypes.CDLL(None).mount(*words, ctypes.c_ulong(flags), None if data is None else data.encode()) != 0:
        os._exit(CANNOT)


class Server:
    """Runs commands of puretree, one or several at a time."""

    def __enter__(self) -> Self:
        # Without threads, which a copy of a process would not have.
        self._server = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
        )
        self._receive()  # it is ready
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.communicate(timeout=60)  # no more commands: it ends

    def start(self, *commands: list[object], worlds: tuple[World, ...] = ()) -> list[int]:
        """Start commands at once, and return their processes, which stay until :meth:`wait`."""
        words = [[str(word) for word in command] for command in commands]
        self._send([words, [asdict(world) for world in worlds or [World()] * len(commands)]])
        return self._receive()

    def wait(self) -> list[int]:
        """Wait for all that were started last; return their exit codes, negative for a signal."""
        self._send("wait")
        return self._receive()

    def run(self, *commands: list[object], worlds: tuple[World, ...] = ()) -> list[int]:
        """Start commands at once, and wait for them."""
        self.start(*commands, worlds=worlds)
        return self.wait()

    def _send(self, message: object) -> None:
        assert self._server.stdin is not None
        self._server.stdin.write(json.dumps(message) + "\n")
        self._server.stdin.flush()

    def _receive(self) -> list[int]:
        assert self._server.stdout is not None
        return [int(word) for word in self._server.stdout.readline().split()]


def has_ended(process: int) -> bool:
    """Whether a process that nobody has reaped yet is at its end."""
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"


def serve() -> None:
    """Run commands until there are no more."""
    from puretree.cli import main

    with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere):
        main(["fit", "formula:mux6", "--quiet"])  # imports what commands import when they run
    print("0", flush=True)
    for line in sys.stdin:
        commands, worlds = json.loads(line)
        processes = [_fork(command, World(**world)) for command, world in zip(commands, worlds, strict=True)]
        print(*processes, flush=True)
        sys.stdin.readline()  # until then they are not reaped, and their numbers are nobody else's
        print(*(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) for process in processes), flush=True)


def _fork(command: list[str], world: World) -> int:
    """Run a command in a copy of this process."""
    from puretree.cli import main

    process = os.fork()
    if process == 0:
        code = 99
        try:
            world.enter()
            code = main(command)
            world.leave()
        finally:
            os._exit(code)
    return process


if __name__ == "__main__":
    serve()
