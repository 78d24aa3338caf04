"""Read the output of a child process in a thread, so that the child cannot block the parent.

The thread reads continuously and stores little: the newest model, the end of stderr, and the current line up to a
maximum length. A child may print gigabytes, or a line without end.
"""

from __future__ import annotations

import os
import selectors
import subprocess
from threading import Condition, Thread

from .output import OutputParser, ReportedModel

_CHUNK = 1 << 16
_STDERR_BYTES = 2000  # of stderr that are kept


class OutputReader:
    """Background reader of the lines that a child process prints.

    Parameters
    ----------
    child : Popen
        With pipes as stdout and stderr.
    parser : OutputParser
        Receives the lines. Until :meth:`close` it belongs to the thread; other threads may only read its attributes.
    max_line : int
        Maximum length of a line in bytes; longer lines are discarded.
    """

    def __init__(self, child: subprocess.Popen[bytes], parser: OutputParser, max_line: int) -> None:
        assert child.stdout is not None
        assert child.stderr is not None
        self._stdout = child.stdout.fileno()
        self._stderr = child.stderr.fileno()
        self._parser = parser
        self._max_line = max_line
        self._line = bytearray()
        self._is_too_long = False
        self._changed = Condition()  # held briefly: a child that prints without pause must not block the parent
        self._newest: ReportedModel | None = None
        self._is_closed = False
        self.is_at_end = False
        self.stderr_tail = b""
        self._thread = Thread(target=self._read_all, name="puretree-output-reader", daemon=True)
        self._thread.start()

    def wait(self, seconds: float) -> ReportedModel | None:
        """Wait for a model or the end of the output; return the newest model, at most once."""
        with self._changed:
            self._changed.wait_for(self._is_ready, seconds)
            reported, self._newest = self._newest, None
            return reported

    def wait_for_end(self, seconds: float) -> None:
        """Wait until the child has closed its output."""
        with self._changed:
            self._changed.wait_for(lambda: self.is_at_end, seconds)

    def close(self) -> None:
        """Stop reading immediately."""
        self._is_closed = True
        self._thread.join()

    @property
    def unfinished_line(self) -> bytes:
        """The last line, if it has no line end."""
        return bytes(self._line)

    def _is_ready(self) -> bool:
        return self.is_at_end or self._newest is not None or self._parser.error is not None

    def _read_all(self) -> None:
        try:
            with selectors.DefaultSelector() as selector:
                selector.register(self._stdout, selectors.EVENT_READ)
                selector.register(self._stderr, selectors.EVENT_READ)
                while selector.get_map() and not self._is_closed:
                    for key, _ in selector.select(timeout=0.05):  # a pipe held open by a grandchild may stay silent
                        if not self._read(key.fd):
                            selector.unregister(key.fd)
        finally:
            self._mark_end()

    def _read(self, stream: int) -> bool:
        """Read the available data; return False at the end of the stream."""
        data = os.read(stream, _CHUNK)
        if stream == self._stderr:
            self.stderr_tail = (self.stderr_tail + data)[-_STDERR_BYTES:]
        elif data:
            self._split(data)
            with self._changed:
                if self._parser.newest is not None:
                    self._newest, self._parser.newest = self._parser.newest, None
                if self._is_ready():
                    self._changed.notify()
        else:
            self._mark_end()
        return bool(data)

    def _mark_end(self) -> None:
        with self._changed:
            self.is_at_end = True
            self._changed.notify()

    def _split(self, data: bytes) -> None:
        """Pass complete lines to the parser and keep the rest."""
        *complete, rest = data.split(b"\n")
        for part in complete:
            if self._is_closed:
                return
            self._line += part
            if not self._is_too_long:
                self._parser.feed(bytes(self._line))
            self._line.clear()
            self._is_too_long = False
        if self._is_too_long:
            return
        self._line += rest
        if len(self._line) > self._max_line:
            if bytes(self._line[:2]) in (b"o ", b"s ", b"v "):
                self._parser.record_error(bytes(self._line[:100]))
            self._line.clear()
            self._is_too_long = True
