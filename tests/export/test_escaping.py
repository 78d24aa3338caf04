"""Names, levels and labels come from data that anybody may have written: in every output they stay text."""

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
from helpers.command_line import Ended, Puretree

from puretree import PureTreeClassifier
from puretree.bench.output.markup import to_markdown
from puretree.bench.result_table import ResultTable
from puretree.export import notebook

NASTY = {
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

OBEYED = ("script", "newline", "separators", "escape", "one-byte escape", "right to left", "rich markup", "tab")
"""What a terminal obeys, or a library that prints on it."""

each_nasty = pytest.mark.parametrize("nasty", NASTY.values(), ids=NASTY)
TAME = "plain"


class Elements(HTMLParser):
    """What a browser would make of a page: elements, the names of their attributes, and the text between them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.values: list[str] = []
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attributes}
        self.values += [value or "" for _, value in attributes]

    def handle_data(self, data: str) -> None:
        """Note text."""
        self.text += data

    def handle_comment(self, data: str) -> None:
        """Refuse comments: we write none."""
        pytest.fail(f"a comment: {data}")

    def handle_decl(self, decl: str) -> None:
        """Refuse declarations."""
        pytest.fail(f"a declaration: {decl}")

    unknown_decl = handle_decl
    handle_pi = handle_decl


@cache
def frame(text: str) -> tuple[PureTreeClassifier, Any, list[str]]:
    """Fit a tree in which a text is the name of two columns, a level and a label; it asks about both columns."""
    pandas = pytest.importorskip("pandas")
    data = pandas.DataFrame({f"{text}1": [1, 2, 1, 2], f"{text}2": [text, text, "other", "third"]})
    labels = [text, "b", "c", "c"]
    return PureTreeClassifier(random_state=0).fit(data, labels), data, labels


@cache
def card(text: str, largest: int) -> Elements:
    """Return what a notebook shows of the tree: a drawing, or letters if it is larger than this."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(notebook, "LARGEST_DRAWING", largest)
        return Elements(frame(text)[0]._repr_mimebundle_()["text/html"])


@each_nasty
def test_svg(nasty: str) -> None:
    """The elements and attributes are those of a tame tree; the question is there, as text."""
    root = ElementTree.fromstring(str(frame(nasty)[0].export("svg")))
    tame = ElementTree.fromstring(str(frame(TAME)[0].export("svg")))
    assert {node.tag for node in root.iter()} == {node.tag for node in tame.iter()}
    assert {name for node in root.iter() for name in node.attrib} == {
        name for node in tame.iter() for name in node.attrib
    }
    assert not any("alert" in value for node in root.iter() for value in node.attrib.values())
    titles = [node.text or "" for node in root.iter() if node.tag.endswith("title")]
    if nasty.isprintable():
        assert any(f"{nasty}1" in title or f"{nasty}2" in title for title in titles)


@each_nasty
@pytest.mark.parametrize("largest", [0, 301])
def test_html(nasty: str, largest: int) -> None:
    """Likewise for a notebook's card, with a drawing or, of large trees, with letters."""
    page, tame = card(nasty, largest), card(TAME, largest)
    assert page.tags == tame.tags
    assert page.attributes == tame.attributes
    assert not any("alert" in value for value in page.values)
    if nasty.isprintable() and nasty.strip():
        assert nasty in page.text


def test_options_in_html() -> None:
    """What was asked for may come from data as well: scikit-learn's own card of an estimator escapes it."""
    model = PureTreeClassifier(root="<script>alert(1)</script>", forbidden=['"><img src=x onerror=alert(1)>'])
    page = Elements(model._repr_mimebundle_()["text/html"])
    tame = Elements(PureTreeClassifier(root="a", forbidden=["b"])._repr_mimebundle_()["text/html"])
    assert page.tags == tame.tags
    assert page.attributes == tame.attributes


QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)


@each_nasty
def test_dot(nasty: str) -> None:
    """Without its quoted strings the text is that of a tame tree, on as many lines."""
    text, tame = str(frame(nasty)[0].export("dot")), str(frame(TAME)[0].export("dot"))
    assert len(text.splitlines()) == len(tame.splitlines())
    assert QUOTED.sub("", text) == QUOTED.sub("", tame)


@each_nasty
def test_python(nasty: str) -> None:
    """The source has the statements of a tame tree, and answers as the tree does."""
    model, data, labels = frame(nasty)
    source = str(model.export("python"))
    kinds = [type(node) for node in ast.walk(ast.parse(source))]
    assert kinds == [type(node) for node in ast.walk(ast.parse(str(frame(TAME)[0].export("python"))))]
    assert len(source.splitlines()) == len(source.split("\n")) - source.endswith("\n")  # no other line breaks
    module: dict[str, object] = {}
    exec(compile(source, "<export>", "exec"), module)
    rows = [dict(row) for _, row in data.iterrows()]
    assert [module["predict"](row) for row in rows] == labels  # type: ignore[operator]


SQL_TEXT = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"", re.DOTALL)


@each_nasty
def test_sql(nasty: str) -> None:
    """Without its texts and names the statement is that of a tame tree; a database answers as the tree does."""
    model, data, labels = frame(nasty)
    statement = str(model.export("sql"))
    assert SQL_TEXT.sub("", statement) == SQL_TEXT.sub("", str(frame(TAME)[0].export("sql")))
    names = ", ".join('"' + str(name).replace('"', '""') + '"' for name in data.columns)
    with sqlite3.connect(":memory:") as database:
        database.execute(f"CREATE TABLE rows ({names})")
        database.executemany("INSERT INTO rows VALUES (?, ?)", data.values.tolist())
        assert [label for (label,) in database.execute(f"SELECT {statement} FROM rows")] == labels


@each_nasty
@pytest.mark.parametrize("what", ["text", "rules"])
def test_words(nasty: str, what: str) -> None:
    """A line for each node or rule, of letters that a terminal prints and does not obey."""

    def told(text: str) -> str:
        model = frame(text)[0]
        return str(model.export("text")) if what == "text" else "\n".join(map(str, model.rules()))

    assert len(told(nasty).splitlines()) == len(told(TAME).splitlines())
    assert all(letter.isprintable() or letter == "\n" for letter in told(nasty))


@each_nasty
def test_json(nasty: str) -> None:
    """What is read back is what was written."""
    told = json.loads(str(frame(nasty)[0].export("json")))
    assert f"{nasty}1" in {column["name"] for column in told["columns"]}
    assert nasty in told["classes"]


@pytest.mark.parametrize("kind", ["script", "newline", "mathematics", "empty"])
def test_png(kind: str) -> None:
    """A picture is made, and no name is taken for mathematics."""
    pytest.importorskip("matplotlib")
    assert bytes(frame(NASTY[kind])[0].export("png")).startswith(b"\x89PNG")  # type: ignore[arg-type]


CELL = re.compile(r"(?<!\\)\|")


@each_nasty
def test_markdown(nasty: str) -> None:
    """A table of results keeps its shape, and holds no markup."""
    table = ResultTable("name", nasty, (nasty, "n"), ((nasty, 1),))
    *_, header, sides, row = to_markdown(table).splitlines()
    assert [len(CELL.findall(line)) for line in (header, sides, row)] == [3, 3, 3]
    assert "<" not in header + row
    assert not re.search(r"(?<!\\)[*_`\[\]]", header + row)


def written(nasty: str, folder: Path) -> Path:
    """Write a table with nasty names as CSV."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow([f"{nasty}1", f"{nasty}2", "y"])
    writer.writerows([[1, nasty, nasty], [2, nasty, "b"], [1, "other", "c"], [2, "third", "c"]])
    path = folder / "nasty.csv"
    path.write_bytes(text.getvalue().encode())
    return path


def every_command(puretree: Puretree, data: Path, folder: Path) -> Iterator[Ended]:
    """Run all commands that tell names."""
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


@pytest.mark.parametrize("kind", OBEYED)
def test_terminal(kind: str, puretree: Puretree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal nothing is printed that it would obey, and markup is shown as it is."""
    data = written(NASTY[kind], tmp_path)
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda self: True, raising=False)
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("NO_COLOR", "1")
    for ended in every_command(puretree, data, tmp_path):
        assert ended.code == 0, ended.err
        assert all(letter.isprintable() or letter == "\n" for letter in ended.out + ended.err)


@pytest.mark.parametrize("kind", OBEYED)
def test_errors(kind: str, puretree: Puretree, tmp_path: Path) -> None:
    """A message that names a column or a value is told in letters that a terminal prints."""
    data = written("plain", tmp_path)
    ended = puretree("fit", data, "-t", "y", "--root", f"x{NASTY[kind]}")
    assert ended.code == 2
    assert all(letter.isprintable() or letter == "\n" for letter in ended.err)
