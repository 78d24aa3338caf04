"""Many inputs for one reader, each within a time and all within a bound of memory."""

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

SECONDS = 5  # for one input
BYTES = 1 << 30  # beyond what the process has at the start


class Hang(BaseException):
    """An input that took too long; not an Exception, so that no reader takes it for its own."""


@contextmanager
def limits() -> Iterator[None]:
    """Bound the memory, and make an alarm a Hang; a kernel that hangs ends the process with the way to it."""

    def hang(*arguments: Any) -> None:
        raise Hang

    before = signal.signal(signal.SIGALRM, hang)
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + BYTES, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        faulthandler.cancel_dump_traceback_later()


def try_input(reader: Reader, file: FileIO, path: Path, data: bytes) -> str:
    """Let a reader read an input; return what came of it: "read", or the name of the error that is allowed."""
    file.truncate(0)  # writing into the same file is twenty times faster than making it anew
    file.seek(0)
    file.write(data)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        reader.read(path)
    except reader.refuses as error:
        if type(error) is PuretreeError or not str(error):  # which tells of a bug, not of the input; or of nothing
            raise AssertionError(f"{reader.name} refuses without a cause: {error!r}") from error
        return type(error).__name__
    return "read"


def try_inputs(reader: Reader, n_inputs: int, seed: int, folder: Path) -> Counter[str]:
    """Let a reader read so many broken files; return how often what came of it.

    The input at which something else came out than what the reader may refuse with stays in the folder.
    """
    rng = random.Random(f"{reader.name} {seed}")
    valid = reader.valid()
    for name, content in reader.beside().items():
        (folder / name).write_bytes(content)
    path = folder / reader.file
    ends: Counter[str] = Counter()
    with limits(), FileIO(path, "w") as file:
        for _ in range(n_inputs):
            faulthandler.dump_traceback_later(4 * SECONDS, exit=True)
            data = mutate(rng, valid)
            try:
                ends[try_input(reader, file, path, data)] += 1
            except BaseException as error:
                error.add_note(f"{reader.name} broke at the input in {path}: {data[:200]!r}")
                raise
    return ends
