"""Listens to a child in a thread of its own, so that nothing the child does keeps the parent from its clock.

The thread takes what comes as it comes and keeps little of it: the newest model, the last words on stderr, and the
line it is in the middle of, up to a length no sensible line has. A child may print gigabytes, or one line for ever.
"""

from __future__ import annotations

import os
import selectors
import subprocess
from threading import Condition, Thread

from .output import Claim, Output

_CHUNK = 1 << 16
_LAST_WORDS = 2000  # bytes of stderr that are kept


class Listener:
    """Hears the lines a child prints.

    Parameters
    ----------
    child : Popen
        With pipes as stdout and stderr.
    output : Output
        Gets the lines. Until :meth:`close` it belongs to the thread, and others may only look at it.
    longest_line : int
        Bytes; of a line that is longer, nothing is kept.
    """

    def __init__(self, child: subprocess.Popen[bytes], output: Output, longest_line: int) -> None:
        assert child.stdout is not None
        assert child.stderr is not None
        self._stdout = child.stdout.fileno()
        self._stderr = child.stderr.fileno()
        self._output = output
        self._longest_line = longest_line
        self._line = bytearray()
        self._is_too_long = False
        self._news = Condition()  # held for moments only: a child that never pauses must not lock the parent out
        self._newest: Claim | None = None
        self._is_deaf = False
        self.has_heard_all = False
        self.last_words = b""
        self._thread = Thread(target=self._listen, name="puretree-listener", daemon=True)
        self._thread.start()

    def wait(self, seconds: float) -> Claim | None:
        """Wait for a model, or for the end; return the newest model, once."""
        with self._news:
            self._news.wait_for(self._has_news, seconds)
            claim, self._newest = self._newest, None
            return claim

    def wait_for_end(self, seconds: float) -> None:
        """Wait until the child has closed its output."""
        with self._news:
            self._news.wait_for(lambda: self.has_heard_all, seconds)

    def close(self) -> None:
        """Stop listening, at once."""
        self._is_deaf = True
        self._thread.join()

    @property
    def unfinished_line(self) -> bytes:
        """The line that was not ended."""
        return bytes(self._line)

    def _has_news(self) -> bool:
        return self.has_heard_all or self._newest is not None or self._output.garbage is not None

    def _listen(self) -> None:
        try:
            with selectors.DefaultSelector() as selector:
                selector.register(self._stdout, selectors.EVENT_READ)
                selector.register(self._stderr, selectors.EVENT_READ)
                while selector.get_map() and not self._is_deaf:
                    for key, _ in selector.select(timeout=0.05):  # a pipe that a grandchild holds open may stay silent
                        if not self._read(key.fd):
                            selector.unregister(key.fd)
        finally:
            self._tell_all_is_heard()

    def _read(self, stream: int) -> bool:
        """Read what is there, and say whether more may come."""
        data = os.read(stream, _CHUNK)
        if stream == self._stderr:
            self.last_words = (self.last_words + data)[-_LAST_WORDS:]
        elif data:
            self._split(data)
            with self._news:
                if self._output.newest is not None:
                    self._newest, self._output.newest = self._output.newest, None
                if self._has_news():
                    self._news.notify()
        else:
            self._tell_all_is_heard()
        return bool(data)

    def _tell_all_is_heard(self) -> None:
        with self._news:
            self.has_heard_all = True
            self._news.notify()

    def _split(self, data: bytes) -> None:
        *ended, rest = data.split(b"\n")
        for part in ended:
            if self._is_deaf:
                return
            self._line += part
            if not self._is_too_long:
                self._output.hear(bytes(self._line))
            self._line.clear()
            self._is_too_long = False
        if self._is_too_long:
            return
        self._line += rest
        if len(self._line) > self._longest_line:
            if bytes(self._line[:2]) in (b"o ", b"s ", b"v "):
                self._output.complain(bytes(self._line[:100]))
            self._line.clear()
            self._is_too_long = True
