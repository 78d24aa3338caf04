"""Solvers of the MaxSAT Evaluations from the package hermax.

The package is optional: ``pip install puretree[hermax]``. Its common interface limits how the solvers can be used here:
few can be stopped and return their best model, see :data:`SOLVERS`.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from subprocess import Popen
from typing import Literal

from .._support import processes
from .._support.clock import Clock
from ..errors import InputError
from ..formula import Wcnf
from .backend import Answer, OnModel, ignore_model, require_64_bit_weights
from .run import STREAMS, run_program

_PROGRAM = Path(__file__).with_name("programs") / "hermax.py"

Kind = Literal["exact", "stoppable", "resumable", "incomplete"]

SOLVERS: dict[str, tuple[str, Kind]] = {
    "UWrMaxSAT": ("hermax.core.uwrmaxsat_py.UWrMaxSATSolver", "stoppable"),
    "UWrMaxSATCompetition": ("hermax.core.uwrmaxsat_comp_py.UWrMaxSATCompSolver", "stoppable"),
    "CASHWMaxSAT": ("hermax.core.cashwmaxsat_py.CASHWMaxSATSolver", "stoppable"),
    "CoreTrail": ("hermax.core.coretrail_py.CoreTrailSolver", "resumable"),
    "EvalMaxSAT": ("hermax.core.evalmaxsat_latest_py.EvalMaxSATLatestSolver", "exact"),
    "EvalMaxSATIncremental": ("hermax.core.evalmaxsat_incr_py.EvalMaxSATIncrSolver", "exact"),
    "WMaxCDCL": ("hermax.core.wmaxcdcl_py.WMaxCDCLSolver", "exact"),
    "OpenWBO": ("hermax.core.openwbo_py.AutoOpenWBOSolver", "exact"),
    "OpenWBOOLL": ("hermax.core.openwbo_py.OLLSolver", "exact"),
    "CGSS": ("hermax.core.cgss_py.CGSSSolver", "exact"),
    "Aperture": ("hermax.core.aperture_py.ApertureSolver", "exact"),
    "Loandra": ("hermax.core.loandra_py.loandra_solver.LoandraSolver", "incomplete"),
    "OpenWBOInc": ("hermax.core.openwbo_inc_py.openwbo_inc_solver.OpenWBOIncSolver", "incomplete"),
}
"""Name, class, and how the solver can be stopped (see ``programs/hermax.py``).

Not included, in their versions of hermax 1.2: NuWLS-c-IBR and SPB-MaxSAT-c-FPS do not return within ten minutes on
twelve variables; TT-Open-WBO-Inc exits without its model, and hermax then silently runs RC2 instead; MaxHS needs CPLEX;
PartMSU3 does not support weights.
"""


@dataclass(frozen=True, slots=True)
class Hermax:
    """A solver of hermax in a child process.

    Parameters
    ----------
    solver : str, default="UWrMaxSAT"
        A name in :data:`SOLVERS`.
    """

    solver: str = "UWrMaxSAT"

    def __post_init__(self) -> None:
        if self.solver not in SOLVERS:
            raise InputError(f"is unknown; use one of {', '.join(SOLVERS)}", parameter="solver", value=self.solver)
        if find_spec("hermax") is None:
            raise InputError('the package hermax is not installed; use: pip install "puretree[hermax]"')

    @property
    def name(self) -> str:
        """The name in messages."""
        return f"{self.solver} (hermax)"

    @property
    def is_trusted(self) -> bool:
        """True: a solver of kind "incomplete" never claims optimality."""
        return True

    @property
    def proves(self) -> bool:
        """Unless it is of kind "incomplete"."""
        return SOLVERS[self.solver][1] != "incomplete"

    def minimise(self, formula: Wcnf, *, clock: Clock, on_model: OnModel = ignore_model) -> Answer:
        """Search for a model of minimum cost; see :class:`~puretree.maxsat.backend.Backend`."""
        require_64_bit_weights(formula, self.name)
        class_path, kind = SOLVERS[self.solver]

        def launch(file: Path) -> Popen[bytes]:
            return processes.start_python(_PROGRAM, str(file), class_path, kind, str(clock.left), **STREAMS)

        return run_program(
            launch,
            formula,
            name=self.name,
            style="new",
            clock=clock,
            on_model=on_model,
        )
