"""Matrices of bits, 64 to a word: the layout that binarisers, problems, trees and native kernels share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _native
from .._support.text import quantity
from ..errors import InputError
from ..table import is_missing

Words = NDArray[np.uint64]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BitMatrix:
    """An immutable matrix of bits.

    Parameters
    ----------
    words : ndarray of uint64, shape (n_rows, ceil(n_bits / 64))
        Least significant bit first; bits past the end of a row are zero.
    n_bits : int
        The number of columns.
    """

    words: Words
    n_bits: int

    def __post_init__(self) -> None:
        words = np.ascontiguousarray(self.words).view()
        if words.ndim != 2 or words.shape[1] != -(-self.n_bits // 64):
            raise InputError(f"{self.n_bits} bits do not fit words of shape {words.shape}")
        if self.n_bits % 64 and np.any(words[:, -1] >> np.uint64(self.n_bits % 64)):
            raise InputError("bits past the end of a row must be zero")
        words.flags.writeable = False
        object.__setattr__(self, "words", words)

    def __repr__(self) -> str:
        return f"<BitMatrix: {quantity(self.shape[0], 'row')} × {quantity(self.n_bits, 'bit')}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return BitMatrix, (np.array(self.words), self.n_bits)

    @classmethod
    def pack(cls, dense: NDArray[np.bool_]) -> BitMatrix:
        """Pack a matrix of booleans."""
        n_rows, n_bits = dense.shape
        n_words = -(-n_bits // 64)
        packed = np.zeros((n_rows, 8 * n_words), dtype=np.uint8)
        packed[:, : -(-n_bits // 8)] = np.packbits(dense, axis=1, bitorder="little")
        return cls(packed.view("<u8").astype(np.uint64, copy=False), n_bits)

    @classmethod
    def from_rows(cls, X: Any) -> BitMatrix:
        """Pack a matrix of zeros and ones of any type; raise InputError for other values."""
        if np.ma.is_masked(X):
            raise InputError("a 0/1 matrix must not have masked cells; use a binariser for missing values")
        try:
            dense = np.asarray(X)
        except ValueError as error:
            raise InputError(f"the rows do not form a matrix of 0 and 1: {error}") from error
        if dense.ndim != 2:
            raise InputError(f"expected a 2-D matrix of 0 and 1, got {dense.ndim} dimension(s)")
        if dense.dtype == np.bool_:
            return cls.pack(dense)
        if dense.dtype.kind == "O":
            is_binary = np.array([[not is_missing(cell) and cell in (0, 1) for cell in row] for row in dense])
        else:
            is_binary = (dense == 0) | (dense == 1)
        if not is_binary.all():
            row, column = np.argwhere(~is_binary)[0]
            raise InputError(
                f"row {row}, column {column} holds {dense[row, column]!r}; a 0/1 matrix has only 0 "
                "and 1; use a binariser for raw values"
            )
        return cls.pack(dense == 1)

    def unpack(self) -> NDArray[np.bool_]:
        """Return the matrix as booleans."""
        as_bytes = self.words.astype("<u8", copy=False).view(np.uint8)
        dense = np.unpackbits(as_bytes, axis=1, count=self.n_bits, bitorder="little")
        return dense.view(np.bool_)

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows and the number of bits per row."""
        return self.words.shape[0], self.n_bits

    def transpose(self) -> BitMatrix:
        """Return the transposed matrix."""
        return BitMatrix(_native.transpose(self.words, self.n_bits), self.words.shape[0])

    def take(self, rows: NDArray[np.intp]) -> BitMatrix:
        """Return some of the rows; this matrix, without a copy, for all of them in order."""
        is_everything = len(rows) == len(self.words) and np.array_equal(rows, np.arange(len(rows)))
        return self if is_everything else BitMatrix(self.words[rows], self.n_bits)

    def flip(self, is_flipped: NDArray[np.bool_]) -> BitMatrix:
        """Return the matrix with all bits of some rows inverted."""
        words = self.words.copy()
        words[is_flipped] ^= ~np.uint64(0)
        if self.n_bits % 64:
            words[:, -1] &= np.uint64((1 << self.n_bits % 64) - 1)
        return BitMatrix(words, self.n_bits)
