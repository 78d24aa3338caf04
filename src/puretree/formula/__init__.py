"""Propositional formulas: named variables, blocks of clauses, clause sinks, and WCNF files."""

from .clauses import Block, Counter, Sink, as_block, clause, exactly_one, implies, units
from .pool import VarPool
from .wcnf import Model, Objective, Soft, Wcnf, combine, true_literals
from .wcnf_format import STYLES, ClauseLines, Style, read_wcnf, write_wcnf

__all__ = [
    "STYLES",
    "Block",
    "ClauseLines",
    "Counter",
    "Model",
    "Objective",
    "Sink",
    "Soft",
    "Style",
    "VarPool",
    "Wcnf",
    "as_block",
    "clause",
    "combine",
    "exactly_one",
    "implies",
    "read_wcnf",
    "true_literals",
    "units",
    "write_wcnf",
]
