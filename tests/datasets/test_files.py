"""Reading tables from files."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pandas._libs.parsers import STR_NA_VALUES

from puretree.datasets.files import find_folder, load_file, read_csv, read_manifest
from puretree.errors import DataNotFoundError, FormatError, InputError, MissingValuesWarning, MixedColumnWarning


def write(folder: Path, text: str | bytes, name: str = "table.csv") -> Path:
    """Write a file and return its path."""
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_numeric_columns_and_missing_values(tmp_path: Path) -> None:
    """A column is numeric if every value is a number; an empty cell is a missing value."""
    path = write(tmp_path, "age,colour,mixed,class\n30,red,1,yes\n,blue,x,no\n40.5,,2,yes\n")
    dataset = read_csv(path)
    assert [column.kind for column in dataset.table] == ["number", "category", "category"]
    np.testing.assert_array_equal(dataset.table.columns[0].values, [30, np.nan, 40.5])
    assert dataset.table.to_dict()["colour"].tolist() == ["red", "blue", None]
    assert dataset.target.tolist() == ["yes", "no", "yes"]
    assert dataset.name == "table"


def test_a_column_of_numbers_with_a_few_names_warns(tmp_path: Path) -> None:
    """A mostly numeric column with one name is read as categories, with a warning; codes and mixtures do not warn."""
    rows = [f"{number},0{number},{number if number % 2 else 'x'},yes\n" for number in range(20)]
    rows[7] = "unknown,007,1,no\n"
    path = write(tmp_path, "income,code,mixed,class\n" + "".join(rows))
    with pytest.warns(
        MixedColumnWarning, match=r"'income' is .* 1 of 20 values are not numbers, the first 'unknown' in line 9"
    ):
        dataset = read_csv(path)
    assert [column.kind for column in dataset.table] == ["category", "category", "category"]


def test_the_usual_spellings_are_missing_values(tmp_path: Path) -> None:
    """Every spelling of pandas and "?" is a missing value, in columns of numbers and of names; one warning names it."""
    spellings = sorted({*STR_NA_VALUES, "?"})
    rows = [f"{number},red,yes\n" for number in range(8)] + [f"{text},{text},no\n" for text in spellings]
    path = write(tmp_path, "n,colour,class\n" + "".join(rows))
    with pytest.warns(MissingValuesWarning) as caught:
        dataset = read_csv(path)
    message = str(caught[0].message)
    assert len(caught) == 1
    assert "table.csv: cells read as missing values in 'n', 'colour': " in message
    assert all(f"{text!r} (2)" in message for text in spellings if text)
    assert message.endswith("; pass missing_values=() to read them as text, or a list of other spellings")
    assert set(dataset.missing_values) == {*spellings} - {""}
    n, colour = dataset.table
    assert (n.kind, colour.kind, colour.levels) == ("number", "category", ("red",))
    assert n.values[:8].tolist() == list(range(8))
    assert np.isnan(n.values[8:]).all()
    assert np.isnan(colour.values[8:]).all()
    pandas = pd.read_csv(path, na_values=["?"])
    np.testing.assert_array_equal(pandas["n"], n.values)
    assert dataset.take(np.arange(2)).missing_values == dataset.missing_values


def test_the_spellings_of_missing_values_can_be_chosen(tmp_path: Path) -> None:
    """Other spellings replace the usual ones; with an empty list only empty cells are missing."""
    path = write(tmp_path, "n,colour,class\n1,NA,x\n-9,?,y\n,red,y\n")
    chosen = read_csv(path, missing_values=["-9", "?"])
    np.testing.assert_array_equal(chosen.table.columns[0].values, [1, np.nan, np.nan])
    assert chosen.table.to_dict()["colour"].tolist() == ["NA", None, "red"]
    assert chosen.missing_values == ("-9", "?")
    empty = read_csv(path, missing_values=())
    assert empty.table.columns[1].levels == ("?", "NA", "red")
    assert empty.table.columns[0].values[1] == -9
    with pytest.raises(InputError, match="missing_values='NA' is a string; pass a list"):
        read_csv(path, missing_values="NA")


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("a,class\n1,x\n2,NA\n", r"line 3: the label 'NA' in column 'class' is read as a missing value"),
        ("a,class\n1,x\n2,\n", "line 3: no label in column 'class'; remove the row"),
    ],
)
def test_a_missing_label_is_an_error(tmp_path: Path, text: str, match: str) -> None:
    """A missing label, empty or spelled, is an error that names the line; without spellings NA is a label."""
    path = write(tmp_path, text)
    with pytest.raises(InputError, match=match):
        read_csv(path)
    assert read_csv(write(tmp_path, "a,class\n1,x\n2,NA\n"), missing_values=()).target.tolist() == ["x", "NA"]


@pytest.mark.parametrize(
    "cells",
    [
        ("0.1234567890123456789", "0.12345678901234567891"),
        ("1e-400", "0"),
        ("1e-99999999999999999999", "0"),
        ("1", "1." + 20 * "0" + "1"),
    ],
)
def test_different_numbers_do_not_become_equal(tmp_path: Path, cells: tuple[str, str]) -> None:
    """Numbers that are equal in double precision only are an error with column and lines."""
    path = write(tmp_path, f"a,class\n{cells[0]},x\n\n{cells[1]},y\n")
    for numbers in (None, {"a"}):
        with pytest.raises(
            InputError, match=rf"column 'a': '{cells[0]}' in line 2 and '{cells[1]}' in line 4 are diff"
        ):
            read_csv(path, numbers=numbers)


def test_numbers_with_many_digits_are_numbers(tmp_path: Path) -> None:
    """More digits than a float has are accepted if different numbers stay different."""
    path = write(tmp_path, "a,class\n0.1000000000000000055511151231257827,x\n0.2,y\n1e0,y\n1.0000000000000000,y\n,y\n")
    np.testing.assert_array_equal(read_csv(path).table.columns[0].values, [0.1, 0.2, 1, 1, np.nan])


def test_numeric_columns_can_be_specified(tmp_path: Path) -> None:
    """If ``numbers`` is given, every other column is categorical."""
    path = write(tmp_path, "a,b,class\n1,1,x\n2,2,y\n")
    assert [column.kind for column in read_csv(path, numbers={"b"}).table] == ["category", "number"]


def test_any_column_can_be_the_target(tmp_path: Path) -> None:
    """The label need not be called class, nor be last; quotes, a BOM and blank lines are handled."""
    path = write(tmp_path, '\ufeff"sick",age\n"yes, very",3\n\nno,4\n')
    dataset = read_csv(path, target="sick")
    assert dataset.target.tolist() == ["yes, very", "no"]
    assert dataset.table.names == ("age",)


@pytest.mark.parametrize(
    ("text", "error", "match"),
    [
        ("", InputError, "no rows"),
        ("a,class\n", InputError, "no rows"),
        ("a,b\n1,2\n", InputError, "no column 'class'; its columns are a, b"),
        ("a,class\n1,x\n1,2,3\n", FormatError, "line 3: 3 values, but the header has 2"),
        ("a;class\n1,5;x\n", FormatError, "line 2: 2 values, .*; .* seems to be separated by ';'; save it with commas"),
        ("a,class\n1,\n", InputError, "line 2: no label"),
        ("a,a,class\n1,2,x\n", InputError, "columns with the same name: a"),
        ("class\nx\n", InputError, "no column other than the label"),
        (b"a,class\n\xff\xfe,x\n", FormatError, "not UTF-8"),
        ('a,class\n"1,x\n', FormatError, "not a CSV file"),
    ],
)
def test_errors_in_files_are_located(tmp_path: Path, text: str | bytes, error: type, match: str) -> None:
    """Each defect is named with its line or column."""
    with pytest.raises(error, match=match):
        read_csv(write(tmp_path, text))


def test_a_column_declared_a_number_must_be_one(tmp_path: Path) -> None:
    """A name in a numeric column is an error that names the column."""
    with pytest.raises(InputError, match=r"column 'a'.*'x'"):
        read_csv(write(tmp_path, "a,class\nx,1\n"), numbers={"a"})


def test_a_specified_numeric_column_must_exist(tmp_path: Path) -> None:
    """An unknown column in ``numbers`` is an error."""
    with pytest.raises(InputError, match=r"numbers='A': .* has no such column"):
        read_csv(write(tmp_path, "a,class\n1,x\n"), numbers={"A"})


def test_codes_are_not_numbers(tmp_path: Path) -> None:
    """Values with leading zeros and integers beyond 2**53 are names, so that different codes stay different."""
    path = write(tmp_path, "zip,id,class\n00123,9007199254740993,x\n01234,9007199254740992,y\n")
    table = read_csv(path).table
    assert [column.kind for column in table] == ["category", "category"]
    assert table.to_dict()["id"].tolist() == ["9007199254740993", "9007199254740992"]


def test_line_numbers_are_those_of_the_file(tmp_path: Path) -> None:
    """Blank lines and line breaks in quotes are counted."""
    with pytest.raises(FormatError, match="line 5: 1 value"):
        read_csv(write(tmp_path, 'a,class\n\n"x\ny",1\nz\n'))


def test_no_file(tmp_path: Path) -> None:
    """A missing file is reported."""
    with pytest.raises(DataNotFoundError, match="there is no file"):
        read_csv(tmp_path / "none.csv")


def make_folder(tmp_path: Path) -> Path:
    """Make a folder of data sets with one data set."""
    write(
        tmp_path,
        "name,paper_name,continuous_columns,paper_counts\ntiny,tin,b,3/4/2/3\n",
        "MANIFEST.csv",
    )
    write(tmp_path, "a,b,class\n?,1.5,p\nNA,2.5,q\n,3,q\n", "tiny.csv")
    return tmp_path


def test_a_folder_of_data_sets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder is found by argument or by PURETREE_DATA, and its manifest determines the numeric columns."""
    folder = make_folder(tmp_path)
    monkeypatch.setenv("PURETREE_DATA", str(folder))
    assert find_folder() == find_folder(folder) == folder
    entry = read_manifest(folder)["tiny"]
    assert (entry.paper_name, entry.continuous, entry.paper_counts) == ("tin", {"b"}, (3, 4, 2, 3))
    tiny = load_file("tiny", folder)
    assert [column.kind for column in tiny.table] == ["category", "number"]
    assert tiny.table.columns[0].levels == ("?", "NA")  # as the paper reads them
    assert tiny.missing_values == ()


def test_invalid_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No folder, a wrong folder and an unknown name have different messages."""
    monkeypatch.delenv("PURETREE_DATA", raising=False)
    with pytest.raises(DataNotFoundError, match="set PURETREE_DATA"):
        find_folder()
    with pytest.raises(DataNotFoundError, match="no MANIFEST"):
        find_folder(tmp_path)
    with pytest.raises(DataNotFoundError, match="there is no folder"):
        find_folder(tmp_path / "nope")
    monkeypatch.setenv("PURETREE_DATA", str(tmp_path / "nope"))
    with pytest.raises(DataNotFoundError, match=r"nope \(from PURETREE_DATA\)"):
        find_folder()
    with pytest.raises(DataNotFoundError, match="no data set 'huge'; it has tiny"):
        load_file("huge", make_folder(tmp_path))


@pytest.mark.parametrize(
    "text",
    [
        "name,paper_name\nx,y\n",
        "name,paper_name,continuous_columns,paper_counts\nx,y,,a/b\n",
        "name,paper_name,continuous_columns,paper_counts\nx,y\n",
    ],
)
def test_an_invalid_manifest_is_rejected(tmp_path: Path, text: str) -> None:
    """A manifest with missing columns or invalid numbers raises FormatError."""
    write(tmp_path, text, "MANIFEST.csv")
    with pytest.raises(FormatError, match="not a manifest"):
        read_manifest(tmp_path)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("a;b;class\n1;2;x\n", "separated by ';'; save it with commas"),
        ("a,b,Class\n1,2,x\n", r"no column 'class' \(did you mean 'Class'\?\)"),
        ('a,class\n1,x\n"2,y\n', "line 3: this is not a CSV file.*look for an unclosed double quote"),
        ('a,class\n"' + 140_000 * "x", "line 2: .*field larger than field limit.*look for an unclosed double quote"),
        ("a,class\n1,x\n2\n", "line 3: 1 value, but the header has 2 columns; add or remove commas"),
    ],
)
def test_likely_mistakes_have_a_remedy(tmp_path: Path, text: str, match: str) -> None:
    """Other separators, a name in other case and an unclosed quote are reported with a remedy."""
    with pytest.raises((InputError, FormatError), match=match):
        read_csv(write(tmp_path, text))


@pytest.mark.parametrize("cell", ["inf", "-Infinity", "1e400"])
def test_an_infinite_number_is_rejected(tmp_path: Path, cell: str) -> None:
    """An infinite value in a numeric column is an error; it would silently make the column categorical."""
    with pytest.raises(InputError, match=f"line 4, column 'a': '{cell}' is infinite"):
        read_csv(write(tmp_path, f"a,class\n1,x\n,x\n{cell},y\ninf,y\n"))


@pytest.mark.parametrize("cells", [("inf", "sup"), ("inf", ""), ("inf", "1_0"), ("inf", "007"), ("inf", "2", "x")])
def test_inf_among_names_is_a_name(tmp_path: Path, cells: tuple[str, ...]) -> None:
    """Inf is a number only among numbers; a label may have any name."""
    dataset = read_csv(write(tmp_path, "a,class\n" + "".join(f"{cell},inf\n" for cell in cells)))
    assert dataset.table.to_dict()["a"].tolist() == [cell or None for cell in cells]


def test_a_folder_is_not_a_file(tmp_path: Path) -> None:
    """Passing a folder is reported as such."""
    with pytest.raises(InputError, match="is a folder; pass a CSV file"):
        read_csv(tmp_path)


def test_a_name_among_numbers_is_reported_with_its_line(tmp_path: Path) -> None:
    """The error names the line of the file."""
    with pytest.raises(InputError, match=r"line 4, column 'a': 'x' is not a number"):
        read_csv(write(tmp_path, "a,class\n1,1\n\nx,1\n"), numbers={"a"})
