"""A MaxSAT program for tests that prints some model, not the best one, and then fails in a given way.

Usage: faulty_solver.py FAULT FILE.
"""

import os
import signal
import sys
import time

from pysat.formula import WCNF
from pysat.solvers import Solver


def main(fault: str, path: str) -> None:
    """Find some model of the formula in a file, and fail."""
    formula = WCNF(from_file=path)
    with Solver("cadical195", bootstrap_with=formula.hard) as solver:
        solver.solve()
        model = solver.get_model()
    true = set(model)
    cost = sum(weight for clause, weight in zip(formula.soft, formula.wght, strict=True) if not true & set(clause))

    if fault == "garbage":
        print("\x1b[31mo what?\nv ? ? ?", flush=True)
    if fault == "invalid-model":
        model = [-literal for literal in model]
    print("o", cost, flush=True)
    print("v", *model, 0, flush=True)
    if fault == "die":
        time.sleep(0.3)  # so that the model is read first
        os.kill(os.getpid(), signal.SIGKILL)
    while fault == "hang":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(1)
    print("s UNSATISFIABLE" if fault == "false-unsatisfiable" else "s OPTIMUM FOUND", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
