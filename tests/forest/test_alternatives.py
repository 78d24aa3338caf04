"""The graph in given features."""

import numpy as np
from helpers.oracles.forest import Truth
from helpers.random_problems import rows_of
from helpers.small_forests import forest_of, graph_of

from puretree import Forest, prepare
from puretree.forest import Graph


def test_every_way_to_ask_makes_a_tree_of_its_own() -> None:
    """Two columns that say the same and one that says the opposite make three trees, one with its sides swapped."""
    table = [[0, 0, 1], [0, 0, 1], [1, 1, 0]]
    forest = forest_of(prepare(table, ["a", "a", "b"]))
    assert [tree.to_nested() for tree in forest] == [(0, "b", "a"), (1, "b", "a"), (2, "a", "b")]
    assert [str(tree.rules()[0]) for tree in forest] == [
        "IF x0 ≤ 0.5 THEN a (2)",
        "IF x1 ≤ 0.5 THEN a (2)",
        "IF x2 ≤ 0.5 THEN b (1)",
    ]


def test_edges_are_in_canonical_order() -> None:
    """The edges of a node ascend by given feature, whichever feature of the problem they came from."""
    table = [[0, 0, 0, 1], [0, 1, 1, 1], [1, 0, 0, 0], [1, 1, 1, 0]]
    forest = forest_of(prepare(table, [0, 1, 1, 0]))
    roots = [tree.to_nested()[0] for tree in forest]
    assert roots == sorted(roots)
    assert set(roots) == {0, 1, 2, 3}


def test_the_root_keeps_to_the_column_wished_for() -> None:
    """Columns that say the same as the one wished for at the root come further down, but not there."""
    table = [[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]]
    forest = forest_of_root(table, [0, 1, 1, 0], root="x1")
    assert {tree.to_nested()[0] for tree in forest} == {1}
    wished_below = forest_of_root(table, [0, 1, 1, 0], root="x2")
    assert {tree.to_nested()[0] for tree in wished_below} == {2}
    assert wished_below.count == 4  # on each side either of the two equal columns


def forest_of_root(table: list[list[int]], y: list[int], root: str) -> Forest:
    """Make a forest whose root is about a column; the graph has only such edges at its root."""
    prepared = prepare(table, y, root=root)
    whole = forest_of(prepare(table, y))
    graph = graph_of(Truth(rows_of(prepared.problem), prepared.problem.labels.tolist()))
    assert prepared.roots is not None
    (at,) = graph.roots
    kept = np.ones(graph.n_edges, dtype=bool)
    begin, end = graph.edge_start[at], graph.edge_start[at + 1]
    kept[begin:end] = np.isin(graph.feature[begin:end], list(prepared.roots))
    start = np.concatenate([[0], np.cumsum(kept)])[graph.edge_start]
    forest = Forest(
        prepared,
        Graph(graph.label, graph.size, start, graph.feature[kept], graph.no[kept], graph.yes[kept], graph.roots),
        whole.outcome,
    )
    assert forest.count < whole.count
    return forest
