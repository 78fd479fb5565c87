"""The report holds what the functions of the room say."""

import math

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier

from featsieve import diversity
from featsieve.diversity import diversity_report, pairwise_diversity
from featsieve.diversity._diversity_report import MEANINGS, report_of
from featsieve.ensembles import AdaBoostEnsembleClassifier, BaggingEnsembleClassifier
from featsieve.exceptions import DataError


@pytest.fixture(scope="module")
def fitted():
    X, y = make_classification(300, 8, n_informative=4, n_classes=3, random_state=0)
    return (
        BaggingEnsembleClassifier(n_estimators=70, random_state=0).fit(
            X[:150], y[:150]
        ),
        X,
        y,
    )


def test_numbers_are_those_of_the_functions(fitted):
    ensemble, X, y = fitted
    report = diversity_report(ensemble, X[150:], y[150:])
    predictions, truth = ensemble.member_predict(X[150:]), y[150:]
    correct = predictions == truth
    assert report.n_members == 70
    assert report.ensemble_error == pytest.approx(1 - ensemble.score(X[150:], truth))
    assert report.member_error == pytest.approx(1 - correct.mean())
    upper = np.triu_indices(70, k=1)  # more than one block of pairs
    for name in ("q_statistic", "kappa", "double_fault", "coincident_failure"):
        pairs = pairwise_diversity(predictions, truth, measure=name)[upper]
        assert getattr(report, name) == pytest.approx(pairs.mean()), name
    one_hot = (predictions[..., np.newaxis] == np.arange(3)).astype(float)
    spread = sum(diversity.ambiguity(one_hot[..., k]) for k in range(3))
    assert report.ambiguity == pytest.approx(spread.mean())
    assert report.strength == pytest.approx(diversity.strength(predictions, truth))
    assert report.breiman_bound == pytest.approx(
        diversity.breiman_bound(report.strength, report.raw_margin_correlation)
    )
    mean = diversity.member_ambiguity(predictions).mean()
    assert report.member_ambiguity == pytest.approx(mean)


def test_it_can_be_read(fitted):
    ensemble, X, y = fitted
    report = diversity_report(ensemble, X, y, n_jobs=2)
    assert list(report.to_dict()) == list(MEANINGS)
    assert str(report).count("\n") == len(MEANINGS) - 1
    assert "q statistic" in str(report)
    assert "70 members" in repr(report)
    assert report._repr_html_().count("<tr>") == len(MEANINGS)
    kappas, errors = report.kappa_error()
    assert len(kappas) == len(errors) == 70 * 69 // 2


def test_ties_and_undefined_pairs_are_told():
    report = report_of([[0, 1, 0], [1, 1, 0]], [0, 1, 0], [0, 1, 0])
    assert report.tie_share == pytest.approx(1 / 3)
    assert report.q_undefined == 1  # the first member is never wrong


def test_one_member_has_no_pairs():
    report = report_of([[0, 1]], [0, 0], [0, 1])
    assert math.isnan(report.q_statistic)
    assert math.isnan(report.coincident_failure_diversity)
    assert report.ensemble_error == 0.5


def test_ensembles_of_scikit_learn_are_read_too():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])
    bagging = BaggingClassifier(n_estimators=5, max_features=2, random_state=0)
    report = diversity_report(bagging.fit(X, names[y]), X, names[y])
    members = zip(bagging.estimators_, bagging.estimators_features_, strict=True)
    errors = [1 - np.mean(one.predict(X[:, own]) == y) for one, own in members]
    np.testing.assert_allclose(report.member_errors, errors)
    forest = RandomForestClassifier(5, random_state=0).fit(X, y)
    assert diversity_report(forest, X, y).n_members == 5


def test_what_cannot_be_compared_is_refused(fitted):
    ensemble, X, y = fitted
    with pytest.raises(DataError, match="holds the class 7"):
        diversity_report(ensemble, X[:1], [7])
    boosted = AdaBoostEnsembleClassifier(algorithm="one_versus_rest", n_estimators=3)
    with pytest.raises(DataError, match="tell one class from the rest"):
        diversity_report(boosted.fit(X, y), X, y)
    with pytest.raises(DataError, match="neither member_predict nor estimators_"):
        diversity_report(ensemble.members_[0], X, y)


def test_what_is_no_fitted_ensemble_is_refused():
    with pytest.raises(TypeError, match="ensemble must be a fitted ensemble"):
        diversity_report([0, 1], [[0], [1]], [0, 1])
