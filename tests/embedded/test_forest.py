"""ForestSelector: what it finds, what it promises."""

import numpy as np
import pytest

from featsieve.datasets import make_parity
from featsieve.embedded import ForestSelector


def test_parity_is_found_among_noise():
    table, truth = make_parity(500, n_bits=2, n_noise=10, random_state=1)
    selector = ForestSelector().fit(table, None)
    assert set(selector.get_feature_names_out()) == set(truth.relevant)


def test_any_number_of_jobs_gives_the_same_bits():
    table, _ = make_parity(200, n_bits=2, n_noise=5, random_state=0)
    one = ForestSelector(n_jobs=1).fit(table, None)
    two = ForestSelector(n_jobs=2).fit(table, None)
    np.testing.assert_array_equal(one.p_values_, two.p_values_)
    np.testing.assert_array_equal(one.scores_, two.scores_)


@pytest.mark.parametrize(
    ("parameter", "value"),
    [("test", "z"), ("gamma", 0), ("n_trees", 0), ("n_shadows", 1), ("fdr", "yes")],
)
def test_bad_parameters_are_named(parameter, value):
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of ForestSelector"):
        ForestSelector(**{parameter: value}).fit([[0.0], [1.0]], [0, 1])
