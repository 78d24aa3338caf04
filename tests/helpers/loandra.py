"""Loandra of the package hermax as a program: ``loandra.py FILE`` prints ``v`` and ``s`` lines.

It prints no ``s OPTIMUM FOUND`` and no ``o`` lines: hermax reports every result of Loandra as optimal, and its cost may
differ from that of the model.
"""

import os
import sys

if __name__ == "__main__":
    from hermax.core.loandra_py.loandra_solver import LoandraSolver  # optional
    from pysat.formula import WCNF

    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # Loandra's own messages must not be parsed as results
    formula = WCNF(from_file=sys.argv[1])
    solver = LoandraSolver(formula)
    if solver.solve():
        print("v", *(literal for literal in solver.get_model() if abs(literal) <= formula.nv), 0, file=out)
        print("s SATISFIABLE", file=out, flush=True)
    else:
        print("s UNKNOWN", file=out, flush=True)
    os._exit(0)  # without the destructor, in which some solvers of hermax crash
