"""``python -m puretree.datasets``: list the data sets, or print the paper's data table."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from ..errors import PuretreeError
from . import names
from .files import find_folder
from .paper import Comparison, table2

HEADER = f"{'data set':20} {'binary':>7} {'one-hot':>8} {'labels':>7} {'rows':>6} {'train':>6} {'sel':>5} {'test':>5}"


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; 0 if all went well and all numbers match, 1 if some do not, 2 on bad input."""
    parser = argparse.ArgumentParser(prog="python -m puretree.datasets", description=__doc__)
    parser.add_argument("command", choices=["list", "table2"])
    parser.add_argument("--data", type=Path, help="folder of data sets (default: $PURETREE_DATA)")
    parser.add_argument("--paper", type=Path, help="LaTeX source of the paper, to compare all seven numbers")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args(arguments)
    try:
        if options.command == "list":
            known = names(folder=options.data)
            print(json.dumps(known) if options.json else "\n".join(known))
            return 0
        return _print_table2(find_folder(options.data), options.paper, as_json=options.json)
    except (PuretreeError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def _print_table2(folder: Path, paper_source: Path | None, *, as_json: bool) -> int:
    comparisons: list[Comparison] = []
    for comparison in table2(folder, paper_source):
        if not as_json and not comparisons:
            print(HEADER)
        if not as_json:
            print(_line(comparison), flush=True)
        comparisons.append(comparison)
    n_matching = sum(comparison.matches for comparison in comparisons)
    if as_json:
        print(json.dumps([asdict(item) | {"matches": item.matches} for item in comparisons], indent=1))
    else:
        n_compared = sum(len(comparison.paper) for comparison in comparisons)
        source = f"in {paper_source}" if paper_source else f"as copied in {folder / 'MANIFEST.csv'}"
        print(
            f"{n_matching} of {len(comparisons)} data sets match the paper's table {source} ({n_compared} numbers "
            "compared).\nAs there, columns count the class column, and rows are those left after contradictions."
        )
    return 0 if n_matching == len(comparisons) else 1


def _line(comparison: Comparison) -> str:
    widths = (7, 8, 7, 6, 6, 5, 5)
    numbers = zip(asdict(comparison.ours).values(), widths, strict=True)
    verdict = "" if comparison.matches else f"   paper: {comparison.paper}"
    return f"{comparison.name:20} {' '.join(f'{n:>{width}}' for n, width in numbers)}{verdict}"


if __name__ == "__main__":
    sys.exit(main())
