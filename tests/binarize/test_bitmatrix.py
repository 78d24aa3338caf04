"""Packing, transposing and grouping bits."""

import pickle

import numpy as np
import pytest
from helpers.strategies import bit_matrices
from hypothesis import given

from puretree import _native
from puretree.binarize.bitmatrix import BitMatrix
from puretree.errors import InputError


@given(bit_matrices())
def test_unpack_inverts_pack(dense: np.ndarray) -> None:
    """Unpacking inverts packing, and bits past the end are zero."""
    bits = BitMatrix.pack(dense)
    assert bits.shape == dense.shape
    np.testing.assert_array_equal(bits.unpack(), dense)
    assert np.bitwise_count(bits.words).sum() == dense.sum()


@given(bit_matrices())
def test_flip_inverts_some_rows(dense: np.ndarray) -> None:
    """Every second row is inverted, and bits past the end stay zero."""
    is_flipped = np.arange(len(dense)) % 2 == 1
    np.testing.assert_array_equal(BitMatrix.pack(dense).flip(is_flipped).unpack(), dense ^ is_flipped[:, None])


@given(bit_matrices())
def test_transpose_agrees_with_numpy(dense: np.ndarray) -> None:
    """The native transpose agrees with NumPy's, for every shape around the word size."""
    transposed = BitMatrix.pack(dense).transpose()
    np.testing.assert_array_equal(transposed.unpack(), dense.T)
    assert np.bitwise_count(transposed.words).sum() == dense.sum()


@given(bit_matrices(max_side=70))
def test_equal_rows_share_a_group(dense: np.ndarray) -> None:
    """Rows are grouped exactly by equality, groups are numbered by their first row."""
    group, first, flipped = _native.group(BitMatrix.pack(dense).words, dense.shape[1], False)
    for i, row in enumerate(dense):
        expected = next(j for j in range(i + 1) if (dense[j] == row).all())
        assert first[group[i]] == expected
    assert not flipped.any()
    assert sorted(first) == list(first)


@given(bit_matrices(max_side=70))
def test_complements_share_a_group_on_request(dense: np.ndarray) -> None:
    """With folding, a row joins the first row it equals or complements, and is marked if it complements it."""
    group, first, flipped = _native.group(BitMatrix.pack(dense).words, dense.shape[1], True)
    for i, row in enumerate(dense):
        expected = next(j for j in range(i + 1) if (dense[j] == row).all() or (dense[j] == ~row).all())
        assert first[group[i]] == expected
        assert bool(flipped[i]) == (not (dense[expected] == row).all())


def test_rows_must_be_zeros_and_ones() -> None:
    """A value other than 0 and 1 raises an error that names its row and column."""
    with pytest.raises(InputError, match=r"row 1, column 0 holds .*2"):
        BitMatrix.from_rows([[0, 1], [2, 1]])
    with pytest.raises(InputError, match=r"row 0, column 0 holds .*nan"):
        BitMatrix.from_rows([[np.nan]])
    with pytest.raises(InputError, match="2-D"):
        BitMatrix.from_rows([0, 1])


def test_words_are_read_only() -> None:
    """The words of a bit matrix cannot be changed."""
    bits = BitMatrix.from_rows([[0, 1]])
    with pytest.raises(ValueError, match="read-only"):
        bits.words[0, 0] = 1


def test_native_kernels_check_their_arguments() -> None:
    """Arguments of wrong sizes raise ValueError and do not crash."""
    words = BitMatrix.from_rows(np.eye(3)).words
    with pytest.raises(ValueError, match="words"):
        _native.transpose(words, 65)
    with pytest.raises(ValueError, match="children"):
        _native.leaves_of_examples(np.array([0], dtype=np.int32), np.array([0], dtype=np.int32), words, 3)
    with pytest.raises(ValueError, match="not there"):
        _native.leaves_of_examples(
            np.array([3, -1, -1], dtype=np.int32), np.array([1, -1, -1], dtype=np.int32), words, 3
        )
    with pytest.raises(ValueError, match="label"):
        _native.greedy_tree(words, 3, np.array([0, 1, 7], dtype=np.int32), 2, 1.0)
    with pytest.raises(ValueError, match="words"):
        _native.group(np.zeros((2, 0), dtype=np.uint64), 2**64 - 1, True)
    with pytest.raises(ValueError, match="not a number"):
        _native.Predicates([0], [0, 1], [np.nan], [True], [False])


def test_invalid_words_raise() -> None:
    """Words of a wrong shape, or with bits past the end, raise InputError; the caller's array stays writable."""
    words = np.array([[5]], dtype=np.uint64)
    BitMatrix(words, 3)
    words[0, 0] = 4
    with pytest.raises(InputError, match="past the end"):
        BitMatrix(words, 2)
    with pytest.raises(InputError, match="do not fit"):
        BitMatrix(words, 65)
    copy = pickle.loads(pickle.dumps(BitMatrix(words, 3)))
    assert copy.unpack().tolist() == [[False, False, True]]
    assert not copy.words.flags.writeable


def test_missing_values_raise() -> None:
    """Masked cells and None raise InputError, and are not read as 0 or 1."""
    with pytest.raises(InputError, match="masked"):
        BitMatrix.from_rows(np.ma.array([[0, 1]], mask=[[0, 1]]))
    with pytest.raises(InputError, match="row 0, column 1"):
        BitMatrix.from_rows([[0, None]])
    with pytest.raises(InputError, match="do not form a matrix"):
        BitMatrix.from_rows([[0, 1], [0]])
