"""A server that runs commands in separate processes."""

from collections.abc import Iterator

import pytest
from helpers.command_server import CommandServer


@pytest.fixture(scope="session")
def server() -> Iterator[CommandServer]:
    """Start a server that runs commands in separate processes."""
    with CommandServer() as server:
        yield server
