"""A local HTTP server that replaces OpenML and PMLB in tests: it can send invalid responses, hang and disconnect.

The tests never contact the real archives, so they run without a network.
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
class Response:
    """The response of the server at one path."""

    body: bytes = b""
    status: int = 200
    declared_length: int | None = None
    encoding: str | None = None
    hangs: bool = False


@dataclass
class ArchiveServer:
    """A server whose responses are set by path, and which records the requested paths."""

    url: str
    responses: dict[str, Response] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    closing: threading.Event = field(default_factory=threading.Event)

    def get_json(self, path: str) -> Any:
        """Return the content of a JSON response."""
        return json.loads(self.responses[path].body)

    def set_json(self, path: str, content: Any) -> None:
        """Set a JSON response."""
        self.responses[path] = Response(json.dumps(content).encode())

    def set_arff(self, response: Response) -> None:
        """Set the response at the paths where any release of scikit-learn looks for the OpenML table."""
        self.responses |= {ARFF_PATH: response, OLD_ARFF_PATH: response}

    def set_weather(self, arff: str = ARFF, data_format: str = "ARFF") -> None:
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
        self.set_json(SEARCH_PATH, SEARCH)
        self.set_json(VERSION_PATH, SEARCH)
        self.set_json(INFO_PATH, {"data_set_description": description})
        self.set_json(FEATURES_PATH, {"data_features": {"feature": features}})
        self.set_json(QUALITIES_PATH, {})
        self.set_arff(Response(gzip.compress(arff.encode()), encoding="gzip"))


def _feature(index: int, name: str, data_type: str) -> dict[str, str]:
    """Describe a column as OpenML does; one column is a row number and one the target."""
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
    """Sends the response that the test has set."""

    def do_GET(self) -> None:
        """Respond, disconnect or hang."""
        archive: ArchiveServer = self.server.archive  # type: ignore[attr-defined]
        archive.requests.append(self.path)
        response = archive.responses.get(self.path, Response(status=404))
        if response.hangs:
            archive.closing.wait()
            return
        self.send_response(response.status)
        length = len(response.body) if response.declared_length is None else response.declared_length
        self.send_header("Content-Length", str(length))
        if response.encoding:
            self.send_header("Content-Encoding", response.encoding)
        self.end_headers()
        self.wfile.write(response.body)

    def log_message(self, *_: Any) -> None:
        """Print nothing."""


@contextmanager
def run_archive_server() -> Iterator[ArchiveServer]:
    """Run a server with one small data set of each archive."""
    http = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    http.daemon_threads = True
    archive = ArchiveServer(f"http://127.0.0.1:{http.server_port}")
    archive.responses[PMLB_PATH] = Response(gzip.compress(PMLB_TABLE.encode()))
    archive.set_weather()
    http.archive = archive  # type: ignore[attr-defined]
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield archive
    finally:
        archive.closing.set()
        http.shutdown()
        thread.join()
        http.server_close()


def files_in(folder: Path) -> list[Path]:
    """Return the files in a folder, at any depth."""
    return [path for path in folder.rglob("*") if path.is_file()]
