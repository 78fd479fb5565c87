"""What features gain in the nodes of a tree, level by level.

H. Bommaganti's way to choose features for the members of an ensemble; section 3.5 and
figure 8 of his thesis.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from featsieve._kernels import grow_tree
from featsieve._types import Codes, Floats, Positions
from featsieve.data.api import Training, tree_columns
from featsieve.trees._c45 import C45Classifier

#: Gains that agree in so many decimals are equal: beyond lies rounding.
DECIMALS = 12


@dataclass(frozen=True, slots=True, eq=False)
class LevelGains:
    """What features tell in the nodes of a tree, level by level, in bits.

    `at_root` is their gain on all rows, also where the root is not split; row l of
    `by_level` is their cumulative gain on level l.
    """

    at_root: Floats
    by_level: Floats


def cumulative_gain(gains: Floats, sizes: Floats) -> Floats:
    """Return Σ |Dᵢ| Gain(Dᵢ, A) / Σ |Dᵢ| for every feature A.

    `gains` has one row per node of the level, `sizes` the weight of its cases.
    """
    return sizes @ gains / sizes.sum()


def level_gains(
    training: Training, *, max_levels: int, min_cases: float = 2
) -> LevelGains:
    """Return the gains in the nodes of an unpruned C4.5 tree of so many levels.

    Nodes that are not split, because they are pure or have no test, are on no level. A
    feature without a test in a node tells nothing there.
    """
    table, target = training.table, training.target
    rules = C45Classifier(
        min_cases=min_cases, release8_penalty=False, actual_thresholds=False
    )._rules(table)
    rules.max_depth = max_levels
    tree, tried = grow_tree(
        tree_columns(table),
        rules,
        classes=target.codes,
        n_classes=target.n_classes,
        weights=training.weights,
        observe=True,
    )
    assert tried is not None
    # Every node that was looked at has tried all features in order.
    gains = tried["gain"].reshape(-1, table.n_columns)
    looked_at = tried["node"][:: table.n_columns]
    place = np.full(len(tree["feature"]), -1)
    place[looked_at] = np.arange(len(looked_at))
    at_root = gains[0] if len(gains) else np.zeros(table.n_columns)
    by_level = [
        cumulative_gain(gains[place[nodes]], tree["weight"][nodes])
        for nodes in _levels_of(tree["first_child"], tree["n_children"])
    ]
    gains_by_level = np.reshape(by_level, (-1, table.n_columns))
    return LevelGains(at_root.round(DECIMALS), gains_by_level.round(DECIMALS))


def _levels_of(first_child: Codes, n_children: Codes) -> list[Positions]:
    """Return the nodes of every level that are split."""
    levels = []
    nodes = np.zeros(1, dtype=np.intp)
    while len(nodes := nodes[n_children[nodes] > 0]):
        levels.append(nodes)
        counts = n_children[nodes]
        begins = np.repeat(first_child[nodes] - np.cumsum(counts) + counts, counts)
        nodes = begins + np.arange(counts.sum(), dtype=np.intp)
    return levels


def choose_by_level(gains: LevelGains, count: int | None) -> list[tuple[int, int]]:
    """Return (feature, level) of the best new feature of every level.

    With a `count`, if the tree has fewer levels, the features of greatest gain at the
    root follow, on level -1. The first of equals is best.
    """
    n_features = len(gains.at_root)
    most = n_features if count is None else min(count, n_features)
    is_open = np.ones(n_features, dtype=bool)
    chosen = []
    for level, values in enumerate(gains.by_level[:most]):
        best = int(np.argmax(np.where(is_open, values, -np.inf)))
        chosen.append((best, level))
        is_open[best] = False
    if count is None:
        return chosen
    rest = np.argsort(-gains.at_root, kind="stable")
    rest = rest[is_open[rest]][: most - len(chosen)]
    return chosen + [(feature, -1) for feature in rest.tolist()]
