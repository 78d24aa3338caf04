"""The graph in given features."""

from small_forests import forest_of

from puretree import prepare


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
