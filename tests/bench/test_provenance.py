"""On what results were made."""

import getpass
import platform
from importlib.metadata import version
from pathlib import Path

import pytest

from puretree.bench import provenance as module
from puretree.bench.provenance import provenance


def test_versions_are_the_installed_ones() -> None:
    """What is needed to make results again is there."""
    found = provenance()
    assert found["numpy"] == version("numpy")
    assert found["puretree"] == version("puretree")
    assert platform.python_version() in found["python"]
    assert int(found["cores"]) >= 1
    assert all(found.values())


def test_nobody_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A report can be published: it has no host, no user, no path."""
    monkeypatch.setattr(platform, "node", lambda: "secret-host")
    told = " ".join(provenance().values())
    assert "secret-host" not in told
    assert str(Path.home()) not in told.split()
    assert getpass.getuser() not in told.split()
    assert not any(word.startswith("/") for word in told.split())


def test_what_is_not_known_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that is not there, or a system that does not tell, is no reason to fail."""
    monkeypatch.setattr(module, "PACKAGES", ("no-such-package",))
    monkeypatch.setattr(platform, "processor", lambda: "")
    monkeypatch.setattr(Path, "read_text", lambda *_, **__: "processor : 0\n")
    found = provenance()
    assert found["no-such-package"] == found["processor"] == "unknown"
