"""What holds for every selector, because one base class does it."""

from __future__ import annotations

import inspect
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.metrics import get_scorer
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, cross_validate
from sklearn.pipeline import make_pipeline

from featsieve.data import Table, open_stream, read_table
from featsieve.exceptions import (
    DataError,
    DependentRowsWarning,
    DroppedRowsWarning,
    NoFeatureSelectedWarning,
)
from featsieve.selection import SieveSelector
from featsieve.selectors import (
    AssociationFilter,
    BIFSFilter,
    CFSFilter,
    CumulativeGainFilter,
    DecisionRuleFilter,
    DifferentialPrioritizationFilter,
    FCBFFilter,
    ForestSelector,
    ForwardSelector,
    MDLTreeSelector,
    MeasureFilter,
    MRMRFilter,
    MultiSURFFilter,
    ReliefFFilter,
)
from featsieve.selectors._base import best_features, count_wanted, rank_scores
from featsieve.selectors.api import RowOptionsSelector

#: Those that answer at once, with what makes them keep something.
SELECTORS = [
    AssociationFilter(rule="z_test"),
    CFSFilter(),
    CumulativeGainFilter(1),
    DecisionRuleFilter(),
    DifferentialPrioritizationFilter(n_features_to_select=1),
    FCBFFilter(),
    ForestSelector(n_estimators=20),
    ForwardSelector(),
    MDLTreeSelector(),
    MeasureFilter(),
    MRMRFilter(1),
    MultiSURFFilter(),
    ReliefFFilter(),
    SieveSelector(),
]


WEIGHTED = [
    s for s in SELECTORS if "sample_weight" in inspect.signature(s.fit).parameters
]


RNG = np.random.default_rng(0)


X = RNG.normal(size=(120, 3))


Y = np.where(X[:, 1] > 0, "a", "b")


def name_of(selector):
    return type(selector).__name__


@pytest.mark.parametrize("selector", WEIGHTED, ids=name_of)
def test_rows_of_no_weight_are_not_there(selector):
    kept = np.arange(120) % 3 > 0
    other = X.copy()
    other[~kept] = 1e6
    weighted = selector.fit(other, Y, kept.astype(float))
    scores, support = weighted.scores_, weighted.support_
    selector.fit(X[kept], Y[kept])
    np.testing.assert_array_equal(scores, selector.scores_)
    np.testing.assert_array_equal(support, selector.support_)


@pytest.mark.parametrize("selector", SELECTORS, ids=name_of)
def test_rows_without_target_are_named_where_fit_was_called(selector):
    y = Y.astype(object)
    y[:5] = None
    with pytest.warns(DroppedRowsWarning, match="5 of 120") as caught:
        selector.fit(X, y)
    dropped = next(w for w in caught if w.category is DroppedRowsWarning)
    assert dropped.filename == __file__
    alone = selector.scores_
    np.testing.assert_array_equal(alone, selector.fit(X[5:], Y[5:]).scores_)


@pytest.mark.parametrize("selector", SELECTORS, ids=name_of)
def test_a_second_fit_forgets_the_first(selector):
    selector.fit(X, Y).left_over_ = "of an earlier fit"
    assert not hasattr(selector.fit(X[:, :2], Y), "left_over_")
    assert len(selector.ranking_) == 2


@pytest.mark.parametrize("selector", SELECTORS, ids=name_of)
def test_ranks_are_a_permutation_with_the_best_first(selector):
    ranking = selector.fit(X, Y).ranking_
    assert sorted(ranking) == [1, 2, 3]
    assert ranking[1] == 1


def test_keeping_nothing_is_a_warning_where_fit_was_called():
    with pytest.warns(NoFeatureSelectedWarning, match="MeasureFilter kept no") as found:
        MeasureFilter(threshold=5).fit(X, Y)
    assert found[0].filename == __file__


@pytest.mark.parametrize("selector", [CFSFilter(), ForwardSelector()], ids=name_of)
def test_a_stream_says_what_to_do_where_rows_are_needed(selector, tmp_path):
    path = tmp_path / "few.csv"
    path.write_text("x,y\n1,a\n2,b\n3,a\n4,b\n")
    stream = open_stream(path, "y")
    with pytest.raises(DataError, match=r"needs rows.*stream.sample\(2\)"):
        selector.fit(stream, None)


def test_a_target_inside_the_table_is_taken():
    table = read_table({"x": X[:, 1], "y": Y}, target="y")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert MeasureFilter().fit(table, None).support_.all()


SCORES = st.lists(st.sampled_from([0.0, 0.5, 1.0, -1.0]), max_size=8)


@given(SCORES, st.integers(1, 9))
def test_ranks_go_to_the_greatest_then_to_the_first(scores, most):
    ranks = rank_scores(np.array(scores, dtype=float))
    order = sorted(range(len(scores)), key=lambda j: (-scores[j], j))
    assert [order.index(j) + 1 for j in range(len(scores))] == ranks.tolist()
    kept = best_features(np.array(scores, dtype=float), most)
    assert np.flatnonzero(kept).tolist() == sorted(order[:most])
    assert best_features(np.array(scores, dtype=float), None).all()


@pytest.mark.parametrize(
    ("wanted", "count"),
    [(None, None), (3, 3), (99, 10), (0.25, 2), (0.01, 1), (1.0, 10)],
)
def test_numbers_and_shares_of_features(wanted, count):
    assert count_wanted(wanted, 10, "me") == count


@pytest.mark.parametrize("bad", [0, 0.0, 1.1, -1, "all"])
def test_what_is_no_number_of_features(bad):
    with pytest.raises((ValueError, TypeError), match="n_features_to_select"):
        count_wanted(bad, 10, "me")


def columns_of():
    y = np.tile([0, 1], 20)
    return {
        "noise": [f"v{k // 2 % 2}" for k in range(40)],
        "good": [f"v{v}" for v in y],
        "other": [f"v{k // 4 % 2}" for k in range(40)],
    }, y


def test_kept_columns_of_any_table():
    columns, y = columns_of()
    fitted = MeasureFilter(n_features_to_select=1).fit(pd.DataFrame(columns), y)
    assert fitted.ranking_[1] == 1
    assert fitted.get_support().tolist() == [False, True, False]
    assert list(fitted.feature_names_in_) == list(columns)
    kept = fitted.transform(read_table(columns))
    assert isinstance(kept, Table | np.ndarray)
    fitted.set_output(transform="pandas")
    frame = fitted.transform(pd.DataFrame(columns))
    assert list(frame.columns) == ["good"]


def test_streams_bring_their_target_and_no_weights():
    columns, y = columns_of()
    stream = open_stream([columns | {"y": y}], "y")
    with pytest.raises(DataError, match="takes the target from the stream"):
        MeasureFilter().fit(stream, y)
    with pytest.raises(DataError, match=r"CFSFilter needs rows.*stream.sample\(20\)"):
        CFSFilter().fit(stream, None)


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
