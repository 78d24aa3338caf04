"""Run a reader on many inputs, with a time limit for each and a memory limit for all."""

import faulthandler
import random
import resource
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from typing import Any

from helpers.fuzzing.mutation import mutate
from helpers.fuzzing.readers import Reader

from puretree import PuretreeError

SECONDS = 5  # per input
BYTES = 1 << 30  # in addition to the memory at the start


class Hang(BaseException):
    """An input took too long; not an Exception, so that no reader catches it."""


@contextmanager
def limits() -> Iterator[None]:
    """Limit the memory and turn SIGALRM into Hang; a hang in native code ends the process with a traceback."""

    def hang(*arguments: Any) -> None:
        raise Hang

    previous = signal.signal(signal.SIGALRM, hang)
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + BYTES, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
        faulthandler.cancel_dump_traceback_later()


def run_input(reader: Reader, file: FileIO, path: Path, data: bytes) -> str:
    """Run a reader on an input; return "read", or the name of the expected error that it raised."""
    file.truncate(0)  # rewriting the same file is twenty times faster than creating a new one
    file.seek(0)
    file.write(data)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        reader.read(path)
    except reader.expected_errors as error:
        if type(error) is PuretreeError or not str(error):  # the base class stands for a bug
            raise AssertionError(f"{reader.name} raised an error without a cause: {error!r}") from error
        return type(error).__name__
    return "read"


def run_inputs(reader: Reader, n_inputs: int, seed: int, folder: Path) -> Counter[str]:
    """Run a reader on many corrupted files; return how often each result of :func:`run_input` occurred.

    An input that causes an unexpected error is left in the folder.
    """
    rng = random.Random(f"{reader.name} {seed}")
    valid = reader.valid()
    for name, content in reader.siblings().items():
        (folder / name).write_bytes(content)
    path = folder / reader.file
    results: Counter[str] = Counter()
    with limits(), FileIO(path, "w") as file:
        for _ in range(n_inputs):
            faulthandler.dump_traceback_later(4 * SECONDS, exit=True)
            data = mutate(rng, valid)
            try:
                results[run_input(reader, file, path, data)] += 1
            except BaseException as error:
                error.add_note(f"{reader.name} failed on the input in {path}: {data[:200]!r}")
                raise
    return results
