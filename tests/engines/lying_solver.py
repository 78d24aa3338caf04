"""A MaxSAT program for tests: it finds some model, not the best one, and then does what the first argument says."""

import os
import signal
import sys
import time

from pysat.formula import WCNF
from pysat.solvers import Solver

formula = WCNF(from_file=sys.argv[2])
with Solver("cadical195", bootstrap_with=formula.hard) as solver:
    solver.solve()
    model = solver.get_model()
true = set(model)
cost = sum(weight for clause, weight in zip(formula.soft, formula.wght, strict=True) if not true & set(clause))

if sys.argv[1] == "garbage":
    print("\x1b[31mo what?\nv ? ? ?", flush=True)
if sys.argv[1] == "break":
    model = [-literal for literal in model]
print("o", cost, flush=True)
print("v", *model, 0, flush=True)
if sys.argv[1] == "die":
    time.sleep(0.3)  # so that the model is heard
    os.kill(os.getpid(), signal.SIGKILL)
while sys.argv[1] == "hang":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(1)
print("s UNSATISFIABLE" if sys.argv[1] == "deny" else "s OPTIMUM FOUND", flush=True)
