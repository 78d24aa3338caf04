"""Attacks on certificates: whatever a forger writes, an accepted certificate agrees with brute force."""

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from helpers.certificates import MANIFEST_FIELDS, write_purity_files
from helpers.forger import complete, lies, plain_problem, read_rows, seal, true_minimum, write_certificate

from puretree.errors import InputError, PuretreeError, RejectedError
from puretree.proof import Manifest, Verdict, verify
from puretree.proof.manifest import MANIFEST
from puretree.tree import Tree

Cells = list[list[Any]]
N_TABLES = 20


def random_table(seed: int) -> tuple[Cells, list[str], dict[str, Any]]:
    """Return a small table of numbers and names, its labels, and the options of its problem."""
    random_state = random.Random(seed)
    n_rows = random_state.randint(5, 8)
    makers = random_state.choices(
        [
            lambda: float(random_state.randint(0, 5)),
            lambda: random_state.choice("pqr"),
            lambda: random_state.choice([None, 1.0, 2.0, 3.5]),
            lambda: random_state.choice([None, "u", "v", "w"]),
        ],
        k=random_state.randint(2, 3),
    )
    rows = [[make() for make in makers] for _ in range(n_rows)]
    labels = [random_state.choice(["no", "yes", "unknown"][: 2 + (seed % 4 == 0)]) for _ in rows]
    options: dict[str, Any] = {"binarize": ["thresholds", "thresholds", "onehot", "bits"][seed % 4]}
    return rows, labels, options | {"on_conflict": ["majority", "drop"][seed % 2]}


def write_honest(folder: Path, seed: int) -> dict[str, Any]:
    """Write the certificate of a random table, and return its problem; the folder is empty."""
    for attempt in range(100):
        rows, labels, options = random_table(seed + N_TABLES * attempt)
        try:
            problem = write_purity_files(folder, rows, labels, **options)
            write_certificate(folder, problem, (folder / "table.csv").read_bytes())
        except InputError:  # no row or no feature is left
            continue
        if json.loads((folder / MANIFEST).read_text())["claim"]["n_nodes"] > 3:
            return problem
    raise AssertionError("no table with a tree of more than three nodes")


def require_true(folder: Path, verdict: Verdict) -> None:
    """Compare an accepted certificate with brute force over what it declares, and with the table alone."""
    problem, rows = json.loads((folder / "problem.json").read_text()), read_rows(folder / "table.csv")
    claim = verdict.manifest.claim
    minimum = true_minimum(problem, rows)
    assert claim["lower_bound"] <= minimum
    assert claim["n_nodes"] == minimum or not claim["is_minimum"]
    require_pure(folder, problem, rows)
    plain = plain_problem(problem, rows)
    if not problem["left_out"] and true_minimum(plain, rows) < claim["lower_bound"]:
        assert not verdict.statement.endswith("trees: none.")


def require_pure(folder: Path, problem: dict[str, Any], rows: list[dict[str, str]]) -> None:
    """Check the tree on the rows with the predictor of puretree, which shares no code with the checkers."""
    tree = Tree.from_json((folder / "model.json").read_text())
    numbers = range(len(rows)) if problem["rows"] is None else problem["rows"]
    kept = [number for number in numbers if number not in problem["left_out"]]
    kinds = {column["name"]: column for column in problem["columns"]}

    def value(column: dict[str, Any], cell: str) -> Any:
        if cell in ("", *problem["missing_values"]):
            return None
        is_number = column["kind"] == "number" or not isinstance((column["levels"] or [""])[0], str)
        return float(cell) if is_number else cell

    table = [[value(column, rows[number][name]) for name, column in kinds.items()] for number in kept]
    assert list(map(str, tree.predict(table))) == [rows[number][problem["target"]] for number in kept]


def attack_by_lies(folder: Path, seed: int) -> Counter[tuple[str, str]]:
    """Certify all lies about a table, and count by field how many are accepted."""
    folder.mkdir()
    problem = write_honest(folder, seed)
    table, rows = (folder / "table.csv").read_bytes(), read_rows(folder / "table.csv")
    assert verify(folder).holds
    require_true(folder, verify(folder))
    counts: Counter[tuple[str, str]] = Counter()
    for field, lie in lies(deepcopy(problem) | {"roots": None}, rows, random.Random(seed)):
        try:
            write_certificate(folder, complete(lie, rows), table)
        except (PuretreeError, ValueError, KeyError, IndexError):  # nothing can be proved about such a problem
            counts[field, "impossible"] += 1
            continue
        try:
            verdict = verify(folder)
        except RejectedError:
            counts[field, "rejected"] += 1
        else:
            require_true(folder, verdict)
            counts[field, "accepted and true"] += 1
    return counts


def positions(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every value in JSON data."""
    if path:
        yield path
    for key in data if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else ():
        yield from positions(data[key], (*path, key))


def variants(value: Any) -> list[Any]:
    """Return other values to try in place of one."""
    others: list[Any] = [None, True, False, 0, 1, -1, 0.5, "", "x", [], {}]
    if isinstance(value, int | float) and not isinstance(value, bool):
        others += [value + 1, value - 1, value + 2, value - 2, float(value), -value]
    if isinstance(value, list):
        others += [value[1:], value[:-1], value[::-1], value + value[:1], value[:1] * len(value)]
    if isinstance(value, str):
        others += [value + " ", value[1:], value[::-1], value.upper()]
    if isinstance(value, dict):
        others += [value | {"more": 1}, dict(list(value.items())[1:])]
    return [other for other in others if type(other) is not type(value) or other != value]


def set_at(data: Any, path: tuple[Any, ...], value: Any) -> Any:
    """Return a copy of JSON data with another value at a path."""
    data = deepcopy(data)
    place = data
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return data


def attack_by_fields(folder: Path, seed: int) -> Counter[tuple[str, str]]:
    """Change every field of every file of a certificate, seal it again, and count what is accepted."""
    folder.mkdir()
    write_honest(folder, seed)
    manifest = json.loads((folder / MANIFEST).read_text())
    honest = {path.name: path.read_bytes() for path in folder.iterdir()}
    counts: Counter[tuple[str, str]] = Counter()

    def attack(name: str, content: bytes, change: Callable[[dict[str, Any]], Any] = lambda content: None) -> None:
        (folder / name).write_bytes(content)
        claim = dict(manifest["claim"])
        try:
            claim["tree"] = Tree.from_json((folder / "model.json").read_text()).digest
            claim["n_nodes"] = len(json.loads((folder / "model.json").read_text())["nodes"])
        except (PuretreeError, ValueError, KeyError, TypeError):
            pass
        try:
            seal(folder, claim)
            change(folder)  # type: ignore[arg-type]
            verdict = verify(folder)
        except (RejectedError, PuretreeError):
            counts[name, "rejected"] += 1
        else:
            if verdict.holds:
                require_true(folder, verdict)
            counts[name, "accepted and true" if verdict.holds else "not verified"] += 1
        (folder / name).write_bytes(honest[name])

    for name in ("problem.json", "model.json"):
        data = json.loads(honest[name])
        for path in positions(data):
            value = data
            for key in path:
                value = value[key]
            for other in variants(value):
                attack(name, json.dumps(set_at(data, path, other)).encode())
        text = honest[name].decode()
        for key in {path[-1] for path in positions(data) if isinstance(path[-1], str)}:
            for first in ("null", "0", '"x"', "[]"):
                attack(name, text.replace(f'"{key}":', f'"{key}": {first}, "{key}":', 1).encode())
    lines = honest["bound.log"].splitlines(keepends=True)
    for index, line in enumerate(lines):
        attack("bound.log", b"".join(lines[:index] + lines[index + 1 :]))
        for at, byte in enumerate(line):
            if chr(byte).isdigit():
                changed = line[:at] + str((byte - 47) % 10).encode() + line[at + 1 :]
                attack("bound.log", b"".join([*lines[:index], changed, *lines[index + 1 :]]))
    cells = [line.split(",") for line in honest["table.csv"].decode().splitlines()]
    for row in range(len(cells)):
        for column in range(len(cells[row])):
            for other in ("", "p", "9", "1.0", "nan", "NA", cells[row - 1][column]):
                changed_cells = deepcopy(cells)
                changed_cells[row][column] = other
                attack("table.csv", "".join(",".join(line) + "\n" for line in changed_cells).encode())
    for path in positions(manifest):
        value = manifest
        for key in path:
            value = value[key]
        for other in variants(value):

            def change(_: Any, where: tuple[Any, ...] = path, to: Any = other) -> None:
                content = set_at(manifest, where, to)
                if set(MANIFEST_FIELDS) <= set(content):
                    forged = Manifest(*(content[name] for name in MANIFEST_FIELDS))
                    (folder / MANIFEST).write_bytes(forged.to_bytes())

            attack("bound.log", honest["bound.log"], change)
    return counts


def test_no_lie_is_accepted(tmp_path: Path) -> None:
    """Every lie about two tables, certified with a valid proof and seal, is rejected or true as it is stated."""
    counts = sum((attack_by_lies(tmp_path / str(seed), seed) for seed in (0, 1)), Counter())
    assert counts["features", "rejected"] > 10
    assert counts["columns.levels", "accepted and true"] == 0
    assert counts["columns.is_forbidden", "accepted and true"] > 0


@pytest.mark.slow
def test_no_lie_about_many_tables_is_accepted(tmp_path: Path) -> None:
    """The same for twenty tables."""
    counts = sum((attack_by_lies(tmp_path / str(seed), seed) for seed in range(2, N_TABLES)), Counter())
    print(*sorted(counts.items()), sep="\n")
    assert {field for field, result in counts if result == "rejected"} >= {"features", "columns.kind", "columns.levels"}


@pytest.mark.slow
def test_no_changed_field_is_accepted_unless_true(tmp_path: Path) -> None:
    """Every field of every file, changed in many ways and sealed again, is rejected or still true: twenty tables."""
    counts = sum((attack_by_fields(tmp_path / str(seed), seed) for seed in range(N_TABLES)), Counter())
    print(*sorted(counts.items()), sep="\n")
    assert counts["problem.json", "rejected"] > 1000 * N_TABLES
