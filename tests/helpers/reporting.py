"""Runs and parsed pages for the tests of reports."""

from html.parser import HTMLParser
from pathlib import Path

from puretree.cli.inputs import InputData, read_data
from puretree.datasets import Dataset
from puretree.pipeline import choose_optimal_tree, choose_tree
from puretree.runs import Run


def fit_run(source: Path | str, target: str | None, **parameters: object) -> tuple[Run, Dataset]:
    """Fit a data set as ``puretree fit`` does; return the run and the data set."""
    data = read_data(str(source), target)
    return fit_data(data, **parameters), data.dataset


def fit_data(data: InputData, **parameters: object) -> Run:
    """Fit a data set that was already read."""
    options = {"binarize": "thresholds", "on_conflict": "raise", "selection": "consensus", "random_state": 0}
    options |= {"time_limit": None, **parameters}
    result = choose_tree(data.dataset.table, data.dataset.target, **options)
    return Run.from_fit(result, options, data.record, data.dataset.table.total_weight)


def fit_with_errors(source: Path | str, target: str | None, **parameters: object) -> tuple[Run, Dataset]:
    """Fit a data set as ``puretree fit --alpha cv`` does; return the run and the data set."""
    data = read_data(str(source), target)
    options = {"alpha": "cv", "rule": "best", "binarize": "thresholds", "random_state": 0, **parameters}
    result = choose_optimal_tree(data.dataset.table, data.dataset.target, **options)
    return Run.from_fit(result, options, data.record, data.dataset.table.total_weight), data.dataset


class Page(HTMLParser):
    """A parsed page: its tags and attributes, the tags that are still open, its text, and its tables by caption."""

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
        """Record a tag, and start a row or cell of a table."""
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
        """Close the tag that was opened last; fail for any other."""
        assert self.open.pop() == tag
        if tag == "caption":
            self.tables[self._caption] = []

    def handle_data(self, data: str) -> None:
        """Append text to the page and to the current caption or cell."""
        if "style" in self.open:
            return
        self.text += data
        if self.open and self.open[-1] == "caption":
            self._caption += data
        if self.open and self.open[-1] in ("th", "td"):
            self.tables[self._caption][-1][-1] += data
