"""Features by level: what is chosen, in which order, and how it is told."""

import numpy as np
import pandas as pd
import pytest

from featsieve.datasets import make_monks
from featsieve.selectors import CumulativeGainFilter


def test_levels_run_out_and_gains_at_the_root_follow():
    X = [["a", "x", "p"], ["a", "y", "p"], ["b", "x", "q"], ["b", "y", "p"]] * 6
    y = [0, 0, 1, 1] * 6
    one = CumulativeGainFilter().fit(X, y)
    assert one.selected_.tolist() == [0]
    assert one.cumulative_gains_.shape == (1, 3)
    every = CumulativeGainFilter(3).fit(X, y)
    assert every.selected_.tolist() == [0, 2, 1]
    assert [step["level"] for step in every.steps_] == [0, None, None]
    assert every.ranking_.tolist() == [1, 3, 2]
    assert CumulativeGainFilter(0.7).fit(X, y).support_.tolist() == [True, False, True]


def test_order_of_choice_is_the_rank():
    X = [["a", "x", "p"], ["a", "y", "q"], ["b", "x", "q"], ["b", "y", "p"]] * 6
    selector = CumulativeGainFilter(2).fit(X, [0, 0, 0, 1] * 6)
    assert selector.ranking_.tolist() == [1, 2, 3]
    assert selector.scores_[1] > selector.scores_[0]


def test_what_matters_below_others_is_found():
    table, truth = make_monks(1)
    selector = CumulativeGainFilter(3).fit(table, None)
    assert set(selector.get_feature_names_out()) == set(truth.relevant)
    assert selector.steps_[0]["feature"] == "a5"


def test_order_of_rows_and_columns_and_names_of_classes_do_not_matter():
    random = np.random.default_rng(0)
    X = random.normal(size=(150, 5))
    y = (X[:, 1] + X[:, 3] * X[:, 0] > 0).astype(int)
    first = CumulativeGainFilter(3).fit(X, y)
    order = random.permutation(150)
    turned = CumulativeGainFilter(3).fit(X[order, ::-1], np.array(["b", "a"])[y[order]])
    np.testing.assert_allclose(turned.scores_[::-1], first.scores_)
    assert (4 - turned.selected_).tolist() == first.selected_.tolist()


def test_nominal_and_missing_values_and_constants():
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 100)
    X = pd.DataFrame(
        {
            "constant": np.ones(100),
            "colour": np.where(y == 1, "red", "blue").astype(object),
            "size": y + random.normal(0, 1, 100),
        }
    )
    X.loc[::3, "colour"] = None
    X.loc[::5, "size"] = np.nan
    selector = CumulativeGainFilter().fit(X, y)
    assert selector.scores_[0] == 0
    assert selector.selected_[0] == 1
    assert list(selector.transform(X.head(2)).shape) == [2, selector.support_.sum()]


def test_one_class_tells_nothing():
    with pytest.warns(match="kept no feature"):
        selector = CumulativeGainFilter().fit([[0], [1]] * 5, [1] * 10)
    assert selector.scores_.tolist() == [0]
    assert selector.cumulative_gains_.shape == (0, 1)


@pytest.mark.parametrize(
    ("name", "value"),
    [("n_features_to_select", 0), ("min_cases", 0), ("target_bins", 1)],
)
def test_bad_parameters_are_named(name, value):
    with pytest.raises(ValueError, match=f"'{name}' parameter of CumulativeGainFilter"):
        CumulativeGainFilter(**{name: value}).fit([[0], [1]], [0, 1])
