"""scikit-learn's own checks, on every public estimator."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from public import public_estimators

# Checks that an estimator may fail, each with the reason.
EXPECTED_FAILURES: dict[str, dict[str, str]] = {
    "AssociationFilter": {
        "check_sample_weight_equivalence_on_dense_data": (
            "it draws samples of rows, and a row of weight two is drawn as one"
        ),
    },
    "BIFSFilter": {
        "check_sample_weight_equivalence_on_dense_data": (
            "its tests permute rows, and a row of weight two is permuted as one"
        ),
    },
    "ForestSelector": {
        "check_sample_weight_equivalence_on_dense_data": (
            "it draws rows into bags by weight, where each occurs once"
        ),
    },
    **{
        name: {
            "check_sample_weight_equivalence_on_dense_data": (
                "its bags draw rows, and a row of weight two is drawn as one"
            ),
        }
        for name in ("RandomForestEnsembleClassifier", "RandomForestEnsembleRegressor")
    },
    **{
        name: {
            "check_sample_weight_equivalence_on_dense_data": (
                "with weights association='auto' is another one: tau-b has none"
            ),
        }
        for name in ("DecisionRuleFilter", "DifferentialPrioritizationFilter")
    },
    **{
        name: {
            "check_sample_weight_equivalence_on_dense_data": (
                "it draws rows into bags, and a row of weight two is drawn as one"
            ),
        }
        for name in (
            "AdaBoostEnsembleClassifier",
            "ArcX4EnsembleClassifier",
            "BaggingEnsembleClassifier",
            "DivBoostEnsembleClassifier",
            "PCARotationEnsembleClassifier",
            "RandomRotationEnsembleClassifier",
            "RandomSubspaceEnsembleClassifier",
            "SubsetEnsembleClassifier",
        )
    },
}


def small(kind):
    """Return an estimator of few members: what is checked does not need many."""
    estimator = kind()
    few = {"n_estimators": 10} if "n_estimators" in estimator.get_params() else {}
    return estimator.set_params(**few)


def expected_failures(estimator):
    return EXPECTED_FAILURES.get(type(estimator).__name__, {})


def test_estimators_of_all_packages_are_found():
    names = {estimator.__name__ for estimator in public_estimators()}
    assert {"MeasureFilter", "MDLDiscretizer"} <= names


@pytest.mark.filterwarnings(
    # The checks fit noise on purpose; keeping nothing of it is right.
    "ignore::featsieve.exceptions.NoFeatureSelectedWarning",
    "ignore:No features were selected:UserWarning",
    "ignore::featsieve.exceptions.WeakEvidenceWarning",
)
@parametrize_with_checks(
    [small(kind) for kind in public_estimators()],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("kind", public_estimators(), ids=lambda kind: kind.__name__)
def test_pickle_and_clone_keep_the_answer(kind):
    random = np.random.default_rng(0)
    X = random.normal(size=(80, 3))
    y = (X[:, 1] > 0).astype(int)
    fitted = small(kind).fit(X, y)
    answer = fitted.transform if hasattr(fitted, "transform") else fitted.predict
    restored = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(getattr(restored, answer.__name__)(X), answer(X))
    again = clone(fitted)
    if "random_state" in again.get_params():
        again.set_params(random_state=0)
        answer = getattr(clone(again).fit(X, y), answer.__name__)
    again.fit(X, y)
    np.testing.assert_array_equal(getattr(again, answer.__name__)(X), answer(X))


@pytest.mark.parametrize("kind", public_estimators(), ids=lambda kind: kind.__name__)
def test_warnings_point_at_whoever_called_fit(kind):
    random = np.random.default_rng(0)
    X = random.normal(size=(30, 2))
    y = np.where(np.arange(30) == 3, np.nan, random.integers(0, 2, 30))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        small(kind).fit(X, y)
    own = [w for w in caught if w.category.__module__ == "featsieve.exceptions"]
    assert {warning.filename for warning in own} <= {__file__}


@pytest.mark.parametrize("kind", public_estimators(), ids=lambda kind: kind.__name__)
def test_every_parameter_is_checked_and_named(kind):
    random = np.random.default_rng(0)
    X = random.normal(size=(20, 3))
    y = (X[:, 1] > 0).astype(int)
    takes_anything = {"none_label"}  # a label may be whatever a user likes
    for name in set(kind().get_params(deep=False)) - takes_anything:
        with pytest.raises((ValueError, TypeError), match=rf"\b{name}\b"):
            small(kind).set_params(**{name: object()}).fit(X, y)
    if "n_jobs" in kind().get_params():
        for jobs in (0, 1.5, "1", True):
            with pytest.raises(ValueError, match="'n_jobs' parameter of"):
                small(kind).set_params(n_jobs=jobs).fit(X, y)
