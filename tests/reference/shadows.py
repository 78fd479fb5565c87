"""Forests with shadows, the plain way: every gain taken afresh, every node kept.

The generator is that of the core, so that bags and draws are the same.
"""

from __future__ import annotations

import math

import numpy as np

from reference.trees import branch_of, first_greatest
from reference.trees_mdl import SLACK, best_split, is_pure, variance

WORD = (1 << 64) - 1


class Random:
    """xoshiro256++ seeded by splitmix64."""

    def __init__(self, seed):
        self.state = []
        for _ in range(4):
            seed = (seed + 0x9E3779B97F4A7C15) & WORD
            z = ((seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9) & WORD
            z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & WORD
            self.state.append(z ^ (z >> 31))

    def next(self):
        s = self.state
        result = (_rotate((s[0] + s[3]) & WORD, 23) + s[0]) & WORD
        shifted = (s[1] << 17) & WORD
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= shifted
        s[3] = _rotate(s[3], 45)
        return result

    def below(self, bound):
        while True:
            product = (self.next() >> 32) * bound
            if product & 0xFFFFFFFF >= (2**32 - bound) % bound:
                return product >> 32


def _rotate(x, k):
    return ((x << k) | (x >> (64 - k))) & WORD


class Draw:
    """Features one after another, each once per node."""

    def __init__(self, n_features, seed):
        self.random, self.order = Random(seed), list(range(n_features))

    def node(self):
        for i in range(len(self.order)):
            j = i + self.random.below(len(self.order) - i)
            self.order[i], self.order[j] = self.order[j], self.order[i]
            yield self.order[i]


def complexity(outcomes):
    """Eq. 7.5 of the thesis for any outcomes, by whole numbers."""
    counts = list(np.unique(outcomes, return_counts=True)[1].tolist())
    ways = _arrangements(counts)
    odd = sum(count % 2 for count in counts)
    symmetric = _arrangements([count // 2 for count in counts]) if odd <= 1 else 0
    return max(0.0, math.log2(ways) - (1 - symmetric / ways))


def _arrangements(counts):
    ways = math.factorial(sum(counts))
    for count in counts:
        ways //= math.factorial(count)
    return ways


class Forest:
    """Sums over trees: how often drawn, Σ weight, Σ weight·gain, and of each shadow."""

    def __init__(self, sample, permutations, *, n_drawn, power):
        # By feature and shadow.
        self.sample, self.permutations = sample, permutations
        self.n_drawn, self.power = n_drawn, power
        n_features = len(sample.columns)
        self.criterion = "variance" if sample.n_classes is None else "entropy"
        self.n_draws = np.zeros(n_features, dtype=int)
        self.weight, self.gain = np.zeros(n_features), np.zeros(n_features)
        self.shadow_gain = np.zeros((n_features, len(permutations[0])))

    def add_tree(self, seed):
        random = Random(seed)
        n_rows = len(self.sample.target)
        rows = np.unique([random.below(n_rows) for _ in range(n_rows)])
        self.draw = Draw(len(self.sample.columns), random.next())
        self.spread = 0.0
        if self.sample.n_classes is None:
            self.spread = variance(self.sample.target[rows], np.ones(len(rows)))
        self.grow(rows, ())

    def grow(self, rows, used):
        if is_pure(self.sample, rows, np.ones(len(rows)), self.spread):
            return
        split = self.choose(rows, used)
        if split is None:
            return
        for part in self.divide(split, rows):
            self.grow(part, (*used, split.feature))

    def choose(self, rows, used):
        best = None
        drawn = self.draw.node()
        first = sorted(next(drawn) for _ in range(min(self.n_drawn, len(self.weight))))

        def consider(feature):
            nonlocal best
            split, ahead = self.try_feature(rows, feature, used)
            if split and (best is None or ahead > best[1] + self.slack()):
                best = split, ahead

        for feature in first:
            consider(feature)
        while best is None and (feature := next(drawn, None)) is not None:
            consider(feature)
        return best and best[0]

    def slack(self):
        return SLACK * (self.spread if self.sample.n_classes is None else 1)

    def try_feature(self, rows, feature, used):
        """The best split and how far it is ahead of the mean of its shadows."""
        split = self.best(self.sample.columns[feature], rows, feature)
        gain = split.gain if split else 0.0
        shadows = []
        for permutation in self.permutations[feature]:
            found = self.best(self.sample.columns[feature][permutation], rows, feature)
            shadows.append(found.gain if found else 0.0)
        shadows = np.array(shadows)
        weight = complexity(self.sample.target[rows]) ** self.power
        if feature not in used and weight > 0:
            unit = 1.0
            if self.sample.n_classes is None:
                unit = variance(self.sample.target[rows], np.ones(len(rows)))
            self.n_draws[feature] += 1
            self.weight[feature] += weight
            self.gain[feature] += weight * gain / unit
            self.shadow_gain[feature] += weight * shadows / unit
        # One feature has nobody to compete with.
        return split, gain - (shadows.mean() if self.n_drawn > 1 else 0.0)

    def best(self, values, rows, feature):
        own = self.sample.columns[feature]
        self.sample.columns[feature] = values
        found = best_split(
            self.sample,
            rows,
            np.ones(len(rows)),
            [feature],
            criterion=self.criterion,
            slack=self.slack(),
        )
        self.sample.columns[feature] = own
        return found

    def divide(self, split, rows):
        """Rows of every branch; without a value, they go to the largest."""
        branch = branch_of(self.sample, split, rows)
        sizes = np.bincount(branch[branch >= 0])
        branch = np.where(branch < 0, first_greatest(sizes, 1e-9), branch)
        return [rows[branch == b] for b in range(len(sizes))]
