"""Fixtures and settings for all tests."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("default", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")


@pytest.fixture(scope="session")
def paper_folder() -> Path:
    """Give the folder of the paper's data sets, or skip the test."""
    folder = os.environ.get("PURETREE_DATA")
    if not folder:
        pytest.skip("needs the paper's data sets: set PURETREE_DATA")
    return Path(folder)
