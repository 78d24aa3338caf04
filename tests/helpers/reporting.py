"""Runs and pages as the tests of reports need them."""

from html.parser import HTMLParser
from pathlib import Path

from puretree.cli.fit import _record
from puretree.cli.inputs import Given, read_data
from puretree.pipeline import choose_tree
from puretree.runs import Run


def fit_run(data: Path | str, target: str | None, **parameters: object) -> tuple[Run, Given]:
    """Fit a table as ``puretree fit`` does."""
    given = read_data(str(data), target)
    return fit_given(given, **parameters), given


def fit_given(given: Given, **parameters: object) -> Run:
    """Fit a table that was read."""
    asked = {"binarize": "thresholds", "on_conflict": "raise", "selection": "consensus", "random_state": 0}
    asked |= {"time_limit": None, **parameters}
    return _record(given, choose_tree(given.dataset.table, given.dataset.target, **asked), asked)


class Page(HTMLParser):
    """The tags of a page, those never closed, and the text of tables and of everything."""

    VOID = ("meta", "wbr")

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.open: list[str] = []
        self.text = ""
        self.tables: dict[str, list[list[str]]] = {}
        self._caption = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag, and a new line or cell of a table."""
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag == "tr":
            self.tables[self._caption].append([])
        if tag in ("th", "td"):
            self.tables[self._caption][-1].append("")
        if tag == "caption":
            self._caption = ""
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Close what was opened last, and nothing else."""
        assert self.open.pop() == tag
        if tag == "caption":
            self.tables[self._caption] = []

    def handle_data(self, data: str) -> None:
        """Note text, and where it stands."""
        if "style" in self.open:
            return
        self.text += data
        if self.open and self.open[-1] == "caption":
            self._caption += data
        if self.open and self.open[-1] in ("th", "td"):
            self.tables[self._caption][-1][-1] += data
