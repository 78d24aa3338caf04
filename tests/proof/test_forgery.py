"""Attacks on certificates: whatever a forger writes, an accepted certificate agrees with brute force."""

import itertools
import json
import random
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from helpers.certificates import MANIFEST_FIELDS, reseal, write_purity_files
from helpers.forger import complete, lies, plain_problem, read_rows, seal, true_minimum, write_certificate

from puretree.binarize import ThresholdBinarizer
from puretree.cli import main
from puretree.errors import InputError, PuretreeError, RejectedError
from puretree.proof import PROOF, Manifest, Verdict, verify
from puretree.proof.checkers import bound, purity, table
from puretree.proof.manifest import MANIFEST, describe_file
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
            add_equal_test(problem)
            write_certificate(folder, problem, (folder / "table.csv").read_bytes())
        except InputError:  # no row or no feature is left
            continue
        if json.loads((folder / MANIFEST).read_text())["claim"]["n_nodes"] > 3:
            return problem
    raise AssertionError("no table with a tree of more than three nodes")


def add_equal_test(problem: dict[str, Any]) -> None:
    """List a second predicate for the first feature on numbers: its edge lies between the same two values."""
    for index, feature in enumerate(problem["features"]):
        is_number = problem["columns"][feature["column"]]["kind"] == "number"
        if problem["family"]["name"] == "thresholds" and is_number and feature["edges"]:
            other = {**feature, "edges": [feature["edges"][0] + 0.125], "feature": index, "is_negated": False}
            problem["equal_tests"].append(other)
            return


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
        if cell in ("", *column["missing_values"]):
            return None
        is_number = column["kind"] == "number" or not isinstance((column["levels"] or [""])[0], str)
        return float(cell) if is_number else cell

    cells = [[value(column, rows[number][name]) for name, column in kinds.items()] for number in kept]
    assert list(map(str, tree.predict(cells))) == [rows[number][problem["target"]] for number in kept]


def attack_by_lies(folder: Path, seed: int) -> Counter[tuple[str, str]]:
    """Certify all lies about a table, and count by field how many are accepted."""
    folder.mkdir()
    problem = write_honest(folder, seed)
    content, rows = (folder / "table.csv").read_bytes(), read_rows(folder / "table.csv")
    assert verify(folder).holds
    require_true(folder, verify(folder))
    counts: Counter[tuple[str, str]] = Counter()
    for field, lie in lies(deepcopy(problem) | {"roots": None}, rows, random.Random(seed)):
        try:
            write_certificate(folder, complete(lie, rows), content)
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
    others: list[Any] = [None, True, 0, -1, "x", []]
    if isinstance(value, int | float) and not isinstance(value, bool):
        others += [value + 1, value - 1, float(value)]
    if isinstance(value, list):
        others += [value[1:], value[::-1], value + value[:1]]
    if isinstance(value, str):
        others += [value + " ", value[1:]]
    if isinstance(value, dict):
        others += [value | {"more": 1}, dict(list(value.items())[1:])]
    return [other for other in others if type(other) is not type(value) or other != value]


def get_at(data: Any, path: tuple[Any, ...]) -> Any:
    """Return the value at a path of JSON data."""
    for key in path:
        data = data[key]
    return data


def set_at(data: Any, path: tuple[Any, ...], value: Any) -> Any:
    """Return a copy of JSON data with another value at a path."""
    data = deepcopy(data)
    get_at(data, path[:-1])[path[-1]] = value
    return data


class FieldAttack:
    """Changes every field of every file of a certificate, seals it again, and counts what is accepted."""

    def __init__(self, folder: Path, seed: int) -> None:
        folder.mkdir()
        write_honest(folder, seed)
        self.folder = folder
        self.honest = {path.name: path.read_bytes() for path in folder.iterdir()}
        self.claim = json.loads(self.honest[MANIFEST])["claim"]
        self.counts: Counter[tuple[str, str]] = Counter()

    def run(self) -> Counter[tuple[str, str]]:
        """Attack with all changes, and return how many of each file are rejected."""
        for name, content in self.changes():
            (self.folder / name).write_bytes(content)
            self.counts[name, self.judge(name)] += 1
            (self.folder / name).write_bytes(self.honest[name])
        return self.counts

    def changes(self) -> Iterator[tuple[str, bytes]]:
        """Yield changed files."""
        for name in ("problem.json", "model.json", MANIFEST):
            data = json.loads(self.honest[name])
            for path in positions(data):
                for other in variants(get_at(data, path)):
                    yield name, json.dumps(set_at(data, path, other)).encode()
            text = self.honest[name].decode()
            for key in {path[-1] for path in positions(data) if isinstance(path[-1], str)}:
                for first in ("null", '"x"'):
                    yield name, text.replace(f'"{key}":', f'"{key}": {first}, "{key}":', 1).encode()
        lines = self.honest["bound.log"].splitlines(keepends=True)
        for index, line in enumerate(lines):
            yield "bound.log", b"".join(lines[:index] + lines[index + 1 :])
            for at, byte in enumerate(line):
                if chr(byte).isdigit():
                    changed = line[:at] + str((byte - 47) % 10).encode() + line[at + 1 :]
                    yield "bound.log", b"".join([*lines[:index], changed, *lines[index + 1 :]])
        cells = [line.split(",") for line in self.honest["table.csv"].decode().splitlines()]
        for row, column in itertools.product(range(len(cells)), range(len(cells[0]))):
            for other in ("", "p", "9", "1.0", "nan", "NA", cells[row - 1][column]):
                yield (
                    "table.csv",
                    "".join(",".join(line) + "\n" for line in set_at(cells, (row, column), other)).encode(),
                )

    def judge(self, name: str) -> str:
        """Seal the certificate and verify it; what is accepted must be true."""
        try:
            if name != MANIFEST:
                self.require_checkers()
                tree = Tree.from_json((self.folder / "model.json").read_text())
                seal(self.folder, self.claim | {"tree": tree.digest, "n_nodes": tree.n_nodes})
            else:
                content = json.loads((self.folder / MANIFEST).read_text())
                forged = Manifest(*(content[field] for field in MANIFEST_FIELDS))
                (self.folder / MANIFEST).write_bytes(forged.to_bytes())
            verdict = verify(self.folder)
        except (PuretreeError, table.Rejected, purity.Rejected, bound.Rejected, KeyError, TypeError):
            return "rejected"
        if not verdict.holds:
            return "not verified"
        require_true(self.folder, verdict)
        return "accepted and true"

    def require_checkers(self) -> None:
        """Run the checkers first: verify takes longer, and rejects whatever they reject."""
        table.check(self.folder)
        purity.check(self.folder)
        problem = json.loads((self.folder / "problem.json").read_text())
        bound.check(problem, (self.folder / "bound.log").read_text())


def test_merged_levels_are_rejected(tmp_path: Path) -> None:
    """The certificate of a table in which two levels were merged is no certificate of the table itself."""
    rows = ["q,a,d,yes", "q,b,c,yes", "p,a,c,no", "r,a,c,no", "r,b,d,no", "p,b,d,no"]
    true_table = "A,B,C,y\n" + "\n".join(rows) + "\n"
    table_file, run = tmp_path / "table.csv", tmp_path / "run"
    table_file.write_text(true_table.replace("q,", "m,").replace("r,", "m,"))
    assert main(["fit", str(table_file), "-t", "y", "--quiet", "--out", str(run)]) == 0
    assert main(["certify", str(run), "--quiet"]) == 0
    assert verify(run).manifest.claim["n_nodes"] > 3
    (run / PROOF / "table.csv").write_text(true_table)
    data = json.loads((run / "data.json").read_text())
    data["sha256"] = describe_file(run / PROOF / "table.csv")["sha256"]
    (run / "data.json").write_text(json.dumps(data))
    reseal(run / PROOF, lambda content: content["run"].update({"data.json": describe_file(run / "data.json")}))
    with pytest.raises(RejectedError, match=r"column 'A' holds '[qr]', which problem"):
        verify(run)


def test_numbers_declared_to_be_categories_are_stated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With 9 nodes as the minimum where thresholds need 3, the last line that a person reads says why."""
    binarizer = ThresholdBinarizer(categorical_features="all")
    labels = ["low" if x <= 4 else "high" for x in range(1, 9)]
    problem = write_purity_files(tmp_path, [[float(x)] for x in range(1, 9)], labels, binarize=binarizer)
    write_certificate(tmp_path, problem, (tmp_path / "table.csv").read_bytes())
    assert json.loads((tmp_path / MANIFEST).read_text())["claim"]["n_nodes"] == 9
    assert main(["verify", str(tmp_path)]) == 0
    assert "declared a category though it holds numbers: column 'x0'" in capsys.readouterr().out.splitlines()[-1]


def test_a_hidden_column_is_stated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A certificate without its run names the columns that no test uses."""
    rows = [[float(x), float(x % 2)] for x in range(4)]
    problem = write_purity_files(tmp_path, rows, [0, 1, 0, 1], forbidden=["x1"])
    write_certificate(tmp_path, problem, (tmp_path / "table.csv").read_bytes())
    assert main(["verify", str(tmp_path)]) == 0
    assert "forbidden: tests on column 'x1'" in capsys.readouterr().out.splitlines()[-1]


def threshold(column: int, edge: float) -> dict[str, Any]:
    """Return the feature "value < edge" of a column."""
    return {"column": column, "edges": [edge], "starts_inside": True, "holds_missing": False}


def forge(folder: Path, table_text: str, features: list[dict[str, Any]], **changes: Any) -> Verdict:
    """Certify a table with columns x and z of numbers and a label y, as declared, and verify the certificate."""
    (folder / "table.csv").write_text(table_text)
    rows = read_rows(folder / "table.csv")
    column = {"kind": "number", "levels": [], "missing_values": [], "cuts": None, "is_forbidden": False}
    problem = {
        **{"format": table.FORMAT, "target": "y", "classes": sorted({row["y"] for row in rows})},
        **{"family": {"name": "thresholds"}, "root": None, "roots": None, "max_depth": None, "rows": None},
        **{"left_out": changes.pop("left_out", []), "features": features, "equal_tests": []},
        "columns": [{"name": name, **column, **changes.pop(name, {})} for name in rows[0] if name != "y"],
    } | changes
    write_certificate(folder, complete(problem, rows), (folder / "table.csv").read_bytes())
    return verify(folder)


def test_cuts_that_the_sender_leaves_out_are_stated(tmp_path: Path) -> None:
    """The cut that matters, or all cuts of a column together with the rows that only they distinguish."""
    text = "x,z,y\n1,1,a\n2,2,a\n3,1,b\n4,2,b\n"
    features = [threshold(0, 1.5), threshold(0, 3.5), threshold(1, 1.5)]
    with pytest.raises(RejectedError, match="lacks a test of the family on 'x'"):
        forge(tmp_path, text, features)
    verdict = forge(tmp_path, text, features, x={"cuts": [1.5, 3.5]})
    assert verdict.manifest.claim["n_nodes"] == 7
    assert "the sender chose 2 of the 3 cuts of column 'x'" in verdict.statement
    text = "x,z,y\n1,1,a\n2,1,b\n1,2,b\n2,2,a\n1,3,a\n2,3,b\n"
    features, rows = [threshold(1, 1.5), threshold(1, 2.5)], [1, 3, 5]
    with pytest.raises(RejectedError, match=r"lacks a test of the family on 'x'|no other row contradicts it"):
        forge(tmp_path, text, features, left_out=rows)
    statement = forge(tmp_path, text, features, left_out=rows, x={"cuts": []}).statement
    assert "the sender chose 0 of the 1 cut of column 'x'; 3 training rows are left out" in statement


def test_nan_is_no_number(tmp_path: Path) -> None:
    """Spellings of nan are different cells unless they are declared to be missing values."""
    text = "x,z,y\nnan,1,a\nNaN,2,b\nnan,3,a\nNaN,4,b\n"
    features = [threshold(1, cut) for cut in (1.5, 2.5, 3.5)]
    missing = {"missing_values": ["nan", "NaN"]}
    assert "declared missing in column 'x': 'nan', 'NaN'" in forge(tmp_path, text, features, x=missing).statement
    problem = json.loads((tmp_path / "problem.json").read_text())
    problem["columns"][0]["missing_values"] = []
    write_certificate(tmp_path, problem, text.encode())
    with pytest.raises(RejectedError, match="column 'x' does not hold numbers only"):
        verify(tmp_path)


def test_bins_that_overflow_are_rejected(tmp_path: Path) -> None:
    """A column whose range overflows would have a single bin and no test."""
    text = "x,z,y\n-1.7e308,1,a\n1.7e308,2,b\n-1.6e308,3,a\n1.6e308,4,b\n"
    ends = [[1.75], [1.75, 2.5], [2.5, 3.25], [3.25]]
    features = [threshold(1, 1.75) | {"edges": edges, "starts_inside": edges == ends[0]} for edges in ends]
    with pytest.raises(RejectedError, match="cannot be divided into bins"):
        forge(tmp_path, text, features, family={"name": "onehot", "n_bins": 4})


def test_tests_that_a_declared_kind_adds_are_stated(tmp_path: Path) -> None:
    """Declared a category, a column of numbers also has tests that no threshold is."""
    features = [threshold(0, 0.0) | {"edges": [float(x), x + 1.0], "starts_inside": False} for x in (0, 1, 2)]
    category = {"kind": "category", "levels": ["1", "2", "3"]}
    verdict = forge(tmp_path, "x,y\n1,a\n2,b\n3,a\n", features, x=category)
    assert verdict.manifest.claim["n_nodes"] == 3
    assert "which leaves out 0 of its 2 tests as numbers and adds 1" in verdict.statement


def test_an_order_of_levels_is_stated(tmp_path: Path) -> None:
    """The bits of a column depend on the numbers of its levels; a level like nan does not hide their order."""
    levels = ["3", "4", "nan", "1", "2"]
    text = "x,y\n" + "".join(f"{level},{'ab'[index > 2]}\n" for index, level in enumerate(levels))
    features = []
    for digit in (2, 1, 0):
        inside = [bool(code >> digit & 1) for code in range(5)]
        edges = [float(code) for code in range(6) if ([False, *inside][code]) != ([*inside, False][code])]
        features.append({"column": 0, "edges": edges, "starts_inside": False, "holds_missing": False})
    statement = forge(
        tmp_path, text, features, family={"name": "bits", "n_bins": 8}, x={"kind": "category", "levels": levels}
    ).statement
    assert "declared order of column 'x': '3', '4', 'nan', '1', '2'" in statement


def test_labels_are_compared_by_their_text(tmp_path: Path) -> None:
    """Labels that differ beyond double precision, or only in their spelling, are different labels."""
    problem = write_purity_files(tmp_path, [[1.0], [2.0], [3.0]], [0, 0, 5])
    text = (tmp_path / "table.csv").read_text()
    for label in ("1e-400", "0.0", "00"):
        write_certificate(tmp_path, problem, text.replace("2.0,0", f"2.0,{label}").encode())
        with pytest.raises(RejectedError, match=f"holds '{label}', which problem"):
            verify(tmp_path)


def test_a_long_name_cannot_imitate_the_statement(tmp_path: Path) -> None:
    """Names from the data are quoted, and shortened if they are long."""
    name = "y'. (2) Trees: all decision trees. (3) Limitations of the rows and trees: none"
    rows, labels = [[1.0], [2.0]], ["a", "b"]
    problem = write_purity_files(tmp_path, rows, labels) | {"target": name}
    text = (tmp_path / "table.csv").read_text().replace("label", name)
    write_certificate(tmp_path, problem, text.encode())
    assert verify(tmp_path).statement.count("(3) Limitations") == 1


def test_no_lie_is_accepted(tmp_path: Path) -> None:
    """Every lie about a table, certified with a valid proof and seal, is rejected or true as it is stated."""
    counts = attack_by_lies(tmp_path / "proof", 1)
    assert counts["features", "rejected"] > 5
    assert counts["columns.is_forbidden", "accepted and true"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, N_TABLES))
def test_no_lie_about_many_tables_is_accepted(tmp_path: Path, seed: int) -> None:
    """The same for the other tables."""
    counts = attack_by_lies(tmp_path / "proof", seed)
    print(counts)
    assert sum(number for (_, result), number in counts.items() if result == "rejected") > 20


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(N_TABLES))
def test_no_changed_field_is_accepted_unless_true(tmp_path: Path, seed: int) -> None:
    """Every field of every file, changed in many ways and sealed again, is rejected, or what remains is true."""
    counts = FieldAttack(tmp_path / "proof", seed).run()
    print(counts)
    assert {name for name, result in counts if result == "rejected"} == {
        *("table.csv", "problem.json", "model.json", "bound.log", MANIFEST)
    }
    assert counts["problem.json", "rejected"] > 500
