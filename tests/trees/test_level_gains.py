"""Gains by level of a tree, against a plain tree and a plain loop."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from featsieve.data.api import Target, Training
from featsieve.trees._level_gains import LevelGains, choose_by_level, level_gains
from reference import subset_ensembles as plain
from reference.tree_tables import samples, table_of


@given(samples(), st.integers(1, 4), st.sampled_from([1, 2, 3]))
def test_gains_are_those_of_the_plain_tree(sample, max_levels, min_cases):
    table, weights = table_of(sample)
    target = Target(table.target.values, tuple(range(sample.n_classes)), None)
    training = Training(table, target, weights)
    fast = level_gains(training, max_levels=max_levels, min_cases=min_cases)
    at_root, by_level = plain.level_gains(sample, max_levels, min_cases)
    np.testing.assert_allclose(fast.at_root, at_root, atol=1e-9)
    assert len(fast.by_level) == len(by_level)
    np.testing.assert_allclose(
        fast.by_level, np.reshape(by_level, fast.by_level.shape), atol=1e-9
    )


tens = st.integers(0, 3).map(float)
rows = st.lists(tens, min_size=4, max_size=4)


@given(rows, st.lists(rows, max_size=4), st.none() | st.integers(1, 4))
def test_choice_is_that_of_the_plain_loop(at_root, by_level, count):
    gains = LevelGains(np.array(at_root), np.reshape(by_level, (-1, 4)))
    chosen = choose_by_level(gains, count)
    assert chosen == plain.choose_by_level(at_root, by_level, count)
