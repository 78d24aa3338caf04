"""Versions and machine in a report."""

import getpass
import platform
from importlib.metadata import version
from pathlib import Path

import pytest

from puretree.bench import provenance as module
from puretree.bench.provenance import provenance


def test_versions_are_the_installed_ones() -> None:
    """The versions needed to reproduce results are those of the installed packages."""
    values = provenance()
    assert values["numpy"] == version("numpy")
    assert values["puretree"] == version("puretree")
    assert platform.python_version() in values["python"]
    assert int(values["cores"]) >= 1
    assert all(values.values())


def test_no_personal_data(monkeypatch: pytest.MonkeyPatch) -> None:
    """A report can be published: it has no host name, user name or path."""
    monkeypatch.setattr(platform, "node", lambda: "secret-host")
    text = " ".join(provenance().values())
    assert "secret-host" not in text
    assert str(Path.home()) not in text.split()
    assert getpass.getuser() not in text.split()
    assert not any(word.startswith("/") for word in text.split())


def test_missing_information_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing package, or a system without processor information, gives "unknown"."""
    monkeypatch.setattr(module, "PACKAGES", ("no-such-package",))
    monkeypatch.setattr(platform, "processor", lambda: "")
    monkeypatch.setattr(Path, "read_text", lambda *_, **__: "processor : 0\n")
    values = provenance()
    assert values["no-such-package"] == values["processor"] == "unknown"
