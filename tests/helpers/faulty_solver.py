"""A MaxSAT program for tests: it finds some model, not the best one, and then does what the first argument says."""

import os
import signal
import sys
import time

from pysat.formula import WCNF
from pysat.solvers import Solver


def main(what: str, path: str) -> None:
    """Find some model of the formula in a file, and misbehave."""
    formula = WCNF(from_file=path)
    with Solver("cadical195", bootstrap_with=formula.hard) as solver:
        solver.solve()
        model = solver.get_model()
    true = set(model)
    cost = sum(weight for clause, weight in zip(formula.soft, formula.wght, strict=True) if not true & set(clause))

    if what == "garbage":
        print("\x1b[31mo what?\nv ? ? ?", flush=True)
    if what == "break":
        model = [-literal for literal in model]
    print("o", cost, flush=True)
    print("v", *model, 0, flush=True)
    if what == "die":
        time.sleep(0.3)  # so that the model is heard
        os.kill(os.getpid(), signal.SIGKILL)
    while what == "hang":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(1)
    print("s UNSATISFIABLE" if what == "deny" else "s OPTIMUM FOUND", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
