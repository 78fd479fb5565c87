"""Measures of pairs equal their definitions."""

import numpy as np
import pytest
from hypothesis import given

from diversity.answers import answers
from featsieve import diversity
from featsieve.diversity import kappa, kappa_error, pairwise_diversity, q_statistic
from featsieve.diversity._pairs import MEASURES, OTHERS
from reference.diversity import correlation, label_kappa, pair_measure, raw_margins

NAMES = tuple(MEASURES)


@given(answers())
def test_matrices_equal_the_definitions(data):
    predictions, y = data
    correct = (predictions == y).astype(int).tolist()
    for name in NAMES:
        matrix = pairwise_diversity(predictions, y, measure=name)
        expected = [[pair_measure(name, a, b) for b in correct] for a in correct]
        np.testing.assert_allclose(matrix, expected, atol=1e-12, err_msg=name)
        assert (matrix == matrix.T).all()


@given(answers())
def test_single_pairs_equal_the_definitions(data):
    predictions, y = data
    a, b = (predictions[:2] == y).astype(int).tolist()
    for name in set(NAMES) - {"coincident_failure"}:
        value = getattr(diversity, name)(a, b)
        assert value == pytest.approx(pair_measure(name, a, b)), name


@given(answers())
def test_label_measures_equal_the_definition(data):
    predictions, y = data
    lists = predictions.tolist()
    matrix = pairwise_diversity(predictions, y, measure="label_kappa")
    expected = [[label_kappa(a, b) for b in lists] for a in lists]
    np.testing.assert_allclose(matrix, expected, atol=1e-12)
    matrix = pairwise_diversity(predictions, y, measure="label_agreement")
    expected = (predictions[:, None] == predictions[None]).mean(axis=2)
    np.testing.assert_allclose(matrix, expected)


@given(answers())
def test_raw_margin_correlations_equal_the_definition(data):
    predictions, y = data
    raw = raw_margins(predictions.tolist(), y.tolist())
    matrix = pairwise_diversity(predictions, y, measure="raw_margin_correlation")
    expected = [[correlation(a, b) for b in raw] for a in raw]
    np.testing.assert_allclose(matrix, expected, atol=1e-7)


def test_order_of_rows_and_names_of_classes_do_not_matter():
    random = np.random.default_rng(0)
    predictions, y = random.integers(0, 3, (5, 60)), random.integers(0, 3, 60)
    order = random.permutation(60)
    names = np.array(["c", "a", "b"])
    for name in (*NAMES, *OTHERS[:2]):
        matrix = pairwise_diversity(predictions, y, measure=name)
        turned = pairwise_diversity(predictions[:, order], y[order], measure=name)
        named = pairwise_diversity(names[predictions], names[y], measure=name)
        np.testing.assert_allclose(turned, matrix)
        np.testing.assert_allclose(named, matrix)


def test_conventions_where_nothing_is_defined():
    assert q_statistic([1, 1], [1, 1]) == 0  # nobody is ever wrong
    assert kappa([1, 1], [1, 1]) == 1  # chance is 1
    assert kappa(["a", "a"], ["a", "a"]) == 1


def test_kappa_error_has_one_point_per_pair():
    predictions = [[0, 1, 1, 0], [0, 1, 0, 0], [1, 1, 1, 1]]
    kappas, errors = kappa_error(predictions, [0, 1, 1, 1])
    assert errors.tolist() == [0.375, 0.25, 0.375]
    assert kappas.tolist() == pytest.approx([0.5, 0.0, 0.0])


def test_unknown_measure_is_refused():
    with pytest.raises(ValueError, match="'measure' parameter of pairwise_diversity"):
        pairwise_diversity([[0], [1]], [0], measure="q")
