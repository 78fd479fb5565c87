"""Tables reach the grower of trees column by column."""

import numpy as np

from featsieve._kernels import GrowthRules, grow_tree
from featsieve.data import read_table
from featsieve.data._tree_columns import tree_columns


def test_kinds_and_missing_values_are_kept():
    table = read_table(
        {"size": [1.0, 2.0, np.nan, 8.0], "colour": ["red", None, "blue", "red"]}
    )
    columns = tree_columns(table)
    assert (columns.n_rows, columns.n_columns) == (4, 2)
    classes = np.array([0, 0, 1, 1], dtype=np.int32)
    rules = GrowthRules()
    rules.max_depth = 1
    _, tried = grow_tree(columns, rules, classes=classes, n_classes=2, observe=True)
    # Of three known sizes one cut tells all; of three known colours blue is pure.
    known = -(2 / 3 * np.log2(2 / 3) + 1 / 3 * np.log2(1 / 3))
    np.testing.assert_allclose(tried["gain"], [3 / 4 * known, 3 / 4 * (known - 2 / 3)])
