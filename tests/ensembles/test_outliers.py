"""Rows that members get wrong."""

import numpy as np
import pytest

from featsieve.ensembles import BaggingEnsembleClassifier, find_outliers
from featsieve.exceptions import DataError


class Fixed:
    """Ten members; row i is missed by i of them."""

    classes_ = np.array(["no", "yes"])

    def member_predict(self, _):
        return (np.arange(10)[:, np.newaxis] >= np.arange(11)[np.newaxis]).astype(int)


@pytest.mark.parametrize(
    ("rule", "first"),
    [("majority", 5), ("consensus", 10), (1, 1), (0.7, 7), (0.71, 8), (1.0, 10)],
)
def test_rules(rule, first):
    outliers = find_outliers(Fixed(), None, ["yes"] * 11, min_wrong=rule)
    assert outliers.tolist() == [i >= first for i in range(11)]


def test_wrong_labels_are_found():
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 3))
    y = np.where(X[:, 0] > 0, "high", "low")
    clear = np.flatnonzero(np.abs(X[:, 0]) > 1)[:6]
    y[clear] = np.where(y[clear] == "high", "low", "high")
    ensemble = BaggingEnsembleClassifier(n_estimators=30, random_state=0).fit(X, y)
    outliers = find_outliers(ensemble, X, y)
    assert set(clear) <= set(np.flatnonzero(outliers))
    assert outliers.sum() < 12
    assert not (find_outliers(ensemble, X, y, min_wrong="consensus") & ~outliers).any()


def test_a_class_nobody_learnt_is_missed_by_all():
    outliers = find_outliers(Fixed(), None, ["maybe"] * 11, min_wrong="consensus")
    assert outliers.all()


@pytest.mark.parametrize("rule", ["most", 0, 11, 0.0, 1.5])
def test_bad_rules_are_named(rule):
    with pytest.raises(ValueError, match="'min_wrong' parameter of find_outliers"):
        find_outliers(Fixed(), None, ["yes"] * 11, min_wrong=rule)


def test_classes_must_fit_the_rows():
    with pytest.raises(DataError, match="y must have one class per row"):
        find_outliers(Fixed(), None, ["yes"])
