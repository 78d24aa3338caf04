"""Every rule over all minimum trees, against looking at each of them."""

from typing import Any

import numpy as np
import pytest
from helpers.small_forests import Small, small_forest
from sklearn.dummy import DummyClassifier
from sklearn.neighbors import KNeighborsClassifier

from puretree import InputError, UnfinishedError
from puretree._support.clock import Clock
from puretree.forest import TreeList
from puretree.pipeline import choose_tree
from puretree.selection import RULES, Choice, Consensus, Evidence, First, Holdout, Rows, Teacher, choose, make_rule
from puretree.selection.agreement import mix_rows

SEEDS = range(12)


def evidence_of(small: Small, seed: int = 0) -> Evidence:
    """Return what a rule gets to see of a small forest, with rows kept back."""
    prepared = small.forest.prepared
    training = Rows.read(prepared.table, prepared.labels)
    labels = [small.forest.classes[code % len(small.forest.classes)] for code in small.y]
    return Evidence(training, Rows.read(small.X, labels), np.random.RandomState(seed))


def listed(small: Small) -> TreeList:
    """Return all trees of a small forest as a list."""
    return TreeList(list(small.forest))


@pytest.mark.parametrize("name", sorted(RULES))
@pytest.mark.parametrize("seed", range(3))
def test_a_forest_and_a_list_of_its_trees_choose_alike(name: str, seed: int) -> None:
    """Whether all trees come as a graph or one by one: the score and the trees that have it are the same."""
    small = small_forest(seed)
    of_forest = make_rule(name).choose(small.forest, evidence_of(small))
    of_list = make_rule(name).choose(listed(small), evidence_of(small))
    assert of_forest.is_exact
    assert of_forest.score == (None if name == "first" else pytest.approx(of_list.score))
    assert make_rule(name).name == name
    assert set(of_forest.among) == set(of_list.among)
    assert of_forest.tree in of_forest.among
    if "holdout" not in name:
        assert of_forest.tree == of_list.tree


@pytest.mark.parametrize("delta", [0.0, 0.1, 0.3])
@pytest.mark.parametrize("seed", SEEDS)
def test_holdout_keeps_all_that_are_good_enough(seed: int, delta: float) -> None:
    """The trees kept are those whose accuracy on the selection set is within delta of the best."""
    small = small_forest(seed)
    evidence = evidence_of(small)
    choice = Holdout(delta).choose(small.forest, evidence)
    assert evidence.selection is not None
    classes = small.forest.classes
    codes = [classes.index(evidence.selection.labels.classes[code]) for code in evidence.selection.labels.codes]
    right = listed(small).answers(evidence.selection.table) == codes
    accuracy = right.mean(axis=1)
    good = {tree for tree, score in zip(small.forest, accuracy, strict=True) if score >= accuracy.max() - delta - 1e-9}
    assert set(choice.among) == good
    assert choice.score == pytest.approx(accuracy.max())
    assert choice.tree in good


def test_holdout_takes_any_of_them() -> None:
    """Chance decides among equally good trees: different seeds take different trees."""
    small = small_forest(3)
    chosen = {Holdout(1.0).choose(small.forest, evidence_of(small, seed)).tree for seed in range(30)}
    assert len(chosen) > 1


@pytest.mark.parametrize("seed", SEEDS)
def test_consensus_is_nearest_to_the_vote(seed: int) -> None:
    """No tree agrees with the others on more of the mixed rows than the one chosen."""
    small = small_forest(seed)
    choice = Consensus(n_rows=50).choose(small.forest, evidence_of(small))
    rows = mix_rows(small.forest.prepared.table, 50, np.random.RandomState(0))
    answers = listed(small).answers(rows)
    agreement = (answers[:, None, :] == answers[None, :, :]).mean(axis=(1, 2))
    place = list(small.forest).index(choice.tree)
    assert agreement[place] == pytest.approx(agreement.max(), abs=1e-3)  # votes are counted in thousandths
    assert choice.score == pytest.approx(agreement.max(), abs=1e-3)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_teacher_is_followed(seed: int) -> None:
    """No tree says more often what the teacher says of the mixed rows."""
    small = small_forest(seed)
    evidence = evidence_of(small)
    choice = Teacher(DummyClassifier(strategy="constant", constant=1), n_rows=40).choose(small.forest, evidence)
    rows = mix_rows(small.forest.prepared.table, 40, np.random.RandomState(0))
    says = (listed(small).answers(rows) == 1).mean(axis=1)
    assert choice.score == pytest.approx(says.max())
    assert says[list(small.forest).index(choice.tree)] == says.max()


def test_a_teacher_may_be_any_classifier() -> None:
    """Categories and numbers reach it as numbers."""
    small = small_forest(5)
    choice = Teacher(KNeighborsClassifier(1), n_rows=30).choose(small.forest, evidence_of(small))
    assert choice.tree in small.forest


def test_a_teacher_decides_among_the_best() -> None:
    """With ties="teacher" the tree is one of the best on the selection set, and the teacher's favourite of these."""
    small = small_forest(4)
    teacher = Teacher(DummyClassifier(strategy="constant", constant=0))
    choice = Holdout(0.2, teacher).choose(small.forest, evidence_of(small))
    favourite = teacher.choose(choice.among, evidence_of(small))
    assert choice.tree == favourite.tree


def test_first_takes_the_first() -> None:
    """No choice: the canonically first tree."""
    small = small_forest(2)
    assert First().choose(small.forest, evidence_of(small)).tree == small.forest[0]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: make_rule("holdup"), "holdup.*consensus, teacher"),
        (lambda: Teacher("socrates"), "socrates.*random-forest"),
        (lambda: Holdout(2.0), "delta=2.0"),
        (lambda: Consensus(0), "n_rows=0"),
        (lambda: Teacher(n_rows=-1), "n_rows=-1"),
    ],
)
def test_options_out_of_range_are_named(make: Any, words: str) -> None:
    """A rule that makes no sense is refused, with what would."""
    with pytest.raises(InputError, match=words):
        make()


@pytest.mark.parametrize("rule", [Consensus(20), Teacher(DummyClassifier(), 20), Holdout()])
def test_a_forest_too_large_is_sampled(rule: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no time for all trees, some are looked at, and the choice says so."""
    small = small_forest(3)
    evidence = evidence_of(small)
    hurried = Evidence(evidence.training, evidence.selection, evidence.random, Clock(0))
    monkeypatch.setattr("puretree.selection.rules.FEW", 3)
    choice = rule.choose(small.forest, hurried)
    assert not choice.is_exact
    assert 1 <= choice.among.count <= 3
    assert choice.tree in small.forest


def test_ctrl_c_takes_the_first_tree() -> None:
    """What was found is not lost because somebody does not want to wait for the choice."""
    small = small_forest(3)

    class Slow(First):
        def choose(self, *arguments: Any) -> Choice:
            raise KeyboardInterrupt

    choice = choose(Slow(), small.forest, evidence_of(small))
    assert (choice.tree, choice.is_exact, choice.score) == (small.forest[0], False, None)


def test_a_vote_of_some_is_not_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where only the vote had to be taken of a sample, the choice says so as well."""
    small = small_forest(3)

    def no_time(*arguments: Any, **options: Any) -> Any:
        raise UnfinishedError("no time", small.forest.outcome)

    monkeypatch.setattr(type(small.forest), "predict_distribution", no_time)
    assert not Consensus(20).choose(small.forest, evidence_of(small)).is_exact


def test_a_teacher_bears_numbers_beyond_single_precision() -> None:
    """What scikit-learn's forests cannot hold counts as the largest number that they can."""
    rows = [[1e308 if x == 0 else float(x)] for x in range(10)]
    chosen = choose_tree(rows, ["a", "b"] * 5, selection="teacher", random_state=0)
    assert chosen.tree.predict(rows).tolist() == ["a", "b"] * 5
