"""Names, levels and labels come from untrusted data: in every output they remain text."""

import ast
import csv
import io
import json
import re
import sqlite3
import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from helpers.command_line import CommandResult, Puretree

from puretree import PureTreeClassifier
from puretree.bench.output.markup import to_markdown
from puretree.bench.result_table import ResultTable
from puretree.export import notebook

HOSTILE = {
    "script": "<script>alert(1)</script>",
    "image": '"><img src=x onerror=alert(1)>',
    "single quotes": "'><svg onload=alert(1)>",
    "ampersand": "a&b &lt;b&gt; &#60;i&#62;",
    "end of CDATA": "]]><b>",
    "comment": "--> <!-- x",
    "end of style": "</style></title></text></svg><iframe>",
    "quotes": 'it\'s "quoted" `so`',
    "SQL": 'x"; DROP TABLE rows; --',
    "SQL string": "x'; DROP TABLE rows; --",
    "Python": "'); __import__('os').abort() #",
    "Python docstring": '""" + __import__("os").abort() + """',
    "Python line": "x\n    __import__('os').abort()",
    "Python braces": "{body} {0} %s {n_nodes!r}",
    "backslash": "ends with \\",
    "backslashes": '\\" ]; evil [label="\\\\',
    "newline": "one\ntwo\r\nthree",
    "separators": "one\u2028two\u2029three\x85four\x0bfive\x0csix",
    "escape": "\x1b[31mred\x1b[0m\x1b]0;title\x07",
    "one-byte escape": "\x9b31mred",
    "right to left": "abc\u202edcba",
    "rich markup": "[red]x[/red] [link=http://x]y[/link] :smile:",
    "formula": "=1+1",
    "formula of a command": "=cmd|' /C calc'!A0",
    "Markdown": "| a | b |\n|---|---|\n![x](http://x/y.png) **b** `c` <i>",
    "mathematics": "$\\alpha$ $x",
    "tab": "a\tb",
    "empty": "",
    "spaces": "  ",
}

INTERPRETED = ("script", "newline", "separators", "escape", "one-byte escape", "right to left", "rich markup", "tab")
"""Texts that a terminal, or a library that prints to it, would interpret."""

each_hostile = pytest.mark.parametrize("hostile", HOSTILE.values(), ids=HOSTILE)
HARMLESS = "plain"


class Elements(HTMLParser):
    """The elements of a page as a browser parses it: tags, attribute names and values, and text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.values: list[str] = []
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Record an element."""
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attributes}
        self.values += [value or "" for _, value in attributes]

    def handle_data(self, data: str) -> None:
        """Record text."""
        self.text += data

    def handle_comment(self, data: str) -> None:
        """Fail: we write no comments."""
        pytest.fail(f"a comment: {data}")

    def handle_decl(self, decl: str) -> None:
        """Fail: we write no declarations."""
        pytest.fail(f"a declaration: {decl}")

    unknown_decl = handle_decl
    handle_pi = handle_decl


@cache
def fit_with_text(text: str) -> tuple[PureTreeClassifier, Any, list[str]]:
    """Fit a tree that splits on two columns; a text is part of both names, a level and a label."""
    pandas = pytest.importorskip("pandas")
    data = pandas.DataFrame({f"{text}1": [1, 2, 1, 2], f"{text}2": [text, text, "other", "third"]})
    labels = [text, "b", "c", "c"]
    return PureTreeClassifier(random_state=0).fit(data, labels), data, labels


@cache
def notebook_card(text: str, largest: int) -> Elements:
    """Return the notebook card of the tree: a drawing, or text if the tree has more than ``largest`` nodes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(notebook, "LARGEST_DRAWING", largest)
        return Elements(fit_with_text(text)[0]._repr_mimebundle_()["text/html"])


@each_hostile
def test_svg(hostile: str) -> None:
    """The elements and attributes are those of a harmless tree, and the split appears as text."""
    root = ElementTree.fromstring(str(fit_with_text(hostile)[0].export("svg")))
    harmless = ElementTree.fromstring(str(fit_with_text(HARMLESS)[0].export("svg")))
    assert {node.tag for node in root.iter()} == {node.tag for node in harmless.iter()}
    assert {name for node in root.iter() for name in node.attrib} == {
        name for node in harmless.iter() for name in node.attrib
    }
    assert not any("alert" in value for node in root.iter() for value in node.attrib.values())
    titles = [node.text or "" for node in root.iter() if node.tag.endswith("title")]
    if hostile.isprintable():
        assert any(f"{hostile}1" in title or f"{hostile}2" in title for title in titles)


@each_hostile
@pytest.mark.parametrize("largest", [0, 301])
def test_html(hostile: str, largest: int) -> None:
    """The same holds for a notebook card, with a drawing or, for large trees, with text."""
    page, harmless = notebook_card(hostile, largest), notebook_card(HARMLESS, largest)
    assert page.tags == harmless.tags
    assert page.attributes == harmless.attributes
    assert not any("alert" in value for value in page.values)
    if hostile.isprintable() and hostile.strip():
        assert hostile in page.text


def test_parameters_in_html() -> None:
    """Parameters may come from data, too: scikit-learn's HTML representation of an estimator escapes them."""
    model = PureTreeClassifier(root="<script>alert(1)</script>", forbidden=['"><img src=x onerror=alert(1)>'])
    page = Elements(model._repr_mimebundle_()["text/html"])
    harmless = Elements(PureTreeClassifier(root="a", forbidden=["b"])._repr_mimebundle_()["text/html"])
    assert page.tags == harmless.tags
    assert page.attributes == harmless.attributes


QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)


@each_hostile
def test_dot(hostile: str) -> None:
    """Apart from its quoted strings, the text equals that of a harmless tree, with as many lines."""
    text, harmless = str(fit_with_text(hostile)[0].export("dot")), str(fit_with_text(HARMLESS)[0].export("dot"))
    assert len(text.splitlines()) == len(harmless.splitlines())
    assert QUOTED.sub("", text) == QUOTED.sub("", harmless)


@each_hostile
def test_python(hostile: str) -> None:
    """The source has the syntax tree of a harmless tree, and predicts as the tree does."""
    model, data, labels = fit_with_text(hostile)
    source = str(model.export("python"))
    kinds = [type(node) for node in ast.walk(ast.parse(source))]
    assert kinds == [type(node) for node in ast.walk(ast.parse(str(fit_with_text(HARMLESS)[0].export("python"))))]
    assert len(source.splitlines()) == len(source.split("\n")) - source.endswith("\n")  # no other line breaks
    module: dict[str, object] = {}
    exec(compile(source, "<export>", "exec"), module)
    rows = [dict(row) for _, row in data.iterrows()]
    assert [module["predict"](row) for row in rows] == labels  # type: ignore[operator]


SQL_TEXT = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"", re.DOTALL)


@each_hostile
def test_sql(hostile: str) -> None:
    """Apart from texts and names, the SQL equals that of a harmless tree; SQLite predicts as the tree does."""
    model, data, labels = fit_with_text(hostile)
    statement = str(model.export("sql"))
    assert SQL_TEXT.sub("", statement) == SQL_TEXT.sub("", str(fit_with_text(HARMLESS)[0].export("sql")))
    names = ", ".join('"' + str(name).replace('"', '""') + '"' for name in data.columns)
    with sqlite3.connect(":memory:") as database:
        database.execute(f"CREATE TABLE rows ({names})")
        database.executemany("INSERT INTO rows VALUES (?, ?)", data.values.tolist())
        assert [label for (label,) in database.execute(f"SELECT {statement} FROM rows")] == labels


@each_hostile
@pytest.mark.parametrize("form", ["text", "rules"])
def test_text_and_rules(hostile: str, form: str) -> None:
    """There is one line per node or rule, of printable characters only."""

    def as_text(text: str) -> str:
        model = fit_with_text(text)[0]
        return str(model.export("text")) if form == "text" else "\n".join(map(str, model.rules()))

    assert len(as_text(hostile).splitlines()) == len(as_text(HARMLESS).splitlines())
    assert all(letter.isprintable() or letter == "\n" for letter in as_text(hostile))


@each_hostile
def test_json(hostile: str) -> None:
    """Names and labels are loaded as they were written."""
    loaded = json.loads(str(fit_with_text(hostile)[0].export("json")))
    assert f"{hostile}1" in {column["name"] for column in loaded["columns"]}
    assert hostile in loaded["classes"]


@pytest.mark.parametrize("kind", ["script", "newline", "mathematics", "empty"])
def test_png(kind: str) -> None:
    """A PNG is written, and no name is parsed as mathematics."""
    pytest.importorskip("matplotlib")
    assert bytes(fit_with_text(HOSTILE[kind])[0].export("png")).startswith(b"\x89PNG")  # type: ignore[arg-type]


CELL = re.compile(r"(?<!\\)\|")


@each_hostile
def test_markdown(hostile: str) -> None:
    """A table of results keeps its shape and contains no markup."""
    table = ResultTable("name", hostile, (hostile, "n"), ((hostile, 1),))
    *_, header, sides, row = to_markdown(table).splitlines()
    assert [len(CELL.findall(line)) for line in (header, sides, row)] == [3, 3, 3]
    assert "<" not in header + row
    assert not re.search(r"(?<!\\)[*_`\[\]]", header + row)


def write_csv(hostile: str, folder: Path) -> Path:
    """Write a table with hostile names as CSV."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow([f"{hostile}1", f"{hostile}2", "y"])
    writer.writerows([[1, hostile, hostile], [2, hostile, "b"], [1, "other", "c"], [2, "third", "c"]])
    path = folder / "hostile.csv"
    path.write_bytes(text.getvalue().encode())
    return path


def run_all_commands(puretree: Puretree, data: Path, folder: Path) -> Iterator[CommandResult]:
    """Run all commands that print names."""
    run = folder / "run"
    yield puretree("fit", data, "-t", "y", "--out", run, "--random-state", 0)
    for command in (
        ["show", run],
        ["show", run, "--rules"],
        ["show", run, "--json"],
        ["predict", run, data, "--proba"],
        ["predict", run, data, "--json"],
        ["explain", run, data, "--row", 0],
        ["trees", run, "--list", 2, "--features"],
        ["trees", run, "--features", "--json"],
        ["export", run, "--format", "sql"],
        ["export", run, "--format", "json"],
        ["fit", data, "-t", "y", "--json"],
    ):
        yield puretree(*command)


@pytest.mark.parametrize("kind", INTERPRETED)
def test_terminal(kind: str, puretree: Puretree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands print only printable characters to a terminal."""
    data = write_csv(HOSTILE[kind], tmp_path)
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda self: True, raising=False)
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("NO_COLOR", "1")
    for ended in run_all_commands(puretree, data, tmp_path):
        assert ended.code == 0, ended.err
        assert all(letter.isprintable() or letter == "\n" for letter in ended.out + ended.err)


@pytest.mark.parametrize("kind", INTERPRETED)
def test_errors(kind: str, puretree: Puretree, tmp_path: Path) -> None:
    """Error messages that name a column or a value contain only printable characters."""
    data = write_csv("plain", tmp_path)
    ended = puretree("fit", data, "-t", "y", "--root", f"x{HOSTILE[kind]}")
    assert ended.code == 2
    assert all(letter.isprintable() or letter == "\n" for letter in ended.err)
