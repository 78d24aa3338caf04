"""Naive unit propagation, clause by clause until nothing changes: slow, short, and independent of puretree."""

from collections.abc import Iterable, Sequence

Clause = Sequence[int]
Step = tuple[bool, Clause]  # whether the step deletes the clause, and the clause


def propagate(clauses: Iterable[Clause], true: Iterable[int]) -> set[int] | None:
    """Return the literals that are implied by ``true``, including these; None if a clause becomes false."""
    values, clauses, n_before = set(true), list(clauses), -1
    if any(-literal in values for literal in values):
        return None
    while len(values) != n_before:
        n_before = len(values)
        for clause in clauses:
            rest = {literal for literal in clause if -literal not in values}
            if not rest:
                return None
            if len(rest) == 1:
                values |= rest
    return values


def refutes(clauses: Sequence[Clause], steps: Iterable[Step]) -> bool:
    """Return whether every step up to the empty clause is RUP; root units survive the deletion of clauses."""
    active = [frozenset(clause) for clause in clauses]
    root = propagate(active, [])
    for deletes, literals in steps:
        if root is None:
            return True
        clause = frozenset(literals)
        if deletes:
            if clause in active:
                active.remove(clause)
            continue
        if propagate(active, [*root, *(-literal for literal in clause)]) is not None:
            return False
        active.append(clause)
        root = propagate(active, root)
    return root is None
