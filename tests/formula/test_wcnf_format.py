"""Test reading and writing WCNF files in both formats, and the errors for invalid files."""

import stat
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from puretree._support.clock import Clock, TimeLimitReached
from puretree.errors import FormatError, InputError
from puretree.formula import STYLES, Soft, Style, Wcnf, as_block, clause, read_wcnf, write_wcnf

MAX_VAR = 2**31 - 1

variables = st.integers(1, 30) | st.integers(1, MAX_VAR)
literals = st.builds(lambda var, sign: var * sign, variables, st.sampled_from((1, -1)))
clauses = st.lists(literals, max_size=5)
blocks = st.lists(clauses, min_size=1, max_size=4).map(as_block)
softs = st.builds(Soft, st.integers(1, 9) | st.integers(1, 10**40), clauses.map(tuple))
names = st.dictionaries(variables, st.text(st.characters(codec=None), max_size=6), max_size=4)


@st.composite
def formulas(draw: st.DrawFn) -> Wcnf:
    """Draw a formula; some of its variables may not occur in any clause."""
    formula = Wcnf(soft=draw(st.lists(softs, max_size=4)), names=draw(names))
    for block in draw(st.lists(blocks, max_size=3)):
        formula.add(block)
    seen = [abs(lit) for clause in (*hard_of(formula), *(soft.literals for soft in formula.soft)) for lit in clause]
    formula.n_vars = min(MAX_VAR, max(seen, default=0) + draw(st.integers(0, 3)))
    return formula


def hard_of(formula: Wcnf) -> list[tuple[int, ...]]:
    """Return the hard clauses, sorted."""
    return sorted(tuple(int(lit) for lit in row if lit) for block in formula.hard for row in block)


def assert_same(left: Wcnf, right: Wcnf) -> None:
    """Assert that two formulas are equal up to the order of their hard clauses."""
    assert hard_of(left) == hard_of(right)
    assert (left.n_vars, left.soft, left.names) == (right.n_vars, right.soft, right.names)


@given(formulas(), st.sampled_from(STYLES))
def test_round_trip(tmp_path_factory: pytest.TempPathFactory, formula: Wcnf, style: Style) -> None:
    """Writing and reading preserves clauses, weights of any size, and names with any characters."""
    path = tmp_path_factory.mktemp("round") / "formula.wcnf"
    write_wcnf(formula, path, style=style)
    assert_same(read_wcnf(path), formula)


def small_formula() -> Wcnf:
    """Return a formula for tests of the written text."""
    formula = Wcnf(3, names={1: "a[0]", 3: "two\nlines\\"})
    formula.add(as_block([[1, -2], [3]]))
    formula.soft = [Soft(2, (-1, 2)), Soft(5, (-3,))]
    return formula


def test_new_style(tmp_path: Path) -> None:
    """Hard clauses are marked with h, and there is no p line."""
    write_wcnf(small_formula(), tmp_path / "f")
    assert (tmp_path / "f").read_text().splitlines() == [
        "c n_vars 3",
        "c var 1 a[0]",
        r"c var 3 two\{a}lines\{5c}",
        "h 1 -2 0",
        "h 3 0",
        "2 -1 2 0",
        "5 -3 0",
    ]


def test_old_style(tmp_path: Path) -> None:
    """The weight of hard clauses, given in the p line, exceeds the total weight of the soft ones by one."""
    write_wcnf(small_formula(), str(tmp_path / "f"), style="old")
    lines = (tmp_path / "f").read_text().splitlines()
    assert lines[3:] == ["p wcnf 3 4 8", "8 1 -2 0", "8 3 0", "2 -1 2 0", "5 -3 0"]


def test_blocks_need_not_be_contiguous(tmp_path: Path) -> None:
    """Blocks made by broadcasting and slicing are written correctly."""
    formula = Wcnf(9)
    formula.add(np.broadcast_to(np.int32([[1, -2, 3]]), (2, 3)))
    formula.add(clause([1, 2, 3, 4], -5)[::2, ::-1])
    write_wcnf(formula, tmp_path / "f")
    assert hard_of(read_wcnf(tmp_path / "f")) == sorted([(1, -2, 3), (1, -2, 3), (-5, 1), (-5, 3)])


def test_large_blocks_are_written_in_chunks(tmp_path: Path) -> None:
    """No clause is lost or duplicated at the boundary of two chunks."""
    rng = np.random.default_rng(0)
    block = rng.integers(-99, 100, (800_000, 3), dtype=np.int32)
    formula = Wcnf(99)
    formula.add(block)
    write_wcnf(formula, tmp_path / "f")
    hard = read_wcnf(tmp_path / "f").hard
    counts = np.bincount(np.concatenate([part.ravel() for part in hard]) + 99, minlength=199)
    expected = np.bincount(block.ravel() + 99, minlength=199)
    expected[99] = 0  # padding
    assert counts.tolist() == expected.tolist()


def test_clauses_of_weight_0_are_dropped(tmp_path: Path) -> None:
    """Neither writer nor reader keeps a soft clause of weight 0."""
    formula = Wcnf(1, soft=[Soft(0, (1,)), Soft(2, (-1,))])
    for style in STYLES:
        write_wcnf(formula, tmp_path / "f", style=style)
        assert read_wcnf(tmp_path / "f").soft == [Soft(2, (-1,))]
    (tmp_path / "f").write_text("0 1 0\n2 -1 0\n")
    assert read_wcnf(tmp_path / "f").soft == [Soft(2, (-1,))]


def test_failed_write_keeps_the_previous_file(tmp_path: Path) -> None:
    """The previous content stays, and no partial file is left."""
    path = tmp_path / "f"
    path.write_text("before")
    formula = small_formula()
    formula.soft.append(Soft(1, ("x",)))  # type: ignore[arg-type]  # fails halfway through
    with pytest.raises(TypeError):
        write_wcnf(formula, path)
    with pytest.raises(TimeLimitReached):
        write_wcnf(small_formula(), path, clock=Clock(0))
    assert path.read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["f"]


def test_permissions_and_links_are_kept(tmp_path: Path) -> None:
    """A private file stays private when it is replaced, and a symbolic link to it is kept."""
    path, link = tmp_path / "tree.wcnf", tmp_path / "link.wcnf"
    write_wcnf(small_formula(), path)
    path.chmod(0o600)
    link.symlink_to(path)
    write_wcnf(small_formula(), link, style="old")
    assert link.is_symlink()
    assert "p wcnf" in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["link.wcnf", "tree.wcnf"]


def test_writer_rejects_invalid_arguments(tmp_path: Path) -> None:
    """An unknown style and a negative weight are errors, raised before anything is written."""
    with pytest.raises(InputError, match="style='newer' is unknown; use 'new' or 'old'"):
        write_wcnf(small_formula(), tmp_path / "f", style="newer")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="negative weight"):
        write_wcnf(Wcnf(1, soft=[Soft(-1, (1,))]), tmp_path / "f")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("text", "hard", "soft", "n_vars"),
    [
        pytest.param("", [], [], 0, id="empty"),
        pytest.param("c only\nc comments", [], [], 0, id="comments"),
        pytest.param("h 1 -2 0\n3 2 0\n", [(1, -2)], [Soft(3, (2,))], 2, id="new"),
        pytest.param("h 1 -2 0\r\n3 2 0\r\n", [(1, -2)], [Soft(3, (2,))], 2, id="new-crlf"),
        pytest.param("h 0\n4 0\n", [()], [Soft(4, ())], 0, id="empty-clauses"),
        pytest.param("  h\t1   2 0  \n\n\nc x\n5 1 0", [(1, 2)], [Soft(5, (1,))], 2, id="blanks"),
        pytest.param("p wcnf 4 3 10\n10 1 0\n9 2 0\n11 3 0\n", [(1,), (3,)], [Soft(9, (2,))], 4, id="old"),
        pytest.param("p wcnf 2 2\n10 1 0\n9 2 0\n", [], [Soft(10, (1,)), Soft(9, (2,))], 2, id="old-without-top"),
        pytest.param("c a\np wcnf 3 1 9\nc b\n9 1\nc between\n-2\n3 0\n", [(1, -2, 3)], [], 3, id="over-lines"),
        pytest.param("p wcnf 2 2 9\r\n9 1\r\n2 0\r\n1 1 0", [(1, 2)], [Soft(1, (1,))], 2, id="old-crlf"),
        pytest.param("p wcnf 1 2 009\n09 1 0 08 1 0", [(1,)], [Soft(8, (1,))], 1, id="leading-zeros"),
        pytest.param("p cnf 3 2\n1 -2 0 3\n0\n", [(1, -2), (3,)], [], 3, id="plain"),
        pytest.param("p cnf 2 1\n1 2 0\n%\n0\n", [(1, 2)], [], 2, id="satlib"),
        pytest.param(
            f"p wcnf 1 2 {10**30}\n{10**30} 1 0\n{10**30 - 1} 1 0", [(1,)], [Soft(10**30 - 1, (1,))], 1, id="big"
        ),
        pytest.param(f"h {MAX_VAR} -{MAX_VAR} 0", [(MAX_VAR, -MAX_VAR)], [], MAX_VAR, id="highest-variable"),
    ],
)
def test_all_formats_are_read(
    tmp_path: Path, text: str, hard: list[tuple[int, ...]], soft: list[Soft], n_vars: int
) -> None:
    """Both formats, plain CNF, comments anywhere, clauses over several lines, and Windows line endings are read."""
    path = tmp_path / "f"
    path.write_bytes(text.encode())
    formula = read_wcnf(path)
    assert (hard_of(formula), formula.soft, formula.n_vars) == (sorted(hard), soft, n_vars)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("h 1 2 0\nh 1 x 0\n", "line 2: expected a literal, or the 0 that ends a clause, found 'x'"),
        ("h 1 2", "line 1: expected the 0 that ends a clause, found the end of the file"),
        ("h 1 2\nh 3 0", "line 2: expected a literal, or the 0 that ends a clause, found 'h'"),
        ("c x\n\n-3 1 0", "line 3: expected 'h', a weight or a comment, found '-3'"),
        ("1.5 1 0", "line 1: expected 'h', a weight or a comment, found '1.5'"),
        ("hello", "found 'hello'"),
        ("h 1\xff 0", "found"),
        ("h --1 0", "found '--1'"),
        ("h 1-2 0", "found '1-2'"),
        ("h -0 0", "found '-0'"),
        ("h 2147483648 0", "line 1: expected variables from 1 to 2147483647, found '2147483648'"),
        ("h 99999999999999999999999999 0", "variables from 1 to 2147483647"),
        ("p wcnf 3\n", "line 1: expected 'p cnf VARIABLES CLAUSES' or 'p wcnf VARIABLES CLAUSES .TOP.', found 'p'"),
        ("p sat 3 4\n", "line 1: expected 'p cnf"),
        ("p wcnf 3 1 9 9\n9 1 0", "line 1: expected 'p cnf"),
        ("p wcnf 3 1 -9\n9 1 0", "line 1: expected 'p cnf"),
        ("p wcnf -3 1 9\n9 1 0", "line 1: expected 'p cnf"),
        ("p cnf 99999999999 1\n1 0", "line 1: expected variables from 1 to 2147483647"),
        ("p wcnf 3 1 9\nh 1 0", "line 2: expected a weight, found 'h'"),
        ("p wcnf 3 1 9\n-2 1 0", "line 2: expected a weight, found '-2'"),
        ("p wcnf 3 1 9\n9 4 0", "line 2: expected no variable beyond those of the p line, found '4'"),
        ("p wcnf 3 3 9\n9 1 0", "expected 3 clauses, as in its p line, found 1; is it complete?"),
        ("h 1 0\np wcnf 3 3 9", "line 2: expected 'h', a weight or a comment, found 'p'"),
        (f"{'9' * 5000} 1 0", "expected a weight of at most 4000 digits, found '99999.*…'"),
    ],
)
def test_invalid_file_is_an_error(tmp_path: Path, text: str, message: str) -> None:
    """The error names the file, the line, the expected token and the one found."""
    path = tmp_path / "f.wcnf"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(FormatError, match=f"f.wcnf.*{message}"):
        read_wcnf(path)


def test_other_comments_are_ignored(tmp_path: Path) -> None:
    """A comment that only resembles a variable name is neither an error nor a name."""
    path = tmp_path / "f"
    path.write_bytes(
        b"c var x y\nc var 99999999999 z\nc n_vars many\nc var 1 \\{ffffff} \\q\xff\r\ncvar 2 b\nc\nh 1 0\nc var 2 b\n"
    )
    formula = read_wcnf(path)
    assert formula.names == {1: "\\{ffffff} \\q\N{REPLACEMENT CHARACTER}", 2: "b"}
    assert formula.n_vars == 1


@given(st.binary(max_size=60) | st.text("h1-20 \nc%pw.", max_size=60).map(str.encode))
def test_any_bytes_are_a_formula_or_a_format_error(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    """Any file is rejected with a FormatError, or read as a formula that survives a round trip."""
    path = tmp_path_factory.mktemp("bytes") / "f"
    path.write_bytes(data)
    with suppress(FormatError):
        formula = read_wcnf(path)
        write_wcnf(formula, path)
        reread = read_wcnf(path)
        assert (reread.n_vars, reread.n_hard, reread.soft) == (formula.n_vars, formula.n_hard, formula.soft)
