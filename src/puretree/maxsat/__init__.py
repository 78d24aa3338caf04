"""MaxSAT solvers behind one protocol; every model is checked against the formula."""

from __future__ import annotations

from collections.abc import Callable

from ..errors import InputError
from .backend import Answer, Backend, OnModel
from .external import External
from .hermax import Hermax
from .linear import Linear, LinearSearch
from .local_search import LocalSearch
from .mdsol import Solutions, mdsol
from .rc2 import Rc2

BACKENDS: dict[str, Callable[[], Backend]] = {
    "linear": Linear,
    "rc2": Rc2,
    "hermax": Hermax,
    "local-search": LocalSearch,
    "local-search-c": lambda: LocalSearch("c"),
    "local-search-ck": lambda: LocalSearch("ck"),
}

PARAMETRISED: dict[str, Callable[[str], Backend]] = {"hermax": Hermax, "external": External.parse}


def make_backend(backend: str | Backend) -> Backend:
    """Return a backend by its name, or the backend itself.

    Parameters
    ----------
    backend : str or Backend
        A name in :data:`BACKENDS`, or ``hermax:SOLVER`` or ``external:COMMAND``, so that every backend has a name, for
        example on the command line. ``external:COMMAND?format=old`` is for programs that read only the format of the
        MaxSAT Evaluations before 2022.

    Examples
    --------
    >>> make_backend("external:/opt/loandra -verbosity=0").name
    'loandra'
    >>> make_backend("external:/opt/open-wbo?format=old").style
    'old'
    """
    if not isinstance(backend, str) and hasattr(backend, "minimise") and not isinstance(backend, type):
        return backend
    kind, colon, argument = backend.partition(":") if isinstance(backend, str) else ("", "", "")
    if colon and kind in PARAMETRISED:
        return PARAMETRISED[kind](argument)
    if not isinstance(backend, str) or backend not in BACKENDS:
        raise InputError(
            f"is unknown; use one of {', '.join(BACKENDS)}, hermax:SOLVER, or external:COMMAND for a program",
            parameter="backend",
            value=backend,
        )
    return BACKENDS[backend]()


__all__ = [
    "BACKENDS",
    "Answer",
    "Backend",
    "External",
    "Hermax",
    "Linear",
    "LinearSearch",
    "LocalSearch",
    "OnModel",
    "Rc2",
    "Solutions",
    "make_backend",
    "mdsol",
]
