"""Options on rows in filters: noise is left alone, named columns are no features."""

from __future__ import annotations

import inspect
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.metrics import get_scorer
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, cross_validate
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
from featsieve.selectors.api import RowOptionsSelector

EMPTY_IS_FINE = pytest.mark.filterwarnings(
    "ignore::featsieve.exceptions.NoFeatureSelectedWarning",
    "ignore:No features were selected",
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


def test_weights_may_be_a_column():
    X, y, _ = patients(0, 1)
    weights = np.random.default_rng(0).integers(0, 3, 200)
    frame = pd.DataFrame(X, columns=list("abcdef")).assign(weight=weights, kind="k")
    selector = MeasureFilter(n_features_to_select=8, random_state=0)
    selector.fit(frame, y, "weight", groups=None)
    named = selector.scores_
    assert selector.support_.tolist() == [True] * 6 + [False, True]
    selector.fit(frame.drop(columns="weight"), y, weights, groups=None)
    np.testing.assert_array_equal(named[[0, 1, 2, 3, 4, 5, 7]], selector.scores_)
    with pytest.raises(DataError, match="names 'kind', which holds names such as 'k'"):
        selector.fit(frame, y, "kind")
    with pytest.raises(DataError, match="Did you mean 'weight'"):
        selector.fit(frame, y, "weights")


ROUTED = [
    SieveSelector(),
    MeasureFilter(n_features_to_select=3),
    BIFSFilter(min_synergy=-9, max_loss=0.0),
    AssociationFilter(rule="probe"),
    ForestSelector(n_estimators=20, fdr=0.5),
]


def routed_search(selector, cv, **asked):
    """Return a search over a pipeline that asks for these options and no others."""
    options = dict.fromkeys(("groups", "time", "strata", "sample_weight"), False)
    chosen = clone(selector).set_fit_request(**options | asked)
    learner = DummyClassifier().set_fit_request(sample_weight=False)
    return GridSearchCV(
        make_pipeline(chosen, learner),
        {},
        scoring=plain_accuracy(),
        cv=cv,
        error_score="raise",
    )


def plain_accuracy():
    return get_scorer("accuracy").set_score_request(sample_weight=False)


class Heard:
    """Records what reaches `fit`, in place of the options as a selector keeps them."""

    def __init__(self, monkeypatch, kind):
        self.calls = []
        known = RowOptionsSelector.fit

        def fit(own, X, y=None, sample_weight=None, **options):
            if type(own) is kind:  # others may be asked inside
                self.calls.append((len(X), options | {"sample_weight": sample_weight}))
            return known(own, X, y, sample_weight, **options)

        fit.__signature__ = inspect.signature(known)
        monkeypatch.setattr(RowOptionsSelector, "fit", fit)


@EMPTY_IS_FINE
@pytest.mark.parametrize("library", [pd, pl], ids=lambda library: library.__name__)
@pytest.mark.parametrize("selector", ROUTED, ids=lambda s: type(s).__name__)
def test_metadata_is_routed(selector, library, monkeypatch):
    X, y, groups = patients(3, 0)
    X[:, 0] += 3 * (y == "b")
    frame = library.DataFrame({f"x{j}": X[:, j] for j in range(6)})
    options = {
        "groups": groups,
        "strata": groups % 2,
        "time": np.arange(200),
        "sample_weight": np.arange(200) % 3 + 1.0,
    }
    heard = Heard(monkeypatch, type(selector))
    with (
        sklearn.config_context(enable_metadata_routing=True),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("error", DependentRowsWarning)
        for asked, folds in ((("groups", "strata"), GroupKFold), (("time",), KFold)):
            if asked == ("time",) and isinstance(selector, AssociationFilter):
                continue  # it has classes only, and what is new in a class is a number
            model = routed_search(selector, folds(2), **dict.fromkeys(asked, True))
            heard.calls.clear()
            cross_validate(
                model,
                frame,
                y,
                scoring=plain_accuracy(),
                cv=folds(2),
                params={name: options[name] for name in asked},
                error_score="raise",
            )
            assert len(heard.calls) == 6  # two folds, in each two of the search and all
            for n_rows, got in heard.calls:
                given = {name for name, value in got.items() if np.ndim(value)}
                assert given == set(asked)
                assert {len(got[name]) for name in asked} == {n_rows}


@EMPTY_IS_FINE
@pytest.mark.parametrize("selector", ROUTED, ids=lambda s: type(s).__name__)
def test_weights_are_routed(selector, monkeypatch):
    X, y, _ = patients(3, 1)
    heard = Heard(monkeypatch, type(selector))
    weights = np.arange(200) % 3 + 1.0
    with sklearn.config_context(enable_metadata_routing=True):
        model = routed_search(selector, KFold(2), sample_weight=True)
        model.fit(X, y, sample_weight=weights)
    assert [n for n, _ in heard.calls] == [100, 100, 200]
    assert heard.calls[-1][1]["sample_weight"].tolist() == weights.tolist()


@EMPTY_IS_FINE
@pytest.mark.filterwarnings("ignore::featsieve.exceptions.DependentRowsWarning")
@pytest.mark.parametrize("selector", ROUTED, ids=lambda s: type(s).__name__)
def test_without_routing_a_pipeline_is_as_ever(selector):
    X, y, groups = patients(3, 0)
    frame = pd.DataFrame(X)
    model = make_pipeline(clone(selector), DummyClassifier())
    cross_validate(
        model, frame, y, cv=GroupKFold(2), groups=groups, error_score="raise"
    )
    name = type(selector).__name__.lower()
    model.fit(frame, y, **{f"{name}__groups": groups})
    GridSearchCV(model, {}, cv=2, error_score="raise").fit(frame, y)


@EMPTY_IS_FINE
def test_what_is_routed_matters():
    """Noise of patients: nothing is kept where groups are known, else something is."""
    X, y, groups = patients(5, 0)
    order = np.random.default_rng(0).permutation(200)  # else their order shows them
    kept = {}
    for asked in (True, False):
        with sklearn.config_context(enable_metadata_routing=True):
            model = routed_search(SieveSelector(), GroupKFold(3), groups=asked)
            model.fit(X[order], y[order], groups=groups[order])
        kept[asked] = model.best_estimator_[0].support_.sum()
    assert kept[True] == 0
    assert kept[False] > 0
