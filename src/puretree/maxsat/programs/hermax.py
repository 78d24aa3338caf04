"""A solver of the hermax package as a program: ``hermax.py FILE CLASS KIND SECONDS`` prints ``o``, ``v``, ``s`` lines.

It runs as a child process, because most of these solvers hold the global interpreter lock until they finish, and some
terminate their process. It needs only PySAT and hermax.

KIND describes how a solver can be stopped, and whether it proves optimality:

exact
    Complete; cannot be stopped.
stoppable
    Complete; a callback can stop it, and it returns its best model.
resumable
    Complete; stops after a given time with its best model, and can be resumed.
incomplete
    Not complete, even if hermax reports OPTIMUM, and the reported cost may differ from that of its model.
"""

import gc
import importlib
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

START = time.monotonic()
MARGIN = 0.2  # seconds before the limit, for printing
SLICE = 1.0  # seconds after which a resumable solver prints its best model


def main(path: str, class_path: str, kind: str, seconds: str) -> None:
    """Solve the formula in a file."""
    from pysat.formula import WCNF

    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # native code prints messages to stdout, which must not be parsed as results

    gc.disable()  # the formula has millions of lists: garbage collection would triple the time to read it
    formula = WCNF(from_file=path)
    if [] in formula.hard:
        print("s UNSATISFIABLE", file=out, flush=True)
        return
    n_vars = formula.nv
    n_all, unavoidable, units = make_units(formula)
    if not formula.hard and not units:  # every assignment is optimal; some solvers report UNSAT
        print(f"o {unavoidable}\nv 0\ns OPTIMUM FOUND", file=out, flush=True)
        return
    module, _, name = class_path.rpartition(".")
    solver = getattr(importlib.import_module(module), name)()
    for _ in range(n_all):
        solver.new_var()
    for clause in formula.hard:
        solver.add_clause(clause)
    for literal, weight in units.items():
        solver.add_soft_unit(literal, weight)

    limit = START + float(seconds) - MARGIN
    status = "INTERRUPTED"
    for options in solve_options(solver, kind, limit):
        has_model = solver.solve(**options)
        status = solver.get_status().name
        if has_model:
            if kind != "incomplete":
                print("o", solver.get_cost() + unavoidable, file=out)
            print("v", *(lit for lit in solver.get_model() if abs(lit) <= n_vars), 0, file=out, flush=True)
        if not status.startswith("INTERRUPTED"):
            break
    print("s", status_line(status, kind), file=out, flush=True)
    os._exit(0)  # some solvers crash in their destructor


def make_units(formula: Any) -> tuple[int, int, Counter[int]]:
    """Convert soft clauses to soft literals, at most one per variable.

    If a literal is soft twice, hermax keeps only the last weight, so weights are added up here; and one of ``x`` and
    ``¬x`` is always falsified, which costs at least the smaller weight. A longer clause gets a relaxation variable.

    Returns
    -------
    n_vars : int
    unavoidable : int
        The cost of every model.
    units : Counter
        Weights of literals. The clauses of relaxation variables are added to the hard clauses of the formula.
    """
    n_vars, unavoidable = formula.nv, 0
    units: Counter[int] = Counter()
    for clause, weight in zip(formula.soft, formula.wght, strict=True):
        if not clause:
            unavoidable += weight
        elif len(clause) == 1:
            units[clause[0]] += weight
        else:
            n_vars += 1
            formula.hard.append([*clause, n_vars])
            units[-n_vars] += weight
    for literal in [literal for literal in units if literal > 0 and -literal in units]:
        lighter = min(units[literal], units[-literal])
        unavoidable += lighter
        units[literal] -= lighter
        units[-literal] -= lighter
    return n_vars, unavoidable, +units


def solve_options(solver: Any, kind: str, limit: float) -> Iterator[dict[str, float]]:
    """Yield the options of each call of the solver, until the time limit or until the caller stops."""
    if kind == "stoppable":
        requests: list[int] = []
        signal.signal(signal.SIGTERM, lambda number, frame: requests.append(number))
        solver.set_terminate(lambda: int(bool(requests) or time.monotonic() > limit))
    if kind != "resumable":
        yield {}
    while kind == "resumable" and (left := limit - time.monotonic()) > 0:
        yield {"time_limit": min(SLICE, left)}


def status_line(status: str, kind: str) -> str:
    """Return the text of the ``s`` line for a status of hermax."""
    if status == "OPTIMUM":
        return "SATISFIABLE" if kind == "incomplete" else "OPTIMUM FOUND"
    if status == "UNSAT":
        return "UNKNOWN" if kind == "incomplete" else "UNSATISFIABLE"
    if status == "INTERRUPTED_SAT":
        return "SATISFIABLE"
    if status == "INTERRUPTED":
        return "UNKNOWN"
    sys.exit(f"the solver stopped with status {status}")


if __name__ == "__main__":
    main(*sys.argv[1:])
