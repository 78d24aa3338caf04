"""Hypothesis strategies: raw cells and tables, trees, 0/1 matrices, weighted formulas."""

from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from puretree import Tree
from puretree.binarize import BINARIZERS, Binarizer
from puretree.export.check import used_columns
from puretree.formula import Soft, Wcnf, as_block
from puretree.table import Table, read_table

moderate_floats = st.floats(-1e9, 1e9, allow_nan=False, width=64)
all_floats = st.floats(allow_nan=False, allow_infinity=False, width=64)
names = st.text(min_size=1, max_size=8)


def or_missing(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return a strategy for values of which some are missing."""
    return values | st.none()


cell_strategies = [
    or_missing(moderate_floats),
    or_missing(st.integers(-5, 5)),
    or_missing(st.text(max_size=3)),
    or_missing(st.booleans()),
]


@st.composite
def rows_of(draw: st.DrawFn, kinds: list[st.SearchStrategy[Any]]) -> list[list[Any]]:
    """Draw rows with one cell strategy per column."""
    return draw(st.lists(st.tuples(*kinds).map(list), min_size=1, max_size=20))


def tables(max_columns: int = 4) -> st.SearchStrategy[list[list[Any]]]:
    """Return a strategy for rows of cells; every column has one type."""
    kinds = st.lists(st.sampled_from(cell_strategies), min_size=1, max_size=max_columns)
    return kinds.flatmap(rows_of)


@st.composite
def pairs_of_tables(draw: st.DrawFn) -> tuple[list[list[Any]], list[list[Any]]]:
    """Draw two tables with the same column types; in the first, no column is all missing."""
    types = draw(st.lists(st.integers(0, 3), min_size=1, max_size=4))
    examples: list[Any] = [0.5, 1, "a", True]
    kinds = [cell_strategies[i] for i in types]
    first_row = [examples[i] for i in types]
    return [first_row, *draw(rows_of(kinds))], draw(rows_of(kinds))


def quick_binarizer(name: str, **options: Any) -> Binarizer:
    """Return a binariser by name that is fitted in milliseconds, so that a test can fit hundreds."""
    return BINARIZERS[name](**options | ({"n_estimators": 3, "guess_above": 0} if name == "guessed" else {}))


def fitted_binarizer(name: str, rows: Any, **options: Any) -> Binarizer:
    """Return a binariser fitted to some rows; where it needs labels, to those of a fixed pattern."""
    return quick_binarizer(name, **options).fit(rows, [i // 2 % 2 for i in range(len(rows))])


def nested_trees(n_features: int, labels: list[Any]) -> st.SearchStrategy[Any]:
    """Return a strategy for trees as nested triples (feature, no, yes) with labels as leaves."""
    return st.recursive(
        st.sampled_from(labels),
        lambda children: st.tuples(st.integers(0, n_features - 1), children, children),
        max_leaves=12,
    )


hard_names = st.sampled_from(
    [
        "<script>alert(1)</script>",
        'it\'s "quoted"',
        "two\nlines",
        "*/ -- ; DROP",
        "]]> &amp; $x$",
        "\\N \\",
        "🐸 {0}",
        "#",
    ]
)


@st.composite
def readable_trees(draw: st.DrawFn) -> tuple[Any, list[list[Any]], list[list[Any]]]:
    """Draw a tree with predicates on a table with names that need escaping, the table, and one with unseen levels."""
    rows, others = draw(pairs_of_tables())
    binarizer = fitted_binarizer(draw(st.sampled_from(sorted(BINARIZERS))), rows)
    labels = draw(st.sampled_from([[0, 1, 2], [False, True], ["a'b", 'c"d', "<e>"]]))
    nested = draw(nested_trees(len(binarizer.features_), labels)) if binarizer.features_ else labels[0]
    names = draw(st.lists(hard_names, min_size=len(rows[0]), max_size=len(rows[0]), unique=True))
    features = [
        replace(feature, column=replace(feature.column, name=names[feature.column.index]))
        for feature in binarizer.features_
    ]
    tree = Tree.from_nested(nested, labels).with_predicates(features, len(names))
    codes = tree.predict_codes(rows) if draw(st.booleans()) else None
    return (tree if codes is None else tree.with_counts(rows, codes)), rows, others


def named_table(tree: Tree, rows: list[list[Any]]) -> Table:
    """Return rows as a table with the column names of the tree."""
    table = read_table(rows)
    names = {column.index: column.name for column in used_columns(tree)}
    columns = tuple(replace(column, name=names.get(i, f"untested {i}")) for i, column in enumerate(table.columns))
    return Table(columns, table.n_rows)


def bit_matrices(max_side: int = 150) -> st.SearchStrategy[Any]:
    """Return a strategy for matrices of booleans."""
    shapes = st.tuples(st.integers(1, max_side), st.integers(0, max_side))
    return hnp.arrays(np.bool_, shapes)


@st.composite
def weighted_formulas(draw: st.DrawFn, max_vars: int = 6, max_weight: int = 9) -> Wcnf:
    """Draw a small weighted formula, satisfiable or not."""
    n_vars = draw(st.integers(1, max_vars))
    literal = st.integers(1, n_vars).flatmap(lambda var: st.sampled_from([var, -var]))
    clause = st.lists(literal, min_size=1, max_size=3) | st.just([])  # an empty clause cannot be satisfied
    hard = draw(st.lists(st.lists(literal, min_size=1, max_size=3), max_size=8) | st.lists(clause, max_size=8))
    soft = draw(st.lists(st.tuples(st.integers(0, max_weight), clause), max_size=6))
    formula = Wcnf(n_vars, soft=[Soft(weight, tuple(literals)) for weight, literals in soft])
    formula.add(as_block(hard))
    return formula


@st.composite
def weighted_tables(draw: st.DrawFn) -> tuple[list[list[int]], list[int], dict[str, Any]]:
    """Draw rows of small numbers with labels, equal and contradictory rows among them, and parameters about costs."""
    n_columns, n_classes = draw(st.integers(1, 3)), draw(st.integers(1, 4))
    cells = st.lists(st.integers(0, 3), min_size=n_columns, max_size=n_columns)
    rows = draw(st.lists(cells, min_size=n_classes, max_size=12))
    labels = draw(st.lists(st.integers(0, n_classes - 1), min_size=len(rows), max_size=len(rows)))
    labels[:n_classes] = range(n_classes)
    weights = st.sampled_from([0.0, 0.1, 0.25, 1 / 3, 1.0, 2.0, 7.0])
    of_rows = st.lists(weights, min_size=len(rows), max_size=len(rows)).filter(any)
    of_classes = st.dictionaries(st.integers(0, n_classes - 1), weights.filter(bool))
    matrices = hnp.arrays(np.float64, (n_classes, n_classes), elements=weights).filter(np.any)
    options = {
        "sample_weight": draw(st.none() | of_rows),
        "class_weight": draw(st.none() | st.just("balanced") | of_classes),
        "cost_matrix": draw(st.none() | matrices),
    }
    return rows, labels, options
