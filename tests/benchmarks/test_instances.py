"""The instances of the search benchmark."""

from pathlib import Path

import instances
import numpy as np
import pytest


def shape(instance: instances.Instance) -> tuple[int, int]:
    """Return the numbers of examples and features."""
    problem = instance.make()
    return problem.n_examples, problem.n_features


def test_training_sets_are_stratified_and_reproducible() -> None:
    """A training set has 64 % of the rows of each class, and depends only on the seed."""
    labels = np.array(["a"] * 100 + ["b"] * 50)
    train = instances.stratified(labels, seed=3)
    assert [(labels[train] == label).sum() for label in "ab"] == [64, 32]
    assert train.tolist() == instances.stratified(labels, seed=3).tolist()
    assert train.tolist() != instances.stratified(labels, seed=4).tolist()


def test_generated_instances_have_the_expected_shapes() -> None:
    """Samples of formulas and random tables have the sizes in their names."""
    mux = instances.sampled_formula("mux11", 300, 0)
    random = instances.random_thresholds(0)
    assert (mux.n_examples, mux.n_features) == (300, 11)
    assert (random.n_examples, random.n_features) == (40, 25)


@pytest.mark.data
def test_harder_instances_have_the_expected_shapes(paper_folder: Path) -> None:
    """The shapes equal those recorded for the prototype."""
    shapes = {instance.name: shape(instance) for instance in instances.harder(paper_folder)}
    assert shapes["house-votes"] == (298, 16)
    assert shapes["spect"] == (219, 22)
    assert shapes["iris, thresholds"][1] == 118
    assert shapes["wine, thresholds"][1] == 1259
    assert shapes["new-thyroid, thresholds"] == (215, 328)


@pytest.mark.data
def test_all_parts_can_be_created(paper_folder: Path) -> None:
    """There are 19 training sets for each seed, 18 larger sets, and growing sets."""
    assert len([shape(instance) for instance in instances.paper(paper_folder, [0, 1])]) == 38
    assert len([shape(instance) for instance in instances.larger(paper_folder)]) == 18
    growing = [shape(instance) for instance in instances.growth(paper_folder)]
    assert [rows for rows, _ in growing[:5]] == [500, 1000, 2000, 4000, 8124]
    assert [columns for _, columns in growing[5:]] == sorted(columns for _, columns in growing[5:])
