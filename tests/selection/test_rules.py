"""The split into training and selection set, and every rule over all minimum trees, against comparing each tree."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from helpers.small_forests import SmallForest, small_forest
from sklearn.dummy import DummyClassifier
from sklearn.neighbors import KNeighborsClassifier

from puretree import InputError, UnfinishedError
from puretree._support.clock import Clock
from puretree.forest import TreeList
from puretree.pipeline import choose_tree
from puretree.selection import (
    RULES,
    Choice,
    Consensus,
    Evidence,
    First,
    Holdout,
    Rows,
    Teacher,
    choose,
    make_rule,
    split_rows,
)
from puretree.selection.agreement import mix_rows
from puretree.table import read_table

SEEDS = range(12)


def rows_with_labels(labels: list[str]) -> Rows:
    """Return rows with these labels, and the row number as their only value."""
    return Rows.read([[number] for number in range(len(labels))], labels)


def test_every_row_is_in_one_part() -> None:
    """Training and selection set partition the table, in its order, with values and labels kept together."""
    rows = rows_with_labels(["a", "b"] * 20)
    training, selection = split_rows(rows, 0.25, 0)
    assert sorted([*training.numbers, *selection.numbers]) == list(range(40))
    assert selection.table.n_rows == 10
    for part in (training, selection):
        assert part.numbers.tolist() == sorted(part.numbers)
        assert part.table.columns[0].values.tolist() == part.numbers.tolist()
        assert part.labels.codes.tolist() == rows.labels.codes[part.numbers].tolist()


def test_the_split_is_stratified() -> None:
    """A class of a quarter of the rows is a quarter of the selection set."""
    _, selection = split_rows(rows_with_labels(["a"] * 30 + ["b"] * 10), 0.2, 1)
    assert np.bincount(selection.labels.codes).tolist() == [6, 2]


def test_the_row_of_a_rare_class_is_in_the_training_set() -> None:
    """The only row of a class is never in the selection set: no tree could predict its class."""
    for seed in range(20):
        training, _ = split_rows(rows_with_labels(["rare", *["a", "b"] * 5]), 0.3, seed)
        assert 0 in training.numbers


def test_few_rows_of_many_classes_are_split_without_strata() -> None:
    """Where stratification is impossible, rows are drawn from all classes together."""
    training, selection = split_rows(rows_with_labels(["a", "a", "b", "b", "c", "c"]), 0.2, 0)
    assert (training.table.n_rows, selection.table.n_rows) == (5, 1)


@pytest.mark.parametrize("size", [0, 1, -0.1, 1.5])
def test_selection_size_must_be_between_0_and_1(size: float) -> None:
    """Other values raise an error that names the parameter."""
    with pytest.raises(InputError, match="selection_size"):
        split_rows(rows_with_labels(["a", "b"] * 5), size, 0)


def test_too_few_rows_to_split_are_rejected() -> None:
    """Where no row would remain for training, the error suggests a rule without a selection set."""
    with pytest.raises(InputError, match="consensus"):
        split_rows(rows_with_labels(["a", "b", "c"]), 0.2, 0)


def evidence_of(small: SmallForest, seed: int = 0) -> Evidence:
    """Return the evidence for a selection from a small forest, with its new rows as the selection set."""
    prepared = small.forest.prepared
    training = Rows.read(prepared.table, prepared.labels)
    labels = [small.forest.classes[code % len(small.forest.classes)] for code in small.y]
    return Evidence(training, Rows.read(small.X, labels), np.random.RandomState(seed))


def tree_list(small: SmallForest) -> TreeList:
    """Return all trees of a small forest as a list."""
    return TreeList(list(small.forest))


@pytest.mark.parametrize("name", sorted(RULES))
@pytest.mark.parametrize("seed", range(3))
def test_a_forest_and_the_list_of_its_trees_give_the_same_choice(name: str, seed: int) -> None:
    """Whether the candidates are a graph or a list, the score and the top-scoring trees are the same."""
    small = small_forest(seed)
    from_forest = make_rule(name).choose(small.forest, evidence_of(small))
    from_list = make_rule(name).choose(tree_list(small), evidence_of(small))
    assert from_forest.is_exact
    assert from_forest.score == (None if name == "first" else pytest.approx(from_list.score))
    assert make_rule(name).name == name
    assert set(from_forest.top_scoring) == set(from_list.top_scoring)
    assert from_forest.tree in from_forest.top_scoring
    if "holdout" not in name:
        assert from_forest.tree == from_list.tree


@pytest.mark.parametrize("delta", [0.0, 0.1, 0.3])
@pytest.mark.parametrize("seed", SEEDS)
def test_holdout_returns_all_trees_within_delta(seed: int, delta: float) -> None:
    """The top-scoring trees are those whose accuracy on the selection set is within delta of the best."""
    small = small_forest(seed)
    evidence = evidence_of(small)
    choice = Holdout(delta).choose(small.forest, evidence)
    assert evidence.selection is not None
    classes = small.forest.classes
    codes = [classes.index(evidence.selection.labels.classes[code]) for code in evidence.selection.labels.codes]
    accuracy = (tree_list(small).predict_codes(evidence.selection.table) == codes).mean(axis=1)
    expected = {tree for tree, a in zip(small.forest, accuracy, strict=True) if a >= accuracy.max() - delta - 1e-9}
    assert set(choice.top_scoring) == expected
    assert choice.score == pytest.approx(accuracy.max())
    assert choice.tree in expected


def test_holdout_draws_a_top_scoring_tree_at_random() -> None:
    """Different seeds choose different trees among equally good ones."""
    small = small_forest(3)
    trees = {Holdout(1.0).choose(small.forest, evidence_of(small, seed)).tree for seed in range(30)}
    assert len(trees) > 1


@pytest.mark.parametrize("seed", SEEDS)
def test_consensus_is_the_tree_closest_to_the_vote(seed: int) -> None:
    """No tree agrees with the others on more of the mixed rows than the chosen one."""
    small = small_forest(seed)
    choice = Consensus(n_rows=50).choose(small.forest, evidence_of(small))
    rows = mix_rows(small.forest.prepared.table, 50, np.random.RandomState(0))
    codes = tree_list(small).predict_codes(rows)
    agreement = (codes[:, None, :] == codes[None, :, :]).mean(axis=(1, 2))
    rank = list(small.forest).index(choice.tree)
    assert agreement[rank] == pytest.approx(agreement.max(), abs=1e-3)  # votes are rounded to thousandths
    assert choice.score == pytest.approx(agreement.max(), abs=1e-3)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_choice_agrees_most_with_the_teacher(seed: int) -> None:
    """No tree agrees with the teacher on more of the mixed rows than the chosen one."""
    small = small_forest(seed)
    evidence = evidence_of(small)
    choice = Teacher(DummyClassifier(strategy="constant", constant=1), n_rows=40).choose(small.forest, evidence)
    rows = mix_rows(small.forest.prepared.table, 40, np.random.RandomState(0))
    agreement = (tree_list(small).predict_codes(rows) == 1).mean(axis=1)
    assert choice.score == pytest.approx(agreement.max())
    assert agreement[list(small.forest).index(choice.tree)] == agreement.max()


def test_a_teacher_may_be_any_classifier() -> None:
    """A classifier for numbers can be fitted to categorical columns, too."""
    small = small_forest(5)
    choice = Teacher(KNeighborsClassifier(1), n_rows=30).choose(small.forest, evidence_of(small))
    assert choice.tree in small.forest


def test_a_teacher_breaks_ties_of_holdout() -> None:
    """With a teacher for ties, the choice is the teacher's choice among the best trees on the selection set."""
    small = small_forest(4)
    teacher = Teacher(DummyClassifier(strategy="constant", constant=0))
    choice = Holdout(0.2, teacher).choose(small.forest, evidence_of(small))
    tie_break = teacher.choose(choice.top_scoring, evidence_of(small))
    assert choice.tree == tie_break.tree


def test_first_chooses_the_first_tree() -> None:
    """The choice is the canonically first tree."""
    small = small_forest(2)
    assert First().choose(small.forest, evidence_of(small)).tree == small.forest[0]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: make_rule("holdup"), "holdup.*consensus, teacher"),
        (lambda: Teacher("socrates"), "socrates.*random-forest"),
        (lambda: Holdout(2.0), "delta=2.0"),
        (lambda: Consensus(0), "n_rows=0"),
        (lambda: Teacher(n_rows=-1), "n_rows=-1"),
    ],
)
def test_invalid_options_are_rejected(make: Any, message: str) -> None:
    """The error contains the invalid value, and the valid names where there are some."""
    with pytest.raises(InputError, match=message):
        make()


@pytest.mark.parametrize("rule", [Consensus(20), Teacher(DummyClassifier(), 20), Holdout()])
def test_a_forest_too_large_is_sampled(rule: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without time to compare all trees, a sample is compared, and the choice is not exact."""
    small = small_forest(3)

    def time_out(*arguments: Any, **options: Any) -> Any:
        raise UnfinishedError("time limit reached", small.forest.outcome)

    monkeypatch.setattr(type(small.forest), "best_for", time_out)
    monkeypatch.setattr("puretree.selection.rules.SAMPLE_SIZE", 3)
    choice = rule.choose(small.forest, evidence_of(small))
    assert not choice.is_exact
    assert 1 <= choice.top_scoring.count <= 3
    assert choice.tree in small.forest


@pytest.mark.parametrize("name", [name for name in RULES if name != "first"])
def test_without_any_time_the_known_tree_is_kept(name: str) -> None:
    """A rule that has no time at all, not even for a sample, keeps the tree that is known."""
    small = small_forest(3)
    evidence = evidence_of(small)
    without_time = Evidence(evidence.training, evidence.selection, evidence.random, Clock(0))
    choice = choose(make_rule(name), small.forest, without_time, small.forest[1])
    assert (choice.tree, choice.is_exact, choice.score) == (small.forest[1], False, None)


def test_keyboard_interrupt_keeps_the_known_tree() -> None:
    """Ctrl-C during the selection keeps the tree that is known, and stops the clock."""
    small = small_forest(3)
    evidence = evidence_of(small)

    class Interrupted(First):
        def choose(self, *arguments: Any) -> Choice:
            raise KeyboardInterrupt

    choice = choose(Interrupted(), small.forest, evidence, small.forest[0])
    assert (choice.tree, choice.is_exact, choice.score) == (small.forest[0], False, None)
    assert evidence.clock.is_stopped


def test_a_vote_of_a_sample_is_not_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where only the vote is of a sample, the choice is not exact either."""
    small = small_forest(3)

    def time_out(*arguments: Any, **options: Any) -> Any:
        raise UnfinishedError("time limit reached", small.forest.outcome)

    monkeypatch.setattr(type(small.forest), "predict_distribution", time_out)
    assert not Consensus(20).choose(small.forest, evidence_of(small)).is_exact


def test_a_teacher_accepts_numbers_beyond_single_precision() -> None:
    """Numbers beyond the range of scikit-learn's forests are clipped to the largest valid number."""
    rows = [[1e308 if x == 0 else float(x)] for x in range(10)]
    result = choose_tree(rows, ["a", "b"] * 5, selection="teacher", random_state=0)
    assert result.tree.predict(rows).tolist() == ["a", "b"] * 5


def weighted_rows(weights: list[int], labels: list[str]) -> Rows:
    """Return rows with these weights and labels, and the row number as their only value."""
    rows = rows_with_labels(labels)
    return rows.with_weights(np.array(weights))


def test_weights_are_divided_among_both_parts() -> None:
    """Of every weight a part is held out, in proportion to the classes, and repeatably; nothing is lost."""
    rows = weighted_rows([1000, 1, 500, 299, 200], ["a", "a", "b", "b", "a"])
    training, selection = split_rows(rows, 0.25, 3)
    total = np.zeros(5, dtype=np.int64)
    for part in (training, selection):
        assert part.table.weights is not None
        assert (part.table.weights > 0).all()
        assert part.table.columns[0].values.tolist() == part.numbers.tolist()
        total[part.numbers] += part.table.weights
    assert total.tolist() == [1000, 1, 500, 299, 200]
    assert selection.table.total_weight == 500
    held_out = {"a": 0, "b": 0}
    for code, weight in zip(selection.labels.codes, selection.table.row_weights, strict=True):
        held_out[rows.labels.classes[code]] += int(weight)  # type: ignore[index]
    assert held_out == {"a": 300, "b": 200}
    again, _ = split_rows(rows, 0.25, 3)
    assert again.table.row_weights.tolist() == training.table.row_weights.tolist()
    other, _ = split_rows(rows, 0.25, 4)
    assert other.table.row_weights.tolist() != training.table.row_weights.tolist()


def test_weights_of_one_are_divided_like_rows() -> None:
    """Rows of weight one are in one part, and a class with a single row stays in the training set."""
    for seed in range(20):
        training, selection = split_rows(weighted_rows([1] * 11, ["rare", *["a", "b"] * 5]), 0.3, seed)
        assert sorted([*training.numbers, *selection.numbers]) == list(range(11))
        assert 0 in training.numbers
        assert selection.table.n_rows == 3


def test_too_large_weights_are_rejected() -> None:
    """A selection set of billions of rows cannot be drawn; the error names a rule without one."""
    with pytest.raises(InputError, match=r"cannot be drawn from 2,000,000,000 rows; use a rule without one"):
        split_rows(weighted_rows([10**9, 10**9], ["a", "b"]), 0.2, 0)
    with pytest.raises(InputError, match="needs 2 rows for the selection set, but only 0 of 3"):
        split_rows(weighted_rows([1, 1, 1], ["a", "b", "c"]), 0.5, 0)


def test_mixed_rows_follow_the_weights() -> None:
    """A row of large weight is the parent of most mixed rows."""
    rows = weighted_rows([98, 1, 1], ["a", "b", "c"])
    values = mix_rows(rows.table, 2000, np.random.RandomState(0)).columns[0].values
    assert (values == 0).mean() == pytest.approx(0.98, abs=0.02)
    assert set(values) == {0, 1, 2}


@pytest.mark.parametrize("rule", ["consensus", "teacher", "holdout", "first"])
def test_every_rule_accepts_weights(rule: str) -> None:
    """A tree is chosen from a table with weights, and its score is a fraction of the rows."""
    random = np.random.default_rng(0)
    table = Rows.read(random.integers(3, size=(40, 3)), ["x"] * 40).table
    labels = np.where(table.columns[0].values + table.columns[1].values > 2, "yes", "no")
    _, firsts = np.unique(np.stack([column.values for column in table]), axis=1, return_index=True)
    rows = Rows.read(table.take(firsts), labels[firsts]).with_weights(random.integers(1, 50, size=len(firsts)))
    result = choose_tree(rows.table, rows.labels, selection=rule, random_state=0)
    assert result.choice.score is None or 0 <= result.choice.score <= 1
    assert (result.leaf_shares().sum(axis=1) == 1).all()


def test_the_most_accurate_tree_counts_weights() -> None:
    """The accuracy of the best trees is the fraction of the rows that the weights stand for."""
    small = small_forest(0)
    table = read_table(small.X)
    weights = np.arange(1, table.n_rows + 1)
    weighted = replace(table, weights=weights)
    labels = np.resize(small.forest.classes, table.n_rows)
    best = small.forest.best(weighted, labels)
    repeated = small.forest.best(weighted.repeated(), np.repeat(labels, weights))
    assert (best.accuracy, best.count, best.n_rows) == (repeated.accuracy, repeated.count, weights.sum())
