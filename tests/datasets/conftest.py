"""Fixtures for the tests of fetching; nothing here applies unless a test asks for it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.stand_in import StandIn, running


@pytest.fixture
def isolated(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Keep the tests away from the user's cache, mirrors and proxies."""
    monkeypatch.setenv("PURETREE_CACHE", str(tmp_path / "default"))
    monkeypatch.setenv("no_proxy", "*")
    for variable in ("PURETREE_OPENML_URL", "PURETREE_PMLB_URL"):
        monkeypatch.delenv(variable, raising=False)


@pytest.fixture
def server(isolated: None) -> Iterator[StandIn]:
    """Run a stand-in server that knows one small data set of each archive."""
    with running() as stand_in:
        yield stand_in
