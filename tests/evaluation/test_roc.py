import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from featsieve.evaluation import roc_area, roc_points
from featsieve.exceptions import DataError


@given(st.integers(0, 10_000), st.booleans())
def test_areas_are_scikit_learns(seed, weighted):
    random = np.random.default_rng(seed)
    y = np.concatenate([np.arange(3), random.integers(0, 3, 40)])
    scores = random.integers(1, 6, (43, 3)).astype(float)  # with ties
    scores /= scores.sum(axis=1, keepdims=True)
    average = "weighted" if weighted else "macro"
    rest = roc_auc_score(y, scores, multi_class="ovr", average=average)
    got = roc_area(y, scores, method="one_versus_rest", weighted=weighted)
    assert got == pytest.approx(rest, abs=1e-10)
    pairs = roc_auc_score(y, scores, multi_class="ovo", average=average)
    got = roc_area(y, scores, weighted=weighted)
    # scikit-learn weighs a pair by its share of rows, as we do.
    assert got == pytest.approx(pairs, abs=1e-10)


def test_two_classes_are_the_usual_area():
    y = np.array([0, 0, 1, 1, 1])
    p = np.array([0.1, 0.6, 0.35, 0.8, 0.7])
    both = np.column_stack([1 - p, p])
    assert roc_area(y, both) == pytest.approx(roc_auc_score(y, p), abs=1e-12)


def test_a_class_without_rows_is_left_out():
    y = np.array(["a", "b", "a", "b"])
    p = np.array([[0.9, 0.1, 0], [0.2, 0.8, 0], [0.4, 0.6, 0], [0.5, 0.4, 0.1]])
    assert roc_area(y, p, labels=["a", "b", "c"]) == roc_area(y, p[:, :2])


def test_points_of_a_curve():
    false, true = roc_points(["a", "b", "a", "b"], [0.9, 0.8, 0.7, 0.1], "a")
    assert np.trapezoid(true, false) == pytest.approx(0.75)


def test_what_has_no_curve_is_said():
    with pytest.raises(DataError, match="no row is 'z'"):
        roc_points(["a", "b"], [0, 1], "z")
    with pytest.raises(DataError, match="every row is 'a'"):
        roc_points(["a", "a"], [0, 1], "a")
    with pytest.raises(DataError, match="one score per row"):
        roc_points(["a", "b"], [0], "a")
    with pytest.raises(DataError, match=r"per class \(2\)"):
        roc_area(["a", "b"], [[1], [2]])
    with pytest.raises(DataError, match="one class only"):
        roc_area(["a", "a"], [[1.0], [2.0]])


def test_what_is_no_score_is_named():
    with pytest.raises(
        ValueError, match="'y_score' parameter of roc_points must be an"
    ):
        roc_points([0, 1], ["high", "low"], 1)
    with pytest.raises(
        DataError, match="'y_score' parameter of roc_points must hold no"
    ):
        roc_points([0, 1], [0.5, np.nan], 1)
    with pytest.raises(DataError, match="y_true must hold one class per row"):
        roc_area(1, [[0.5, 0.5]])
