"""Corrupt valid files: flip, cut, repeat and splice bytes, and replace JSON values by unusual ones.

Readers reject random bytes at once; nearly valid files reach more of their code.
"""

import json
import random
from collections.abc import Callable, Sequence
from typing import Any

UNUSUAL_BYTES = [
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
    "٣".encode(),  # a digit, according to Python
]

UNUSUAL_VALUES: list[Any] = [
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
    """Return a valid input with one to four changes."""
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
    return data[:at] + rng.choice(UNUSUAL_BYTES) + data[at:]


def _replace_number(rng: random.Random, data: bytes, valid: Sequence[bytes]) -> bytes:
    digits = [at for at, byte in enumerate(data) if 48 <= byte <= 57]
    if not digits:
        return data
    at = rng.choice(digits)
    return data[:at] + rng.choice((b"-1", b"0", b"2147483648", b"9" * 40, b"1e9", b"0.5", b"")) + data[at + 1 :]


def _delete(rng: random.Random, data: bytes, valid: Sequence[bytes]) -> bytes:
    start = rng.randint(0, len(data))
    return data[:start] + data[start + rng.choice((1, 2, 5, 40)) :]


def _repeat(rng: random.Random, data: bytes, valid: Sequence[bytes]) -> bytes:
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
    first, second = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[first], lines[second] = lines[second], lines[first]
    return b"\n".join(lines)


def _change_value(rng: random.Random, data: bytes, valid: Sequence[bytes]) -> bytes:
    """Replace, remove or repeat a JSON value; insert bytes if the data are not JSON."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return _insert(rng, data, valid)
    items = _items(value)
    if not items:
        return json.dumps(rng.choice(UNUSUAL_VALUES)).encode()
    container, key = rng.choice(items)
    kind = rng.randrange(4)
    if kind == 0:
        del container[key]
    elif kind == 1 and isinstance(container, list):
        container.insert(rng.randint(0, len(container)), container[key])
    elif kind == 2 and isinstance(container[key], int | float):
        container[key] = container[key] + rng.choice((-1, 1))
    else:
        container[key] = rng.choice(UNUSUAL_VALUES)
    return json.dumps(value).encode()


def _items(value: Any) -> list[tuple[Any, Any]]:
    """Return every container inside a JSON value with each of its indices or keys."""
    items: list[tuple[Any, Any]] = []
    stack = [value]
    while stack:
        container = stack.pop()
        keys = (
            range(len(container))
            if isinstance(container, list)
            else list(container)
            if isinstance(container, dict)
            else []
        )
        items += [(container, key) for key in keys]
        stack += [container[key] for key in keys]
    return items


MUTATIONS: list[Mutation] = [
    _flip,
    _insert,
    _replace_number,
    _delete,
    _repeat,
    _truncate,
    _splice,
    _swap_lines,
    _change_value,
    _change_value,
    _change_value,
]
