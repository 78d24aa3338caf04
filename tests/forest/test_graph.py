"""The AND/OR graph."""

from typing import Any

import numpy as np
import pytest
from helpers.small_forests import small_forest

from puretree import InputError
from puretree.forest import Graph

# Two leaves and a test between them.
SOUND = {"label": [0, 1, -1], "size": [0, 0, 1], "edge_start": [0, 0, 0, 1], "feature": [3], "no": [0], "yes": [1]}


def make(**changes: Any) -> Graph:
    """Make the graph of a single test, with some arrays changed."""
    arrays = {**SOUND, "roots": [2], **changes}
    return Graph(**{name: np.array(values, dtype=np.int32) for name, values in arrays.items()})


def test_a_sound_graph_is_taken() -> None:
    """The smallest graph with a test in it says what it holds."""
    assert repr(make()) == "<Graph: 3 nodes, 1 edges>"
    assert make().features.tolist() == [3]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"roots": []}, "a root"),
        ({"size": [0, 0]}, "each node"),
        ({"edge_start": [0, 0, 0, 2]}, "those of its nodes"),
        ({"no": []}, "two sides"),
        ({"label": [0, -1, -1]}, "a leaf has a label"),
        ({"size": [0, 0, 2]}, "have its size"),
        ({"yes": [2]}, "smaller numbers"),
        ({"no": [-1]}, "smaller numbers"),
        ({"roots": [3]}, "different nodes"),
        ({"roots": [2, 2]}, "different nodes"),
    ],
)
def test_a_broken_graph_is_refused(changes: dict[str, list[int]], message: str) -> None:
    """What is not a graph of trees is refused before anything is counted on it."""
    with pytest.raises(InputError, match=message):
        make(**changes)


def test_levels_hold_every_edge_once_and_sides_first() -> None:
    """Nodes of one size make a level; each edge is in the level of its node, beside the node's other edges."""
    graph = small_forest(3, 2).forest.graph
    edges = np.concatenate([level.edges for level in graph.levels])
    assert sorted(edges.tolist()) == list(range(graph.n_edges))
    for level in graph.levels:
        assert len(np.unique(graph.size[level.nodes])) == 1
        for node, start in zip(level.nodes, level.starts, strict=True):
            n_edges = int(graph.edge_start[node + 1] - graph.edge_start[node])
            assert level.edges[start : start + n_edges].tolist() == list(
                range(graph.edge_start[node], graph.edge_start[node + 1])
            )
