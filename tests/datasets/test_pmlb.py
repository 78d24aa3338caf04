"""Reading PMLB's tables; downloads in general are tested in ``test_download.py``."""

import gzip
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from helpers.archive_server import PMLB_PATH, PMLB_TABLE, ArchiveServer, Response, files_in

from puretree.datasets.dataset import Dataset
from puretree.datasets.pmlb import fetch_pmlb
from puretree.errors import DataNotFoundError

pytestmark = pytest.mark.usefixtures("isolated")
Fetch = Callable[..., Dataset]


@pytest.fixture
def fetch(server: ArchiveServer, tmp_path: Path) -> Fetch:
    """Download the local server's data set."""
    return partial(fetch_pmlb, "tiny", cache=tmp_path, url=server.url)


def test_table(fetch: Fetch, server: ArchiveServer) -> None:
    """Cells are numbers, empty cells missing values; a column with other text is categorical."""
    tiny = fetch()
    age, colour, size = tiny.table
    np.testing.assert_array_equal(age.values, [1.5, np.nan, 3])
    assert (age.kind, colour.kind, size.kind) == ("number", "category", "number")
    assert tiny.table.to_dict()["colour"].tolist() == ["red", None, "blue"]
    assert tiny.target.dtype.kind == "i"
    assert tiny.target.tolist() == [0, 1, 1]
    assert (tiny.name, tiny.target_name) == ("tiny", "target")
    assert tiny.source == server.url + PMLB_PATH


@pytest.mark.parametrize("labels", [[0.5, 1.0], ["a", "1"]])
def test_labels_that_are_not_integers(labels: list[object], fetch: Fetch, server: ArchiveServer) -> None:
    """Labels become integers only if all of them are integers; lines may end as on Windows."""
    lines = ["x\ttarget", *(f"1\t{label}" for label in labels)]
    server.responses[PMLB_PATH] = Response(gzip.compress("\r\n".join(lines).encode()))
    assert fetch().target.tolist() == labels


def test_a_value_with_an_underscore_is_a_name(fetch: Fetch, server: ArchiveServer) -> None:
    """``1_0`` is a category, though Python would read it as ten."""
    server.responses[PMLB_PATH] = Response(gzip.compress(b"x\ttarget\n1_0\t1\n"))
    assert fetch().table.columns[0].levels == ("1_0",)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"", "not a table"),
        (b"\xff\xfe\x00", "not a table"),
        (b"a\ttarget\n", "not a table"),
        (b"a\ttarget\n1\t2\n3\n", "not a table"),
        (b"a\ttarget\n1\t2\t3\n", "not a table"),
        (b"a\tb\n1\t2\n", "column 'target'"),
        (b"target\n1\n", "column 'target'"),
        (b"a\ta\ttarget\n1\t2\t3\n", "distinct names"),
        (b"a\ttarget\n1\t\n", "without a label"),
        (b"a\ttarget\n1\tnan\n", "without a label"),
    ],
)
def test_bad_table(text: bytes, reason: str, fetch: Fetch, server: ArchiveServer, tmp_path: Path) -> None:
    """A file that is not a table with labels is rejected with the reason, and not cached."""
    server.responses[PMLB_PATH] = Response(gzip.compress(text))
    with pytest.raises(DataNotFoundError, match=reason):
        fetch()
    assert not files_in(tmp_path)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"<html>Welcome to the hotel network</html>", "gzip"),
        (gzip.compress(PMLB_TABLE.encode())[:-9], "gzip"),
        (b"\x1f\x8b" + bytes(30), "gzip"),
        (b"", "not a table"),
    ],
    ids=["html", "truncated", "zeros", "empty"],
)
def test_bad_file(body: bytes, reason: str, fetch: Fetch, server: ArchiveServer, tmp_path: Path) -> None:
    """A file that is not complete gzip is rejected with the reason, and not cached."""
    server.responses[PMLB_PATH] = Response(body)
    with pytest.raises(DataNotFoundError, match=reason):
        fetch()
    assert not files_in(tmp_path)


def test_openmls_status_code_has_no_special_meaning(fetch: Fetch, server: ArchiveServer) -> None:
    """OpenML's status code for unknown names is an ordinary error for PMLB."""
    server.responses[PMLB_PATH] = Response(status=412)
    with pytest.raises(DataNotFoundError, match=r"cannot be downloaded from .*412"):
        fetch()
