"""Joint gains of sets of features, slow and plain: dictionaries of weights."""

import itertools
import math
from collections import defaultdict


def gain(columns, target, weights=None):
    """Information gain of the joint value of some columns, in bits."""
    if weights is None:
        weights = [1] * len(target)
    total = sum(weights)
    if total == 0:
        return 0.0
    cells = defaultdict(lambda: defaultdict(float))
    classes = defaultdict(float)
    for row, (label, weight) in enumerate(zip(target, weights, strict=True)):
        cells[tuple(column[row] for column in columns)][label] += weight
        classes[label] += weight
    within = math.fsum(
        sum(cell.values()) / total * entropy(cell.values()) for cell in cells.values()
    )
    return entropy(classes.values()) - within


def entropy(counts):
    total = math.fsum(counts)
    shares = [count / total for count in counts if count > 0] if total else []
    return -math.fsum(share * math.log2(share) for share in shares)


def known_rows(columns, n_rows):
    return [r for r in range(n_rows) if all(column[r] >= 0 for column in columns)]


def set_gain(columns, target, missing="level", weights=None):
    """Gain of a set, with negative codes as a level or rows left out."""
    columns = [[max(int(v), -1) for v in column] for column in columns]
    if missing == "ignore":
        rows = known_rows(columns, len(target))
        columns = [[column[r] for r in rows] for column in columns]
        target = [target[r] for r in rows]
        weights = None if weights is None else [weights[r] for r in rows]
    return gain(columns, target, weights)


def pairwise_gain(codes, target, missing="level", weights=None):
    """List of (i, j, joint gain, synergy), and the gains of single features."""
    n_rows, p = codes.shape
    target = [int(label) for label in target]
    columns = [[max(int(v), -1) for v in codes[:, j]] for j in range(p)]
    single = [set_gain([column], target, missing, weights) for column in columns]
    pairs = []
    for i, j in itertools.combinations(range(p), 2):
        pair = [columns[i], columns[j]]
        rows = known_rows(pair, n_rows) if missing == "ignore" else list(range(n_rows))
        x, y = ([column[r] for r in rows] for column in pair)
        labels = [target[r] for r in rows]
        share = None if weights is None else [weights[r] for r in rows]
        joint = gain([x, y], labels, share)
        alone = gain([x], labels, share) + gain([y], labels, share)
        pairs.append((i, j, joint, joint - alone))
    return pairs, single
