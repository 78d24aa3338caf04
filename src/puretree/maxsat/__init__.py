"""MaxSAT solvers behind one protocol: our own linear search, those of libraries, and any program."""

from __future__ import annotations

from collections.abc import Callable

from ..errors import InputError
from .backend import Answer, Backend, OnModel
from .linear import Linear, LinearSearch

BACKENDS: dict[str, Callable[[], Backend]] = {"linear": Linear}


def make_backend(backend: str | Backend) -> Backend:
    """Return a backend by its name, or the backend itself."""
    if not isinstance(backend, str):
        return backend
    if backend not in BACKENDS:
        raise InputError(
            f"backend={backend!r} is not known; use one of {', '.join(BACKENDS)}, or External('program') for a program"
        )
    return BACKENDS[backend]()


__all__ = ["BACKENDS", "Answer", "Backend", "Linear", "LinearSearch", "OnModel", "make_backend"]
