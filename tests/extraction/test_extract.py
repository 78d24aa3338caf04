"""Extraction against brute force and the forest, and its three ends."""

from typing import Any

import pytest
from helpers.extracting import extract, here, nested
from helpers.oracles.forest import trees_with_wishes
from helpers.small_forests import small_forest

from puretree import BinaryProblem, InputError, PuretreeError, minimum_trees, prepare
from puretree._support.clock import Clock
from puretree.datasets import load
from puretree.datasets.paper import load_paper, paper_binarizer
from puretree.extraction import Extractor, tree_oracle
from puretree.extraction.tree_oracle import TreeOracle
from puretree.problem import Constraints, Prepared
from puretree.sat import LocalOracle

WAYS = [("none",), ("mdsol",), ("none", 2), ("mdsol", 1)]
MANY = 10**6


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("seed", [0, 1, 2, 3, 5, 6, 8, 11, 15, 17])
def test_all_trees_can_be_had(seed: int, way: Any) -> None:
    """Asked for more than there are, every minimum tree comes once: those of brute force and of the forest."""
    small = small_forest(seed)
    found = extract(small.forest.prepared, here(*way), MANY)
    assert found.stopped == "exhausted"
    assert len(found.trees) == len(set(found.trees)) == small.forest.count
    assert set(nested(found)) == set(small.trees)
    assert set(found.trees) == set(small.forest)


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_examples_may_be_told_when_they_matter(way: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Begun with an example of each class, the same trees are had."""
    monkeypatch.setattr(tree_oracle, "MANY_EXAMPLES", 0)
    small = small_forest(17)
    found = extract(small.forest.prepared, here(*way), MANY)
    assert (set(nested(found)), found.stopped) == (set(small.trees), "exhausted")


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_enough_is_enough(way: Any) -> None:
    """As many trees as were asked for, of a solver in a process of its own; also if these are all."""
    small = small_forest(17)
    for k in (1, 5, small.forest.count):
        found = extract(small.forest.prepared, Extractor(*way) if k == 5 else here(*way), k)
        assert (len(found.trees), found.stopped, found.n_unproved) == (k, "enough", 0)
        assert all(tree in small.forest for tree in found.trees)


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_when_the_time_is_over_the_trees_are_kept(way: Any) -> None:
    """The tree known before is told although there is no time at all; without one there is none."""
    prepared = small_forest(17).forest.prepared
    found = extract(prepared, here(*way), 5, clock=Clock(0))
    assert (len(found.trees), found.stopped) == (1, "limit")
    n_nodes = found.trees[0].n_nodes
    nothing = here(*way).extract_trees(prepared.problem, n_nodes, 5, clock=Clock(0))
    assert (nothing.trees, nothing.stopped) == ((), "limit")


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_ctrl_c_loses_no_tree_and_ends_the_solver(way: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was told before stays, and no solver is left behind."""
    n_asked, closed = [0], []

    class Interrupted(LocalOracle):
        def solve(self, *arguments: Any) -> bool | None:
            n_asked[0] += 1
            if n_asked[0] == 8:
                raise KeyboardInterrupt
            return super().solve(*arguments)

        def close(self) -> None:
            closed.append(self)
            super().close()

    monkeypatch.setattr("puretree.extraction.extract.make_oracle", lambda *_, **__: Interrupted())
    found = extract(small_forest(17).forest.prepared, here(*way), MANY)
    assert found.stopped == "limit"
    assert 2 <= len(set(found.trees)) == len(found.trees) <= 8
    assert len(closed) == 1


def test_a_formula_too_large_is_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tree known before is told, the others are not looked for."""
    monkeypatch.setattr(tree_oracle, "MOST_BYTES", 0)
    found = extract(small_forest(17).forest.prepared, here("none"), 5)
    assert (len(found.trees), found.stopped) == (1, "limit")


def test_a_tree_told_twice_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A solver is not believed: what it tells is checked by code that does not know it."""
    monkeypatch.setattr(TreeOracle, "forbid", lambda self, tree: None)
    with pytest.raises(PuretreeError, match="wrong or not new"):
        extract(small_forest(17).forest.prepared, here("none"), MANY)


def test_larger_trees_are_found_out() -> None:
    """A tree that is not of the size given is refused, whoever hands it in."""
    problem = BinaryProblem.from_rows([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    first = here("none").extract_trees(problem, 7, 1).trees[0]
    with pytest.raises(PuretreeError, match="wrong or not new"):
        here("none").extract_trees(problem, 9, 1, first=first)


def test_columns_that_say_the_same_count_as_many_as_they_are() -> None:
    """Two columns that are equal and one that is opposite make three trees, as in the forest."""
    prepared = prepare([[0, 0, 1], [0, 0, 1], [1, 1, 0]], ["a", "a", "b"])
    found = extract(prepared, here("none"), MANY)
    assert sorted(nested(found)) == [(0, "b", "a"), (1, "b", "a"), (2, "a", "b")]


def wished(prepared: Prepared, **wishes: Any) -> set[object]:
    """Return all trees that keep to wishes, by brute force over the given questions."""
    given = prepared.binarizer.transform(prepared.table).astype(int).tolist()
    labels = [prepared.labels.classes[code] for code in prepared.labels.codes]
    return set(trees_with_wishes(given, labels, **wishes))


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_wishes_are_kept(way: Any) -> None:
    """With a depth or a root, exactly the trees that keep to it are told; an equal column is no root wished for."""
    table = [[0, 0, 0, 1], [0, 0, 1, 1], [1, 1, 0, 0], [1, 1, 1, 0], [0, 1, 1, 0]]
    y = [0, 1, 1, 0, 1]
    prepared = prepare(table, y)
    flat = Constraints(max_depth=2)
    assert set(nested(extract(prepared, here(*way), MANY, flat))) == wished(prepared, max_depth=2)
    for root in ("x0", "x2", "x3"):
        rooted = prepare(table, y, root=root)
        features = [i for i, question in enumerate(rooted.binarizer.features_) if question.column.name == root]
        found = extract(rooted, here(*way), MANY, Constraints(root=rooted.roots))
        assert set(nested(found)) == wished(rooted, root=features)
        assert set(found.trees) == set(minimum_trees(table, y, root=root))


def test_one_class_has_one_tree() -> None:
    """The leaf is all there is."""
    found = extract(prepare([[0], [1]], ["a", "a"]), here("mdsol"), 3)
    assert (nested(found), found.stopped) == (["a"], "exhausted")


def test_trees_are_told_in_the_words_of_the_table() -> None:
    """They predict raw rows and know their counts, whichever column they ask."""
    found = extract(prepare([["red", 1.0], ["red", 3.0], ["blue", 1.0]], ["stop", "go", "go"]), here("none"), MANY)
    assert [tree.predict([["red", 0.5]]).tolist() for tree in found.trees] == [["stop"], ["stop"]]
    assert all(tree.counts is not None and tree.counts[0].sum() == 3 for tree in found.trees)


def test_what_cannot_be_done_is_refused() -> None:
    """The message names the option and what would do."""
    prepared = small_forest(17).forest.prepared
    with pytest.raises(InputError, match="diversity='much' is not known; use one of none, mdsol"):
        Extractor("much")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="layout_depth=0"):
        Extractor(layout_depth=0)
    with pytest.raises(InputError, match="there is no solver"):
        Extractor(solver="abacus")
    with pytest.raises(InputError, match="k=0"):
        extract(prepared, here(), 0)
    with pytest.raises(InputError, match="min_samples_leaf=2"):
        here().extract_trees(prepared.problem, 7, 3, constraints=Constraints(min_samples_leaf=2))
    with pytest.raises(InputError, match="'cost'"):
        here().extract_trees(prepared.problem, 7, 3, constraints=Constraints(minimise="cost"))
    with pytest.raises(InputError, match="not proved"):
        here().extract(prepared, small_forest(17).forest.outcome, 3)  # a proof without a tree


@pytest.mark.parametrize(("name", "n_trees"), [("mux6", 2), ("balloons3", 16)])
def test_formulas_have_as_many_trees_as_their_forests(name: str, n_trees: int) -> None:
    """The same trees as the forest, and for mux6 as many as the paper has."""
    dataset = load(f"formula:{name}")
    prepared = prepare(dataset.table, dataset.target, binarize="bits")
    found = extract(prepared, here("none"), MANY)
    assert (len(found.trees), found.stopped) == (n_trees, "exhausted")
    assert set(found.trees) == set(minimum_trees(dataset.table, dataset.target, binarize="bits"))


@pytest.mark.slow
def test_monks_1_has_2368_trees() -> None:
    """The paper's count, and the proof that there are no more."""
    dataset = load("formula:monks-1")
    found = extract(prepare(dataset.table, dataset.target, binarize="bits"), here("none"), 3000)
    assert (len(set(found.trees)), found.stopped) == (2368, "exhausted")


@pytest.mark.data
@pytest.mark.parametrize(("name", "n_trees"), [("mux6", 2), ("irish", 6)])
def test_counts_of_the_paper(name: str, n_trees: int, paper_folder: Any) -> None:
    """All rows of the paper's tables, in its bits."""
    dataset = load_paper(name, paper_folder)
    prepared = prepare(dataset.table, dataset.target, binarize=paper_binarizer(name), on_conflict="majority")
    found = extract(prepared, here("none"), 3000)
    assert (len(found.trees), found.stopped) == (n_trees, "exhausted")
