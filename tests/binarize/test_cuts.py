"""Cuts of numbers: their positions and their readability."""

import numpy as np
import pytest
from helpers.strategies import all_floats, moderate_floats
from hypothesis import given
from hypothesis import strategies as st
from sklearn.preprocessing import KBinsDiscretizer

from puretree.binarize.cuts import bin_cuts, midpoints, most_informative, separating
from puretree.errors import InputError


@given(st.sets(all_floats, min_size=2, max_size=30))
def test_midpoints_separate_neighbours(values: set[float]) -> None:
    """Each cut is at or above the lower value and below the higher one, even for neighbouring floats."""
    observed = np.array(sorted(values))
    cuts = midpoints(observed)
    assert (observed[:-1] <= cuts).all()
    assert (cuts < observed[1:]).all()


def test_midpoints_of_decimals_are_decimals() -> None:
    """Between 1.4 and 1.5 the cut is 1.45, not 1.4500000000000002."""
    tenths = np.round(np.arange(0, 100) / 10, 1)
    for cut, low in zip(midpoints(tenths), range(100), strict=False):
        assert float(cut) == float(f"{low // 10}.{low % 10}5")


@pytest.mark.filterwarnings("ignore::UserWarning")
@given(
    st.lists(moderate_floats, min_size=2, max_size=40),
    st.integers(2, 9),
    st.sampled_from(["uniform", "quantile"]),
)
def test_bins_are_those_of_scikit_learn(values: list[float], n_bins: int, strategy: str) -> None:
    """Training values share a bin exactly when KBinsDiscretizer puts them into one."""
    x = np.array(values)
    if len(np.unique(x)) < 2:
        return
    discretizer = KBinsDiscretizer(
        n_bins, encode="ordinal", strategy=strategy, subsample=None, quantile_method="averaged_inverted_cdf"
    )
    theirs = discretizer.fit_transform(x[:, None])[:, 0]
    ours = np.searchsorted(bin_cuts(x, n_bins, strategy, "exact"), x, side="right")
    _, theirs_numbered = np.unique(theirs, return_inverse=True)
    np.testing.assert_array_equal(ours, theirs_numbered)


@given(st.lists(st.integers(-300, 300), min_size=2, max_size=40))
def test_tolerant_edges_are_those_of_old_scikit_learn(tenths: list[int]) -> None:
    """With "tolerant" the bins are those of scikit-learn 1.0: x + 1e-8 + 1e-5·|x| before binning."""
    x = np.array(tenths) / 10
    if len(np.unique(x)) < 2:
        return
    edges = np.linspace(x.min(), x.max(), 9)
    theirs = np.clip(np.digitize(x + 1e-8 + 1e-5 * np.abs(x), edges[1:]), 0, 7)
    ours = np.searchsorted(bin_cuts(x, 8, "uniform", "tolerant"), x, side="right")
    _, theirs_numbered = np.unique(theirs, return_inverse=True)
    np.testing.assert_array_equal(ours, theirs_numbered)


def test_bin_cuts_are_readable() -> None:
    """Cuts have no more decimals than a thousandth of a bin needs."""
    x = np.linspace(1.0, 6.9, 60)
    assert [str(cut) for cut in bin_cuts(x, 8, "uniform", "exact").tolist()] == [
        "1.738", "2.475", "3.213", "3.95", "4.688", "5.425", "6.163",
    ]  # fmt: skip


def test_an_empty_bin_is_divided_between_its_neighbours() -> None:
    """A number between the training values belongs to the nearer bin."""
    cuts = bin_cuts(np.array([0.0, 0.1, 1.0]), 10, "uniform", "exact")
    assert cuts.tolist() == [0.1, 0.55]


@pytest.mark.parametrize("strategy", ["uniform", "quantile", "kmeans"])
@pytest.mark.parametrize("n_values", [2, 3, 7, 60])
def test_cuts_between_integers_are_integers(strategy: str, n_values: int) -> None:
    """In a column of integers all cuts are integers, and separate the training values as before."""
    rng = np.random.default_rng(n_values)
    observed = np.unique(rng.integers(-50, 50, n_values).astype(np.float64))
    cuts, of_reals = midpoints(observed), midpoints(np.append(observed, 1e3 + 0.5))[:-1]
    np.testing.assert_array_equal(cuts, np.floor(of_reals))
    assert (observed[:-1] <= cuts).all()
    assert (cuts < observed[1:]).all()
    edges = bin_cuts(observed, 5, strategy, "exact")
    assert (edges == np.floor(edges)).all()
    assert (np.diff(np.searchsorted(edges, observed, side="right")) <= 1).all()  # no bin is empty


def test_a_range_too_wide_for_floats_raises() -> None:
    """A range whose bins overflow raises InputError."""
    with pytest.raises(InputError, match="rescale"):
        bin_cuts(np.array([-1.7e308, 1.7e308]), 8, "uniform", "exact")


def test_separating_cuts() -> None:
    """A cut is kept unless both its neighbouring values have one and the same class."""
    value_codes = np.array([0, 1, 1, 2, 3, 4])
    labels = np.array([0, 0, 1, 1, 1, 0], dtype=np.int32)
    assert separating(value_codes, labels).tolist() == [0, 1, 3]


def test_the_most_informative_cuts_are_kept() -> None:
    """With a limit of one, the cut that separates the classes best is kept; with a higher limit, all are."""
    value_codes = np.arange(10)
    labels = (value_codes >= 7).astype(np.int32)
    labels[2] = 1
    assert most_informative(value_codes, labels, np.arange(9), 1).tolist() == [6]
    assert most_informative(value_codes, labels, np.arange(9), 3).tolist() == [1, 2, 6]
    assert most_informative(value_codes, labels, np.arange(9), 9).tolist() == list(range(9))


def test_very_many_values_have_as_many_cuts() -> None:
    """A hundred thousand distinct values have a distinct cut between each two."""
    observed = np.unique(np.random.default_rng(0).normal(size=100_000))
    cuts = midpoints(observed)
    assert (np.diff(cuts) > 0).all()
    np.testing.assert_array_equal(np.searchsorted(cuts, observed), np.arange(len(observed)))
