"""Options on rows in filters: noise is left alone, named columns are no features."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, cross_validate
from sklearn.pipeline import make_pipeline

from featsieve.data import open_stream
from featsieve.exceptions import (
    DataError,
    DependentRowsWarning,
    NoFeatureSelectedWarning,
)
from featsieve.selection import SieveSelector
from featsieve.selectors import (
    AssociationFilter,
    BIFSFilter,
    ForestSelector,
    MeasureFilter,
)

FILTERS = [
    MeasureFilter(fdr=0.05),
    BIFSFilter(),
    AssociationFilter(rule="fdr", fdr=0.05),
    ForestSelector(n_estimators=100),
]


def patients(seed, inside):
    random = np.random.default_rng(seed)
    groups = np.repeat(np.arange(25), 8)
    X = random.normal(size=(25, 6))[groups] * 2 + random.normal(size=(200, 6))
    own = random.normal(size=25)[groups] * 2
    y = np.where(own + inside * random.normal(size=200) > 0, "b", "a")
    return X, y, groups


def n_kept(selector, *data, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoFeatureSelectedWarning)
        return int(selector.fit(*data, **options).support_.sum())


@pytest.mark.parametrize("selector", FILTERS, ids=lambda s: type(s).__name__)
@pytest.mark.parametrize("inside", [0, 1])
def test_noise_of_patients_is_left_alone(selector, inside):
    """Of 12 tables 4 or more with anything kept have a chance of 0.2 %."""
    kept = with_none = 0
    for seed in range(12):
        X, y, groups = patients(seed, inside)
        kept += n_kept(selector, X, y, groups=groups) > 0
        with_none += n_kept(selector, X, y, groups=None) > 0
    assert kept <= 3
    assert with_none > kept


def test_a_named_column_is_no_feature():
    X, y, groups = patients(0, 1)
    frame = pd.DataFrame(X, columns=list("abcdef")).assign(patient=groups)
    selector = MeasureFilter(n_features_to_select=7)
    selector.fit(frame, y, groups="patient")
    assert selector.support_.tolist() == [True] * 6 + [False]
    with pytest.raises(DataError, match="Did you mean 'patient'"):
        selector.fit(frame, y, groups="patien")


def test_repeated_rows_are_counted_once_without_being_told():
    random = np.random.default_rng(0)
    X = random.normal(size=(80, 8))
    y = np.where(random.random(80) < 0.3, "b", "a")
    rows = np.concatenate([np.arange(80), *[np.flatnonzero(y == "b")] * 6])
    for selector in FILTERS:
        with pytest.warns(DependentRowsWarning, match="repeat others"):
            assert n_kept(selector, X[rows], y[rows]) == 0
        with warnings.catch_warnings():
            warnings.simplefilter("error", DependentRowsWarning)
            n_kept(selector, X[rows], y[rows], groups=None)


def test_walks_are_left_alone_in_time_and_effects_found():
    random = np.random.default_rng(4)
    walks = np.cumsum(random.normal(size=(300, 6)), axis=0)
    y = walks[:, 5] + walks[:, 0]
    order = random.permutation(300)
    selector = ForestSelector(n_estimators=100)
    selector.fit(walks[order, :5], y[order], time=order)
    assert selector.support_.tolist() == [True, False, False, False, False]


def test_rows_of_which_some_have_no_target_or_no_weight():
    X, y, groups = patients(1, 1)
    y = y.astype(object)
    y[3] = None
    weights = np.ones(200)
    weights[5] = 0
    selector = MeasureFilter(fdr=0.05, threshold=-1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        selector.fit(X, y, weights, groups=groups)
    assert selector.p_values_.shape == (6,)


def test_what_has_no_form_is_refused(tmp_path):
    X, y, groups = patients(2, 1)
    with pytest.raises(DataError, match="rule='t_test' of AssociationFilter"):
        AssociationFilter(rule="t_test").fit(X, y, groups=groups)
    with pytest.raises(DataError, match="test='t' takes rows for independent"):
        ForestSelector("t").fit(X, y, groups=groups)
    pd.DataFrame({"x": [1, 2, 3], "y": ["a", "b", "a"]}).to_csv(tmp_path / "t.csv")
    stream = open_stream(tmp_path / "t.csv", "y")
    with pytest.raises(DataError, match="takes no groups with a stream"):
        MeasureFilter().fit(stream, None, groups=[1, 1, 2])


def test_metadata_is_routed():
    X, y, groups = patients(3, 1)
    X[:, 0] += 2 * (y == "b")
    with sklearn.config_context(enable_metadata_routing=True):
        for selector in (MeasureFilter(fdr=0.2), SieveSelector()):
            chosen = selector.set_fit_request(groups=True, sample_weight=False)
            learner = LogisticRegression().set_fit_request(sample_weight=False)
            with warnings.catch_warnings():
                warnings.simplefilter("error", DependentRowsWarning)
                found = cross_validate(
                    make_pipeline(chosen, learner),
                    X,
                    y,
                    cv=GroupKFold(4),
                    params={"groups": groups},
                    error_score="raise",
                )
            assert (found["test_score"] > 0.6).all()
