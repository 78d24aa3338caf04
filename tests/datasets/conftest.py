"""Fixtures for the tests of downloads; none is used automatically."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.archive_server import ArchiveServer, run_archive_server


@pytest.fixture
def isolated(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Isolate the tests from the user's cache, mirrors and proxies."""
    monkeypatch.setenv("PURETREE_CACHE", str(tmp_path / "default"))
    monkeypatch.setenv("no_proxy", "*")
    for variable in ("PURETREE_OPENML_URL", "PURETREE_PMLB_URL"):
        monkeypatch.delenv(variable, raising=False)


@pytest.fixture
def server(isolated: None) -> Iterator[ArchiveServer]:
    """Run a server with one small data set of each archive."""
    with run_archive_server() as archive:
        yield archive
