"""Which examples a refutation speaks of: those that the search's log names, where that leaves questions out, else all.

A tree that is right on all examples is right on a few of them, so it is enough to refute the few. Questions that only
the others tell apart become one then: of iris's 118 thresholds 33 are left, and the proof has a ninth of the bytes.
Where no question goes, more examples only help the solver: mux11 was refuted in 0.5 s with all of its examples, and in
3.4 s with those of the log.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..errors import FormatError
from ..problem import BinaryProblem
from ..steering import Steering


def choose_core(problem: BinaryProblem, steering: Steering, log: bytes | None) -> tuple[int, ...] | None:
    """Return the examples that a refutation is to speak of.

    Parameters
    ----------
    problem : BinaryProblem
    steering : Steering
        A wish for a root needs all examples: a question that is left out may be asked there.
    log : bytes or None
        The search's log of the bound; what it proves, it proves of the examples that it names alone.

    Returns
    -------
    tuple of int or None
        Ascending; None for all.
    """
    if log is None or steering.root is not None:
        return None
    core = named_examples(log)
    return core if restrict(problem, core).n_features < problem.n_features else None


def named_examples(log: bytes) -> tuple[int, ...]:
    r"""Return the examples in a log: its sample, and those that lie between two of it.

    >>> named_examples(b"puretree bound 1\np 9 4\nb 2\ne 4 2\nx 0 1 7\nend\n")
    (2, 4, 7)
    """
    named: set[bytes] = set()
    for line in log.splitlines():
        match line.split():
            case [b"e", *sample]:
                named.update(sample)
            case [b"x", _, _, witness]:
                named.add(witness)
    return tuple(sorted(map(int, named)))


def restrict(problem: BinaryProblem, examples: Sequence[int]) -> BinaryProblem:
    """Return the problem of some of the examples; what was ``feature`` in the whole one is ``given`` in it."""
    if not examples or examples[0] < 0 or examples[-1] >= problem.n_examples or list(examples) != sorted(set(examples)):
        raise FormatError("the examples that the formula speaks of are not some of the problem's, in their order")
    chosen = np.array(examples, dtype=np.intp)
    return BinaryProblem.from_bits(problem.examples.take(chosen).transpose(), problem.labels[chosen].tolist())
