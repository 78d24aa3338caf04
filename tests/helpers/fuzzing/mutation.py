"""Broken files from valid ones: bytes flipped, cut, doubled and spliced, and values of JSON replaced by odd ones.

Random bytes alone are refused by the first line of every reader; what is nearly valid gets further.
"""

import json
import random
from collections.abc import Callable, Sequence
from typing import Any

ODD_BYTES = [
    b"\0",
    b"\xff\xfe",
    b"\xed\xb2\x80",  # a lone surrogate
    b"\xef\xbb\xbf",
    b'"',
    b"\\",
    b"\r",
    b"\n\n",
    b",",
    b"-",
    b"9" * 30,
    b"9" * 5000,
    b"1e999",
    b"-0",
    b"NaN",
    b"Infinity",
    b"[" * 3000,
    b'{"a":' * 2000,
    b"1_000",
    "\u2028".encode(),
    "٣".encode(),  # a digit, to Python
]

ODD_VALUES: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    1,
    2**31 - 1,
    2**31,
    2**63,
    -(2**63) - 1,
    10**400,
    0.0,
    -0.0,
    1.5,
    1e308,
    float("nan"),
    float("inf"),
    "",
    "\ud800",
    "\0",
    "x" * 2000,
    [],
    {},
    [[[[]]]],
    {"a": {"b": None}},
    [None],
    ["a", 1, None],
]

Mutation = Callable[[random.Random, bytes, Sequence[bytes]], bytes]


def mutate(rng: random.Random, valid: Sequence[bytes]) -> bytes:
    """Make an input from valid ones by one to four changes."""
    data = rng.choice(valid)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        data = rng.choice(MUTATIONS)(rng, data, valid)
    return data


def _flip(rng: random.Random, data: bytes, valid: Sequence[bytes]) -> bytes:
    if not data:
        return data
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]


def _insert(rng: random.Random, data: bytes, valid: Sequence[bytes]) -> bytes:
    at = rng.randint(0, len(data))
    return data[:at] + rng.choice(ODD_BYTES) + data[at:]


def _replace_number(rng: random.Random, data: bytes, valid: Sequence[bytes]) -> bytes:
    digits = [at for at, byte in enumerate(data) if 48 <= byte <= 57]
    if not digits:
        return data
    at = rng.choice(digits)
    return data[:at] + rng.choice((b"-1", b"0", b"2147483648", b"9" * 40, b"1e9", b"0.5", b"")) + data[at + 1 :]


def _delete(rng: random.Random, data: bytes, valid: Sequence[bytes]) -> bytes:
    start = rng.randint(0, len(data))
    return data[:start] + data[start + rng.choice((1, 2, 5, 40)) :]


def _double(rng: random.Random, data: bytes, valid: Sequence[bytes]) -> bytes:
    start = rng.randint(0, len(data))
    end = start + rng.choice((1, 5, 60))
    return data[:end] + data[start:end] * rng.choice((1, 1, 20)) + data[end:]


def _truncate(rng: random.Random, data: bytes, valid: Sequence[bytes]) -> bytes:
    return data[: rng.randint(0, len(data))]


def _splice(rng: random.Random, data: bytes, valid: Sequence[bytes]) -> bytes:
    other = rng.choice(valid)
    return data[: rng.randint(0, len(data))] + other[rng.randint(0, len(other)) :]


def _swap_lines(rng: random.Random, data: bytes, valid: Sequence[bytes]) -> bytes:
    lines = data.split(b"\n")
    one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return b"\n".join(lines)


def _change_value(rng: random.Random, data: bytes, valid: Sequence[bytes]) -> bytes:
    """Replace, remove or repeat a value of JSON; what is none is inserted into."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return _insert(rng, data, valid)
    holders = _holders(value)
    if not holders:
        return json.dumps(rng.choice(ODD_VALUES)).encode()
    holder, key = rng.choice(holders)
    kind = rng.randrange(4)
    if kind == 0:
        del holder[key]
    elif kind == 1 and isinstance(holder, list):
        holder.insert(rng.randint(0, len(holder)), holder[key])
    elif kind == 2 and isinstance(holder[key], int | float):
        holder[key] = holder[key] + rng.choice((-1, 1))
    else:
        holder[key] = rng.choice(ODD_VALUES)
    return json.dumps(value).encode()


def _holders(value: Any) -> list[tuple[Any, Any]]:
    """Return every list and object of a JSON value with each of its places."""
    found: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting:
        holder = waiting.pop()
        keys = range(len(holder)) if isinstance(holder, list) else list(holder) if isinstance(holder, dict) else []
        found += [(holder, key) for key in keys]
        waiting += [holder[key] for key in keys]
    return found


MUTATIONS: list[Mutation] = [
    _flip,
    _insert,
    _replace_number,
    _delete,
    _double,
    _truncate,
    _splice,
    _swap_lines,
    _change_value,
    _change_value,
    _change_value,
]
