"""The engines of the runtime experiment: the default ones, how they run, and which solvers of the paper they are.

"MaxSAT is ahead of MinDT" is a statement about encodings only if nothing else differs. So MaxSAT and MinDT run with and
without a warm start from ITI's tree, and unless its options say otherwise MaxSAT encodes all examples at once
(``lazy=False``), as MinDT does, and no other solver continues after it (``takeover=False``). The hybrids of local
search are ours and keep the warm start that they combine.
"""

from __future__ import annotations

import re
from dataclasses import replace

from ...engines import Engine, MaxSat, MinDt, make_engine
from ...maxsat import External, make_backend

ENGINES = (
    *("maxsat(warm_start=True)", "maxsat(warm_start=False)", "mindt(warm_start=True)", "mindt(warm_start=False)"),
    *("maxsat(objective='totaliser', warm_start=False)", "local-search-c", "local-search-ck"),
    *("local-improvement", "search"),
)
"""MaxSAT and MinDT with and without a warm start, the paper's Algorithm 1 as written, local search, local improvement,
and exact search."""

PAPER_ENGINES = {
    "MPDT": "maxsat(objective='totaliser', warm_start=False)",
    "MinDT": "mindt(warm_start=False)",
    "satlike-c": "local-search-c",
    "satlike-ck": "local-search-ck",
}
"""The engine for each solver of the paper's Table 3; its fifth, TT-Open-WBO-Inc-21, is an external program."""

TT_OPEN_WBO = "TT-Open-WBO-Inc-21"
_TT_OPEN_WBO_PROGRAM = re.compile(r"tt-open-wbo-inc.*(?<!\d)(20)?21(?!\d)", re.IGNORECASE)

OTHER_ALGORITHMS = ("satlike-c", "satlike-ck")
"""Solvers of the paper whose engine is another algorithm of the same kind: ours, not that of Lei and Cai."""

ENCODINGS = {
    "maxsat": "MaxSAT",
    "local-search": "MaxSAT",
    "local-search-c": "MaxSAT",
    "local-search-ck": "MaxSAT",
    "mindt": "SAT",
    "bessiere": "SAT",
    "dtfinder": "SAT",
    "infer-size": "SAT",
}
"""The kind of encoding of each engine that uses one."""


def measured_engine(name: str, memory_limit: float | None = None) -> Engine:
    """Return an engine with the options of the experiment, where its own do not say otherwise."""
    return make_engine(name, memory_limit, lazy=False, takeover=False)


def encoding_of(engine: str) -> str | None:
    """Return the kind of encoding of an engine; None if it has none.

    >>> encoding_of("maxsat(backend='rc2')"), encoding_of("search")
    ('MaxSAT', None)
    """
    return ENCODINGS.get(measured_engine(engine).name)


def paper_solver(engine: str) -> str | None:
    """Return the solver of the paper that an engine is, or corresponds to; None for an engine that the paper lacks.

    >>> paper_solver("maxsat(warm_start=False, objective='totaliser')"), paper_solver("maxsat(warm_start=True)")
    ('MPDT', None)
    """
    measured = _from_iti(measured_engine(engine))
    if _is_tt_open_wbo(measured):
        return TT_OPEN_WBO
    engines = {solver: _from_iti(measured_engine(ours)) for solver, ours in PAPER_ENGINES.items()}
    return next((solver for solver, ours in engines.items() if ours == measured), None)


def _from_iti(engine: Engine) -> Engine:
    """Return the engine that starts from ITI's tree, as every engine does here, whatever its upper bound is."""
    return replace(engine, upper_bound="iti") if isinstance(engine, MaxSat | MinDt) else engine


def _is_tt_open_wbo(engine: Engine) -> bool:
    """Whether an engine runs the external program TT-Open-WBO-Inc alone, in the version of 2021 by its name."""
    if not isinstance(engine, MaxSat) or engine.takeover:
        return False
    backend = make_backend(engine.backend)
    return isinstance(backend, External) and _TT_OPEN_WBO_PROGRAM.match(backend.name) is not None
