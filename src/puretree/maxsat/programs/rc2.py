"""RC2 as a program: ``rc2.py FILE SOLVER`` prints ``o``, ``v`` and ``s`` lines.

It runs as a child process, because a call of a SAT solver cannot be interrupted. It needs only PySAT.
"""

import gc
import sys


def main(path: str, solver: str) -> None:
    """Solve the formula in a file."""
    from pysat.examples.rc2 import RC2, RC2Stratified
    from pysat.formula import WCNF

    gc.disable()  # the formula has millions of lists: garbage collection would triple the time to read it
    formula = WCNF(from_file=path)
    if [] in formula.hard:
        print("s UNSATISFIABLE")
        return
    soft = [(clause, weight) for clause, weight in zip(formula.soft, formula.wght, strict=True) if clause]
    unavoidable = sum(formula.wght) - sum(weight for _, weight in soft)  # RC2 does not support empty clauses
    formula.soft, formula.wght = [clause for clause, _ in soft], [weight for _, weight in soft]
    algorithm = RC2Stratified if len(set(formula.wght)) > 1 else RC2
    # Core minimisation and exhaustion: ten times faster on random weighted formulas than without.
    with algorithm(formula, solver=solver, adapt=True, exhaust=True, minz=True, trim=5) as rc2:
        model = rc2.compute()
        if model is None:
            print("s UNSATISFIABLE")
            return
        print("o", rc2.cost + unavoidable)
        print("v", *model, 0)
        print("s OPTIMUM FOUND")


if __name__ == "__main__":
    main(*sys.argv[1:])
