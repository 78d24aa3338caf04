"""Reading PMLB's tables; what fetching has in common is in ``test_download.py``."""

import gzip
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from helpers.stand_in import PMLB_PATH, PMLB_TABLE, Answer, StandIn, files_in

from puretree.datasets.dataset import Dataset
from puretree.datasets.pmlb import fetch_pmlb
from puretree.errors import DataNotFoundError

pytestmark = pytest.mark.usefixtures("isolated")
Fetch = Callable[..., Dataset]


@pytest.fixture
def fetch(server: StandIn, tmp_path: Path) -> Fetch:
    """Fetch the stand-in's data set."""
    return partial(fetch_pmlb, "tiny", cache=tmp_path, url=server.url)


def test_table(fetch: Fetch, server: StandIn) -> None:
    """Cells are numbers, empty ones missing; a column with other text is a category."""
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
def test_labels_stay_as_they_are(labels: list[object], fetch: Fetch, server: StandIn) -> None:
    """Only labels that are all whole numbers become integers; lines may end as on Windows."""
    lines = ["x\ttarget", *(f"1\t{label}" for label in labels)]
    server.answers[PMLB_PATH] = Answer(gzip.compress("\r\n".join(lines).encode()))
    assert fetch().target.tolist() == labels


def test_an_underscore_makes_no_number(fetch: Fetch, server: StandIn) -> None:
    """``1_0`` is a category, though Python would read it as ten."""
    server.answers[PMLB_PATH] = Answer(gzip.compress(b"x\ttarget\n1_0\t1\n"))
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
        (b"a\ta\ttarget\n1\t2\t3\n", "each named once"),
        (b"a\ttarget\n1\t\n", "without a label"),
        (b"a\ttarget\n1\tnan\n", "without a label"),
    ],
)
def test_bad_table(text: bytes, reason: str, fetch: Fetch, server: StandIn, tmp_path: Path) -> None:
    """What is not a table with labels is refused with the reason, and not kept."""
    server.answers[PMLB_PATH] = Answer(gzip.compress(text))
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
    ids=["html", "cut", "zeros", "empty"],
)
def test_bad_file(body: bytes, reason: str, fetch: Fetch, server: StandIn, tmp_path: Path) -> None:
    """What is not a whole gzip file is refused with the reason, and not kept."""
    server.answers[PMLB_PATH] = Answer(body)
    with pytest.raises(DataNotFoundError, match=reason):
        fetch()
    assert not files_in(tmp_path)


def test_openmls_error_code_means_nothing_here(fetch: Fetch, server: StandIn) -> None:
    """What OpenML says of unknown names is an error like any other from PMLB."""
    server.answers[PMLB_PATH] = Answer(status=412)
    with pytest.raises(DataNotFoundError, match=r"cannot be had from .*412"):
        fetch()
