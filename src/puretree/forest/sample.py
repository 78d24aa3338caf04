"""Trees at random, each as likely as any other: ranks drawn exactly, however many trees there are."""

from __future__ import annotations

from typing import Any

from sklearn.utils import check_random_state

from ..errors import InputError


def require_so_many(k: int, total: int) -> None:
    """Refuse to hand out more different trees than there are."""
    if k != int(k) or k < 0:
        raise InputError(f"k={k!r} is not a number of trees; use a whole number of at least 0")
    if k > total:
        raise InputError(f"k={k} different trees were asked for, but there are only {total}; ask for at most {total}")


def draw_ranks(k: int, total: int, random_state: Any) -> list[int]:
    """Draw different ranks below a total, every ordered choice of them equally likely.

    Parameters
    ----------
    k : int
        How many; at most ``total``.
    total : int
        Of any size.
    random_state : int, RandomState or None
        As everywhere in scikit-learn.
    """
    require_so_many(k, total)
    random = check_random_state(random_state)
    drawn: dict[int, None] = {}  # a set that keeps its order
    # Floyd's algorithm: every subset of k is equally likely, after k draws whatever the total (Bentley, Floyd 1987).
    for highest in range(total - k, total):
        rank = draw_below(highest + 1, random)
        drawn[highest if rank in drawn else rank] = None
    ranks = list(drawn)
    return [ranks[place] for place in random.permutation(k)]


def draw_below(end: int, random: Any) -> int:
    """Draw a whole number from 0 to below an end of any size, all equally likely."""
    n_bits = (end - 1).bit_length()
    n_bytes = -(-n_bits // 8)
    while True:  # rejected less than every other time
        number = int.from_bytes(random.bytes(n_bytes), "little") >> (8 * n_bytes - n_bits)
        if number < end:
            return number
