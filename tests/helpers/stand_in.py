"""A server on this machine that stands in for OpenML and PMLB: it can lie, stall and break off.

The real archives are never asked: what is claimed of fetching must hold without a network.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

PMLB_TABLE = "age\ttarget\tcolour\tsize\n1.5\t0\tred\t1\n\t1\t\t2\n3\t1\tblue\t3\n"
PMLB_PATH = "/tiny/tiny.tsv.gz"
ARFF = """@RELATION weather
@ATTRIBUTE row NUMERIC
@ATTRIBUTE sky {sunny,'partly cloudy',rain}
@ATTRIBUTE humidity NUMERIC
@ATTRIBUTE play {no,yes}
@DATA
1,sunny,85.5,no
2,?,70,yes
3,'partly cloudy',?,yes
"""
SEARCH_PATH = "/api/v1/json/data/list/data_name/weather/limit/2/status/active/"
VERSION_PATH = "/api/v1/json/data/list/data_name/weather/limit/2/data_version/2"
INFO_PATH = "/api/v1/json/data/7"
FEATURES_PATH = "/api/v1/json/data/features/7"
QUALITIES_PATH = "/api/v1/json/data/qualities/7"
ARFF_PATH = "/data/v1/download/70/weather.arff"
OLD_ARFF_PATH = "/data/v1/download/70"  # where scikit-learn looked until 1.6
SEARCH = {"data": {"dataset": [{"did": 7, "name": "weather", "version": 2, "status": "active"}]}}


@dataclass
class Answer:
    """What the server says at one path; ``promised`` is the length it claims."""

    body: bytes = b""
    status: int = 200
    promised: int | None = None
    encoding: str | None = None
    hangs: bool = False


@dataclass
class StandIn:
    """A server whose answers are set by path, and which remembers what it was asked."""

    url: str
    answers: dict[str, Answer] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    closing: threading.Event = field(default_factory=threading.Event)

    def get_json(self, path: str) -> Any:
        """Return the content of a JSON answer."""
        return json.loads(self.answers[path].body)

    def put_json(self, path: str, content: Any) -> None:
        """Answer with JSON."""
        self.answers[path] = Answer(json.dumps(content).encode())

    def put_arff(self, answer: Answer) -> None:
        """Answer with this where any release of scikit-learn looks for the OpenML table."""
        self.answers |= {ARFF_PATH: answer, OLD_ARFF_PATH: answer}

    def put_weather(self, arff: str = ARFF, data_format: str = "ARFF") -> None:
        """Serve the OpenML data set ``weather``, described with OpenML's own addresses."""
        description = {
            "id": "7",
            "name": "weather",
            "version": "2",
            "description": "made up",
            "format": data_format,
            "status": "active",
            "file_id": "70",
            "url": f"https://www.openml.org{ARFF_PATH}",
            "md5_checksum": hashlib.md5(arff.encode()).hexdigest(),
        }
        columns = {"row": "numeric", "sky": "nominal", "humidity": "numeric", "play": "nominal"}
        features = [_feature(index, *column) for index, column in enumerate(columns.items())]
        self.put_json(SEARCH_PATH, SEARCH)
        self.put_json(VERSION_PATH, SEARCH)
        self.put_json(INFO_PATH, {"data_set_description": description})
        self.put_json(FEATURES_PATH, {"data_features": {"feature": features}})
        self.put_json(QUALITIES_PATH, {})
        self.put_arff(Answer(gzip.compress(arff.encode()), encoding="gzip"))


def _feature(index: int, name: str, data_type: str) -> dict[str, str]:
    """Describe a column as OpenML does; one is a row number and one the target."""
    return {
        "index": str(index),
        "name": name,
        "data_type": data_type,
        "is_target": str(name == "play").lower(),
        "is_ignore": "false",
        "is_row_identifier": str(name == "row").lower(),
        "number_of_missing_values": "0",
    }


class _Handler(BaseHTTPRequestHandler):
    """Give the answer that the test has set."""

    def do_GET(self) -> None:
        """Answer, break off or hang."""
        stand_in: StandIn = self.server.stand_in  # type: ignore[attr-defined]
        stand_in.asked.append(self.path)
        answer = stand_in.answers.get(self.path, Answer(status=404))
        if answer.hangs:
            stand_in.closing.wait()
            return
        self.send_response(answer.status)
        promised = len(answer.body) if answer.promised is None else answer.promised
        self.send_header("Content-Length", str(promised))
        if answer.encoding:
            self.send_header("Content-Encoding", answer.encoding)
        self.end_headers()
        self.wfile.write(answer.body)

    def log_message(self, *_: Any) -> None:
        """Be quiet."""


@contextmanager
def running() -> Iterator[StandIn]:
    """Run a stand-in server that knows one small data set of each archive."""
    http = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    http.daemon_threads = True
    stand_in = StandIn(f"http://127.0.0.1:{http.server_port}")
    stand_in.answers[PMLB_PATH] = Answer(gzip.compress(PMLB_TABLE.encode()))
    stand_in.put_weather()
    http.stand_in = stand_in  # type: ignore[attr-defined]
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield stand_in
    finally:
        stand_in.closing.set()
        http.shutdown()
        thread.join()
        http.server_close()


def files_in(folder: Path) -> list[Path]:
    """Return the files in a folder, at any depth."""
    return [path for path in folder.rglob("*") if path.is_file()]
