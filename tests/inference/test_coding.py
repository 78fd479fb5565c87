from types import SimpleNamespace

import numpy as np
import pytest

from featsieve.data import EqualFrequencyDiscretizer, read_table
from featsieve.inference._coding import BINS_WITHOUT_CUT, code_columns


@pytest.fixture
def training():
    """A step that MDL cuts, noise that it leaves whole, names, and a constant."""
    rng = np.random.default_rng(0)
    classes = np.repeat([0, 1], 50).astype(np.int32)
    table = read_table(
        {
            "step": classes * 2.0 + rng.random(100),
            "noise": rng.random(100),
            "name": np.array(["a", "b"])[rng.integers(0, 2, 100)],
            "same": np.ones(100),
        }
    )
    target = SimpleNamespace(codes=classes, n_classes=2)
    return SimpleNamespace(table=table, target=target, weights=None)


def test_mdl_cuts_are_named_for_cutting_anew(training):
    columns, fitted, price = code_columns(training, None)
    assert columns.n_levels.tolist() == [2, 1, 2, 1]
    assert columns.codes[:, 0].tolist() == training.target.codes.tolist()
    assert sorted(columns.numeric) == [0, 1, 3]
    raw = training.table.columns[0].values
    np.testing.assert_array_equal(columns.numeric[0], raw)
    assert price is fitted.price
    assert columns.classes is training.target.codes
    assert (columns.n_classes, columns.weights) == (2, None)


def test_what_mdl_leaves_whole_is_cut_evenly(training):
    columns, fitted, _ = code_columns(training, None, bins_without_cut=BINS_WITHOUT_CUT)
    assert columns.n_levels[:2].tolist() == [2, 4]
    assert np.bincount(columns.codes[:, 1]).tolist() == [25] * 4
    assert len(fitted.cut_points_[1]) == 3
    # Even bins know nothing of the class: not to be cut anew.
    assert sorted(columns.numeric) == [0]


def test_even_bins_know_nothing_of_the_class(training):
    given = EqualFrequencyDiscretizer(3)
    columns, fitted, price = code_columns(training, given, bins_without_cut=4)
    assert columns.n_levels[:2].tolist() == [3, 3]
    assert columns.numeric == {}
    assert price is None
    assert fitted is not given  # a user's discretizer is left as it was


def test_weights_move_cuts(training):
    training.weights = np.where(np.arange(100) < 50, 1.0, 3.0)
    columns, _, _ = code_columns(training, None, bins_without_cut=2)
    noise = training.table.columns[1].values
    low = columns.codes[:, 1] == 0
    share = training.weights[low].sum() / training.weights.sum()
    assert share == pytest.approx(0.5, abs=0.02)
    assert noise[low].max() < noise[~low].min()
    assert columns.weights is training.weights
