"""A solver of the hermax package as a program: ``hermax.py FILE CLASS KIND SECONDS`` prints ``o``, ``v``, ``s`` lines.

It runs as a child, because most of these solvers keep the interpreter to themselves until they are done, and some end
the process they run in. It knows PySAT and hermax and nothing else.

KIND says how a solver can be stopped, and whether its word counts:

exact
    It proves its answer and cannot be stopped.
stoppable
    It proves its answer, and a function of ours can ask it to stop with its best model.
resumable
    It proves its answer, stops by itself after a time with its best model, and goes on from there.
incomplete
    It proves nothing, even where hermax says OPTIMUM, and its cost may not be that of its model.
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

BEGIN = time.monotonic()
MARGIN = 0.2  # seconds before the limit, for printing
SLICE = 1.0  # seconds after which a resumable solver shows its best model


def main(path: str, class_path: str, kind: str, seconds: str) -> None:
    """Solve the formula in a file."""
    from pysat.formula import WCNF

    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the native code prints is for people, and not to be taken for an answer

    gc.disable()  # millions of short lists, none of them garbage: collecting trebles the time to read them
    formula = WCNF(from_file=path)
    if [] in formula.hard:
        print("s UNSATISFIABLE", file=out, flush=True)
        return
    n_vars = formula.nv
    n_all, unavoidable, units = make_units(formula)
    if not formula.hard and not units:  # every model will do; some say there is none
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

    limit = BEGIN + float(seconds) - MARGIN
    status = "INTERRUPTED"
    for options in attempts(solver, kind, limit):
        has_model = solver.solve(**options)
        status = solver.get_status().name
        if has_model:
            if kind != "incomplete":
                print("o", solver.get_cost() + unavoidable, file=out)
            print("v", *(lit for lit in solver.get_model() if abs(lit) <= n_vars), 0, file=out, flush=True)
        if not status.startswith("INTERRUPTED"):
            break
    print("s", conclusion(status, kind), file=out, flush=True)
    os._exit(0)  # some of them crash when they are taken apart


def make_units(formula: Any) -> tuple[int, int, Counter[int]]:
    """Make soft clauses soft literals, one for a variable at most.

    Where a literal is soft twice, hermax keeps the last weight only, so weights are added up here; and of ``x`` and
    ``¬x`` the lighter costs its weight in any case. A longer clause gets a variable that stands for its being broken.

    Returns
    -------
    n_vars : int
    unavoidable : int
        What every model costs.
    units : Counter
        Weights of literals. Clauses were added to the hard ones of the formula.
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


def attempts(solver: Any, kind: str, limit: float) -> Iterator[dict[str, float]]:
    """Yield the options for each call of the solver; the caller stops asking when it is done."""
    if kind == "stoppable":
        requests: list[int] = []
        signal.signal(signal.SIGTERM, lambda number, frame: requests.append(number))
        solver.set_terminate(lambda: int(bool(requests) or time.monotonic() > limit))
    if kind != "resumable":
        yield {}
    while kind == "resumable" and (left := limit - time.monotonic()) > 0:
        yield {"time_limit": min(SLICE, left)}


def conclusion(status: str, kind: str) -> str:
    """Say what a status means, and no more than that."""
    if status == "OPTIMUM":
        return "SATISFIABLE" if kind == "incomplete" else "OPTIMUM FOUND"
    if status == "UNSAT":
        return "UNKNOWN" if kind == "incomplete" else "UNSATISFIABLE"
    if status == "INTERRUPTED_SAT":
        return "SATISFIABLE"
    if status == "INTERRUPTED":
        return "UNKNOWN"
    sys.exit(f"the solver ended with status {status}")


if __name__ == "__main__":
    main(*sys.argv[1:])
