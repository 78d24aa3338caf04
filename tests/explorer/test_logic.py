"""The scripts of the page compute what Python and brute force do, on random forests."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.explorer_filters import costs_of_trees, label_of, random_filters, satisfies
from helpers.explorer_scripts import content_of, run_logic
from helpers.small_forests import SmallForest, small_forest, wide_forest

from puretree import Forest, Tree
from puretree.tree import explain

KINDS = (0, 1, "band")
FEW = [(seed, KINDS[seed % 3]) for seed in range(9)]
N_FILTERS = 20

READ = """
  const graph = await Graph.read(content.points[0].graph);
  const columnOf = content.tests.map((test) => test.column);
"""


def page_of(forest: Forest, folder: Path, **options: Any) -> dict[str, Any]:
    """Return the content of the page of a forest."""
    return content_of(forest.explorer(folder / "page.html", **options))


def for_each(driver: str) -> str:
    """Return a driver that runs for each item of the input."""
    return f"const results = []; for (const {{ content, ...given }} of input) {{ {READ} {driver} }} return results;"


def differences_of_counts(forests: list[tuple[int, Any]], folder: Path) -> tuple[int, list[Any]]:
    """Return how many random filters have been compared, and those for which the page and brute force disagree."""
    inputs, expected = [], []
    for seed, kind in forests:
        forest = small_forest(seed, kind).forest
        rng = np.random.default_rng([seed, KINDS.index(kind)])
        content = page_of(forest, folder)
        filters = [random_filters(forest, content, rng) for _ in range(N_FILTERS)]
        trees = list(zip(forest, costs_of_trees(forest), strict=True))
        inputs.append({"content": content, "filters": filters})
        expected.append([sum(satisfies(tree, cost, item, content) for tree, cost in trees) for item in filters])
    driver = """
      const chain = new FilterChain(graph, columnOf);
      results.push(given.filters.map((filters) => {
        const answersTo = ({ values, label }) => ({ answers: answersOf(content.tests, values), label });
        const agreesWith = filters.agreesWith.map(answersTo);
        const counted = new FilterChain(graph, columnOf).count({ ...filters, agreesWith });
        const { total } = chain.apply({ ...filters, agreesWith });
        return counted === total ? Number(total) : -1;
      }));
    """
    found = run_logic(for_each(driver), inputs, folder)
    pairs = [
        (forest, filters, count, wanted)
        for forest, item, counts, wanteds in zip(forests, inputs, found, expected, strict=True)
        for filters, count, wanted in zip(item["filters"], counts, wanteds, strict=True)
    ]
    assert 0 < sum(wanted > 0 for *_, wanted in pairs) < len(pairs)  # the filters are neither empty nor impossible
    return len(pairs), [pair for pair in pairs if pair[2] != pair[3]]


def test_filters_count_the_trees_that_satisfy_them(tmp_path: Path) -> None:
    """The count of random combinations of filters is that of brute force."""
    _, different = differences_of_counts(FEW, tmp_path)
    assert not different


@pytest.mark.slow
def test_a_thousand_filters_on_more_than_fifty_forests(tmp_path: Path) -> None:
    """The same on 54 forests of pure trees, of larger trees and of bands with errors."""
    n_filters, different = differences_of_counts([(seed, kind) for seed in range(18) for kind in KINDS], tmp_path)
    assert n_filters == 54 * N_FILTERS
    assert not different


@pytest.mark.skipif(not hasattr(Forest, "where"), reason="this version of Forest has no filters")
def test_filters_count_as_python_does(tmp_path: Path) -> None:
    """The filters of Forest.where and of the page leave the same number of trees."""
    inputs, expected = [], []
    for seed, kind in FEW:
        forest = small_forest(seed, kind).forest
        content = page_of(forest, tmp_path)
        name = content["columns"][0]["name"]
        empty = {"root": None, "uses": [], "avoids": [], "maxDepth": None, "minSamplesLeaf": None}
        first = {"column": 0}
        options: list[tuple[dict[str, Any], dict[str, Any]]] = [
            ({"uses": [name]}, {"uses": [first]}),
            ({"avoids": [name]}, {"avoids": [first]}),
            ({"root": name}, {"root": first}),
            ({"max_depth": 2, "uses": [name]}, {"maxDepth": 2, "uses": [first]}),
            ({"min_samples_leaf": 2}, {"minSamplesLeaf": 2}),
        ]
        inputs.append({"content": content, "filters": [{**empty, **of_page} for _, of_page in options]})
        expected.append([forest.where(**of_python).count for of_python, _ in options])
    driver = """
      const chain = new FilterChain(graph, columnOf);
      results.push(given.filters.map((filters) => Number(chain.apply({ ...NO_FILTERS, ...filters }).total)));
    """
    assert run_logic(for_each(driver), inputs, tmp_path) == expected


def test_exported_trees_are_those_of_python(tmp_path: Path) -> None:
    """A tree of the page has the rank, the tests and the counts of the tree in Python, to the last digit."""
    inputs = [{"content": page_of(small_forest(*key).forest, tmp_path)} for key in FEW]
    driver = """
      const ranks = [0n, graph.total / 2n, graph.total - 1n];
      results.push(ranks.map((rank) => {
        const tree = treeOfRank(graph, rank);
        return [rank, rankOf(graph, tree), treeJson(content, graph, tree)];
      }));
    """
    for key, trees in zip(FEW, run_logic(for_each(driver), inputs, tmp_path), strict=True):
        forest = small_forest(*key).forest
        for rank, found, text in trees:
            tree = forest[int(rank)]
            assert found == rank
            assert json.loads(text) == tree.to_dict()
            assert Tree.from_json(text).to_json() == tree.to_json()


def test_the_tree_of_the_model_is_drawn_first(tmp_path: Path) -> None:
    """The page finds a tree by its tests."""
    inputs = []
    for key in FEW:
        forest = small_forest(*key).forest
        tree = forest[forest.count // 3]
        inputs.append({"content": page_of(forest, tmp_path, tree=tree)})
    driver = "results.push(rankOf(graph, treeOfTests(graph, content.points[0].tree)));"
    ranks = run_logic(for_each(driver), inputs, tmp_path)
    assert [int(rank) for rank in ranks] == [small_forest(*key).forest.count // 3 for key in FEW]


def test_shares_of_features_are_those_of_python(tmp_path: Path) -> None:
    """The share of the trees that test a feature, and at the root, and whether all do."""
    inputs = [{"content": page_of(small_forest(*key).forest, tmp_path)} for key in FEW]
    driver = """
      const tests = content.tests.map((_, test) => test);
      const usages = [...usageOf(graph, tests, tests)];
      results.push(Object.fromEntries(usages.map(([test, usage]) => [content.tests[test].feature, usage])));
    """
    for key, usages in zip(FEW, run_logic(for_each(driver), inputs, tmp_path), strict=True):
        for usage in small_forest(*key).forest.features():
            found = usages[str(usage.feature)]
            assert found["share"] == pytest.approx(usage.share, abs=1e-12)
            assert found["atRoot"] == pytest.approx(usage.root_share, abs=1e-12)
            assert found["isNecessary"] == usage.is_necessary


def by_path(tree: Tree) -> dict[str, tuple[int, int]]:
    """Return the feature and the label of each node, by the answers on the way to it."""
    nodes, paths = {}, {0: ""}
    for node in range(tree.n_nodes):
        path = paths[node]
        nodes[path] = (int(tree.feature[node]), int(tree.label[node]))
        if tree.left[node] >= 0:
            paths[int(tree.left[node])], paths[int(tree.left[node]) + 1] = f"{path}n", f"{path}y"
    return nodes


def test_choices_at_a_node_are_those_of_all_trees(tmp_path: Path) -> None:
    """How many trees with the same tests above a node have each test there, and the cheapest of them."""
    inputs, expected = [], []
    for key in FEW:
        forest = small_forest(*key).forest
        trees = [(by_path(tree), cost, tree.n_nodes) for tree, cost in zip(forest, costs_of_trees(forest), strict=True)]
        rank = forest.count // 2
        wanted = []
        for path in trees[rank][0]:
            above = {path[:i]: trees[rank][0][path[:i]] for i in range(len(path))}
            choices: dict[tuple[int, int], list[tuple[float, int]]] = {}
            for nodes, cost, n_nodes in trees:
                if all(nodes.get(place) == test for place, test in above.items()):
                    choices.setdefault(nodes[path], []).append((cost, n_nodes))
            wanted.append((path, {choice: (len(costs), *min(costs)) for choice, costs in choices.items()}))
        inputs.append({"content": page_of(forest, tmp_path), "rank": rank, "paths": [path for path, _ in wanted]})
        expected.append(wanted)
    driver = """
      const tree = treeOfRank(graph, BigInt(given.rank));
      const feature = (test) => (test < 0 ? -1 : content.tests[test].feature);
      results.push(given.paths.map((path) => {
        const choices = choicesAt(graph, withPart(null, tree, path, null), path);
        return choices.map((choice) => {
          return [feature(choice.test), choice.label, Number(choice.count), choice.cost, choice.n_nodes];
        });
      }));
    """
    for found, wanted in zip(run_logic(for_each(driver), inputs, tmp_path), expected, strict=True):
        for choices, (_, of_trees) in zip(found, wanted, strict=True):
            assert {(test, label): tuple(others) for test, label, *others in choices} == of_trees


def encoded(small: SmallForest, content: dict[str, Any]) -> list[list[float | None]]:
    """Return the encoded values of the new rows of a small forest, in the columns of the page."""
    columns = [json.loads(column["json"]) for column in content["columns"]]
    fitted = {column.name: column for column in small.forest.prepared.binarizer.features_.columns}
    values = [[fitted[column["name"]].encode(row[column["index"]]) for column in columns] for row in small.X]
    return [[None if math.isnan(value) else value for value in row] for row in values]


def test_votes_are_those_of_python(tmp_path: Path) -> None:
    """The share of all trees for each class, on rows not in training, and the most accurate tree on them."""
    inputs = []
    for key in FEW:
        small = small_forest(*key)
        content = page_of(small.forest, tmp_path, X_select=small.X, y_select=small.y)
        inputs.append({"content": content, "rows": encoded(small, content)})
    driver = """
      const votes = given.rows.map((row) => voteOn(graph, answersOf(content.tests, row.map((value) => value ?? NaN))));
      const best = findMostAccurate(graph, await Rows.read(content.selection, content.tests));
      results.push([votes, best.score, best.isExact]);
    """
    for key, (votes, score, is_exact) in zip(FEW, run_logic(for_each(driver), inputs, tmp_path), strict=True):
        small = small_forest(*key)
        np.testing.assert_allclose(votes, small.forest.predict_distribution(small.X), atol=1e-12)
        assert is_exact
        assert score == small.forest.best(small.X, small.y).score


def test_the_vote_is_on_other_rows_without_the_training_rows(tmp_path: Path) -> None:
    """The tree that agrees most with the vote is found with and without training rows, and is one of the trees."""
    inputs = [{"content": page_of(small_forest(*key).forest, tmp_path, data=key[0] % 2 == 0)} for key in FEW]
    driver = """
      const training = content.rows && (await Rows.read(content.rows, content.tests));
      const { tree, isExact } = findByVote(graph, content, training);
      results.push([rankOf(graph, tree) !== null, isExact, training === null]);
    """
    for key, result in zip(FEW, run_logic(for_each(driver), inputs, tmp_path), strict=True):
        assert result == [True, True, key[0] % 2 == 1]


def test_the_most_different_tree(tmp_path: Path) -> None:
    """Its distance from other trees, in pairs of a place and a test, is the greatest; that of the nearest is 0."""
    inputs, expected = [], []
    for key in FEW:
        forest = small_forest(*key).forest
        pairs = [{(p, test) for p, (test, _) in by_path(tree).items() if test >= 0} for tree in forest]
        others = [0, forest.count // 2]
        inputs.append({"content": page_of(forest, tmp_path), "ranks": others})
        expected.append(
            [
                max(len(tests ^ pairs[0]) for tests in pairs),
                max(sum(len(tests ^ pairs[i]) for i in others) for tests in pairs),
                0,
            ]
        )
    driver = """
      const trees = given.ranks.map((rank) => treeOfRank(graph, BigInt(rank)));
      const first = trees.slice(0, 1);
      const found = [findByDistance(graph, first, "most"), findByDistance(graph, trees, "most")];
      results.push([...found, findByDistance(graph, first, "least")].map(({ score }) => Math.abs(score)));
    """
    assert run_logic(for_each(driver), inputs, tmp_path) == expected


def test_the_nearest_change_is_that_of_python(tmp_path: Path) -> None:
    """The columns to change, their nearest values and the other class, for rows not in training."""
    inputs, expected = [], []
    for key in FEW:
        small = small_forest(*key)
        content = page_of(small.forest, tmp_path)
        tree, ranges = small.forest[0], small.forest.prepared.table.ranges()
        rows = encoded(small, content)
        wanted = []
        for row, values in zip(small.X, rows, strict=True):
            assert (
                label_of(tree, [math.nan if x is None else x for x in values], content) == tree.predict_codes([row])[0]
            )
            change = explain(tree, row, ranges).counterfactual
            fitted = [c.condition.column for c in change.changes] if change else []
            nearest = (
                [column.encode(c.nearest) for column, c in zip(fitted, change.changes, strict=True)] if change else []
            )
            changed = sorted((column.name, x) for column, x in zip(fitted, nearest, strict=True))
            wanted.append(
                None if change is None else [tree.classes.index(change.label), [list(pair) for pair in changed]]
            )
        inputs.append({"content": content, "rows": rows})
        expected.append(wanted)
    driver = """
      const tree = treeOfRank(graph, 0n);
      const labelOf = (leaf) => graph.leaves.labels[leaf];
      results.push(given.rows.map((row) => {
        const values = row.map((value) => value ?? NaN);
        const label = labelOf(leafOf(tree, answersOf(content.tests, values)));
        const found = nearestChange(content, tree, values, labelOf, label);
        const changes = found && found.changes.map(({ column, to }) => [content.columns[column].name, to]);
        return found && [labelOf(found.leaf), changes.sort((a, b) => (a[0] < b[0] ? -1 : 1))];
      }));
    """
    assert run_logic(for_each(driver), inputs, tmp_path) == expected


@pytest.mark.parametrize(("n_copies", "depth"), [(7, 5), (10, 9)])
def test_counts_of_any_size_are_exact(n_copies: int, depth: int, tmp_path: Path) -> None:
    """Counts beyond 2⁵³, and beyond the range of floating point, are exact, and shares of them are right."""
    forest = wide_forest(n_copies, depth)
    assert forest.count > 2**53
    driver = """
      const tests = content.tests.map((_, test) => test);
      const [usage] = usageOf(graph, tests, [0]).values();
      const tree = treeOfRank(graph, graph.total - 1n);
      const without = new FilterChain(graph, columnOf).apply({ ...NO_FILTERS, avoids: [{ test: 0 }] }).total;
      const drawn = randomBelow(graph.total);
      results.push([graph.total, rankOf(graph, tree), without, usage.atRoot, usage.share, drawn]);
    """
    [found] = run_logic(for_each(driver), [{"content": page_of(forest, tmp_path)}], tmp_path)
    total, last, without = (int(text) for text in found[:3])
    usage = next(usage for usage in forest.features() if usage.feature == forest.graph.features[0])
    assert (total, last) == (forest.count, forest.count - 1)
    assert without == forest.count - usage.n_trees
    assert found[3:5] == pytest.approx([usage.root_share, usage.share], abs=1e-9)
    assert 0 <= int(found[5]) < forest.count
