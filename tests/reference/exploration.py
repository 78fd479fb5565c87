"""Shallow trees that split at random, the plain way: every table counted afresh."""

from __future__ import annotations

import math

import numpy as np

from reference.shadows import Random


class Exploration:
    """Sums of surprise by level and feature, and nodes by level.

    The generator is that of the core, so that splits and draws are the same. Codes of
    every column are 0, 1, ... without gaps; -1 is missing.
    """

    def __init__(self, codes, classes, is_nominal, *, depth, least_rows):
        self.codes, self.classes, self.is_nominal = codes, classes, is_nominal
        self.depth, self.least_rows = depth, least_rows
        self.surprise = np.zeros((depth, codes.shape[1]))
        self.n_nodes = np.zeros(depth, dtype=int)

    def add_tree(self, root, seed, chances):
        random, ends = Random(seed), np.cumsum(chances)

        def draw():
            point = random.next() / 2**64
            point = math.floor(point * 2**53) / 2**53 * ends[-1]
            return int(np.searchsorted(ends, point, side="right"))

        nodes = [(np.arange(len(self.classes)), [root])]
        for depth in range(self.depth):
            below = []
            for rows, path in nodes:
                right = self.goes_right(path[-1], random)[self.codes[rows, path[-1]]]
                for half in (rows[~right], rows[right]):
                    pure = len(np.unique(self.classes[half])) < 2
                    if len(half) < self.least_rows or len(half) == len(rows) or pure:
                        continue
                    feature, tries = draw(), 0
                    while feature in path and tries < 8:
                        feature, tries = draw(), tries + 1
                    below.append((half, [*path, feature]))
            for rows, _ in below:
                self.n_nodes[depth] += 1
                for j in range(self.codes.shape[1]):
                    if len(np.unique(self.codes[:, j])) > 1:
                        self.surprise[depth, j] += surprise(
                            self.codes[rows, j], self.classes[rows]
                        )
            nodes = below

    def goes_right(self, feature, random):
        """For each level whether its rows go right; the last entry is for missing.

        The side of level 0 is called left.
        """
        codes = self.codes[:, feature]
        n_levels = int(codes.max()) + 1
        right = [False] * n_levels
        if self.is_nominal[feature]:
            right = [random.below(2) == 1 for _ in range(n_levels)]
            if n_levels > 1:
                one = random.below(n_levels)
                other = (one + 1 + random.below(n_levels - 1)) % n_levels
                right[other] = not right[one]
        elif n_levels > 1:
            cut = 1 + random.below(n_levels - 1)
            right = [level >= cut for level in range(n_levels)]
        missing = random.below(2) == 1 if (codes < 0).any() else False
        return np.array([*right, missing]) != right[0]


def surprise(codes, classes):
    """2 to half of the bits gained above the degrees of freedom; at least 1."""
    table = np.array(
        [[np.sum((codes == a) & (classes == c)) for c in np.unique(classes)]
         for a in np.unique(codes)]
    )  # fmt: skip
    total = table.sum()
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / total
    some = table > 0
    bits = np.sum(table[some] * np.log2(table[some] / expected[some]))
    freedom = (table.shape[0] - 1) * (table.shape[1] - 1)
    return 2 ** max(0.0, min(bits - freedom, 100) / 2)
