"""Samples with a designed number of rows of every class, in one pass over the rows."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from featsieve.engine import derive_seed
from featsieve.engine._keys import row_keys

__all__ = ["ClassSampler", "class_quotas", "sample_rows", "split_classes"]


class ClassSampler:
    """Draws rows of every class while they pass by, block after block.

    Every row has a random key that depends on the seed and on its number only, and the
    rows with the least keys of each class are kept. So one pass is enough, memory holds
    the sample only, and the sample is the same however rows are cut into blocks.

    Parameters
    ----------
    wanted : mapping of int to int
        Rows wanted of each class.
    seed : int
        Seed of the keys.
    cap : int
        A class with fewer rows than wanted is drawn with replacement, up to so many
        times its size.
    """

    def __init__(self, wanted: Mapping[int, int], seed: int, *, cap: int) -> None:
        self._wanted = {c: n for c, n in wanted.items() if n > 0}
        self._seed = seed
        self._cap = cap
        self._rows = {c: np.empty(0, np.int64) for c in self._wanted}

    def update(self, codes: NDArray[np.int32], first_row: int = 0) -> None:
        """Look at a block of rows, numbered from `first_row`."""
        for c, wanted in self._wanted.items():
            rows = np.flatnonzero(codes == c) + first_row
            if not len(rows):
                continue
            both = np.concatenate([self._rows[c], rows])
            if len(both) > wanted:
                keys = row_keys(both, self._seed)
                both = both[np.argpartition(keys, wanted - 1)[:wanted]]
            self._rows[c] = both

    def rows(self) -> NDArray[np.int64]:
        """Return the rows drawn, sorted; rows of small classes may come repeatedly."""
        parts = []
        for c, wanted in sorted(self._wanted.items()):
            kept = np.sort(self._rows[c])
            if len(kept) and len(kept) < wanted:
                random = np.random.default_rng(derive_seed(self._seed, "bootstrap", c))
                n = min(wanted, self._cap * len(kept))
                kept = random.choice(kept, size=n, replace=True)
            parts.append(kept)
        return np.sort(np.concatenate(parts)) if parts else np.empty(0, np.int64)


def sample_rows(
    codes: NDArray[np.int32], wanted: Mapping[int, int], seed: int, *, cap: int
) -> NDArray[np.int64]:
    """Return rows with the wanted number of each class, from all codes at once."""
    sampler = ClassSampler(wanted, seed, cap=cap)
    sampler.update(codes)
    return sampler.rows()


def split_classes(
    codes: NDArray[np.int32], test_share: float, seed: int
) -> NDArray[np.bool_]:
    """Return the mask of test rows: about the same share of every class.

    A class with a single row has it for training.
    """
    test = np.zeros(len(codes), dtype=bool)
    for c in np.unique(codes).tolist():
        rows = np.flatnonzero(codes == c)
        n_test = min(round(test_share * len(rows)), len(rows) - 1)
        if n_test > 0:
            keys = row_keys(rows, derive_seed(seed, "parts"))
            test[rows[np.argpartition(keys, n_test - 1)[:n_test]]] = True
    return test


def class_quotas(
    positives: NDArray[np.int64],
    confusion: NDArray[np.float64] | None,
    n_classes: int,
    *,
    sample_size: int,
    positive_share: float,
    boost: float,
) -> dict[int, int]:
    """Return how many rows of each class an expert learns from.

    Positive classes share their part equally. Negative classes share theirs equally
    too, but for the share `boost` of it, which goes by how much each is confused with
    the positive classes.
    """
    members = set(positives.tolist())
    negatives = np.array([c for c in range(n_classes) if c not in members])
    n_positive = positive_share * sample_size
    quotas = {int(c): _whole(n_positive / len(positives)) for c in positives}
    shares = np.full(len(negatives), 1 / len(negatives))
    if confusion is not None and boost > 0:
        both_ways = (confusion + confusion.T)[np.ix_(negatives, positives)].sum(axis=1)
        if both_ways.sum() > 0:
            shares = (1 - boost) * shares + boost * both_ways / both_ways.sum()
    n_negative = sample_size - n_positive
    quotas |= {
        int(c): _whole(n_negative * share)
        for c, share in zip(negatives, shares, strict=True)
    }
    return quotas


def _whole(number: float) -> int:
    return max(round(number), 1)
