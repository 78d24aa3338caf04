"""Commands in processes of their own."""

from collections.abc import Iterator

import pytest
from helpers.command_server import Server


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """Run commands in processes of their own."""
    with Server() as server:
        yield server
