"""What rows are known to be, who takes it, and how they are split."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.base import BaseEstimator
from sklearn.feature_selection import RFECV, SelectFromModel, SequentialFeatureSelector
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, get_scorer
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, TimeSeriesSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import featsieve
from featsieve.comparison._splits import (
    ANY_ROWS,
    GivenRows,
    describe_cv,
    make_splits,
    read_rows,
    taken_options,
    takes_weights,
)
from featsieve.data import read_table
from featsieve.evaluation import corrected_resampled_t_test, repeated_folds
from featsieve.exceptions import (
    DataError,
    DependentRowsWarning,
    DroppedRowsWarning,
)
from featsieve.selection import SieveSelector
from featsieve.selectors import CFSFilter, MeasureFilter

NOTHING = {"groups": None, "time": None, "strata": None, "sample_weight": None}
OPTIONS = {"groups": np.array([0, 0, 1]), "sample_weight": np.array([1.0, 2.0, 0.5])}


def visits(seed=0, n_patients=40, n_visits=6):
    """Columns are alike within patients, who are ill or not; one column matters."""
    random = np.random.default_rng(seed)
    patient = np.repeat(np.arange(n_patients), n_visits)
    ill = np.repeat(np.arange(n_patients) % 2, n_visits)
    own = random.normal(size=(n_patients, 6)) * 2
    X = own[patient] + random.normal(size=(len(patient), 6))
    X[:, 0] += 3 * ill
    frame = pd.DataFrame(X, columns=list("abcdef"))
    day = np.tile(np.arange(n_visits), n_patients)
    return frame.assign(
        patient=[f"p{k}" for k in patient],
        day=pd.Timestamp("2020-01-01") + pd.to_timedelta(day, "D"),
        weight=random.uniform(0.5, 2, len(patient)),
        ill=np.where(ill, "yes", "no"),
    )


class Spy(BaseEstimator):
    """Remembers what `fit` was given, and keeps all."""

    seen: dict = {}  # noqa: RUF012  (it is one for all copies, on purpose)

    def fit(self, X, y, sample_weight=None, *, groups="auto", time=None, strata=None):
        Spy.seen = {
            "n_rows": len(y),
            "groups": groups,
            "time": time,
            "strata": strata,
            "sample_weight": sample_weight,
        }
        self.support_ = np.ones(X.shape[1], dtype=bool)
        return self


def compare(data, **settings):
    asked = {"selectors": ["all"], "estimators": ["naive-bayes"], "cv": "4x1"}
    return featsieve.compare(data, "ill", **asked | settings)


def test_named_columns_are_no_features_and_splits_are_of_groups():
    data = visits()
    found = compare(data, groups="patient").to_dict()
    assert "patient" not in found["features"]
    assert found["cv"] == "4 folds of whole groups"
    loose = compare(data, groups=None).to_dict()
    assert "patient" in loose["features"]
    assert loose["cv"] == "4 folds"
    weighted = compare(data, groups="patient", sample_weight="weight", time=None)
    assert weighted.to_dict()["n_features"] == 7


def test_repeated_visits_look_better_than_they_are():
    """A neighbour of the same patient gives the class away, unless it is not there."""
    columns = [*"bcdef", "patient", "ill"]  # noise only
    settings = {"estimators": [KNeighborsClassifier(1)], "nominal": None}
    data = visits()[columns]
    honest = compare(data, groups="patient", **settings).table["score"].item()
    loose = (
        compare(data.drop(columns="patient"), groups=None, **settings)
        .table["score"]
        .item()
    )
    assert loose > 0.75
    assert honest < 0.65


@pytest.mark.parametrize("library", [pd, pl])
def test_values_and_names_are_the_same(library):
    data = visits()
    named = compare(data, groups="patient", sample_weight="weight")
    rest = data.drop(columns=["patient", "weight"])
    frame = rest if library is pd else pl.from_pandas(rest)
    given = compare(
        frame,
        groups=library.Series(data["patient"].to_list()),
        sample_weight=data["weight"].to_numpy(),
    )
    assert given.table["score"].to_list() == named.table["score"].to_list()


def test_selectors_get_the_options_of_their_rows():
    data = visits()
    compare(
        data,
        selectors=[Spy()],
        groups="patient",
        strata=np.repeat(np.arange(40) // 4 % 2, 6),
        sample_weight="weight",
    )
    assert Spy.seen["n_rows"] == 180
    for name in ("groups", "strata", "sample_weight"):
        assert len(Spy.seen[name]) == 180
    assert Spy.seen["time"] is None
    compare(data, selectors=[Spy()], time="day", cv="3x1")
    assert Spy.seen["n_rows"] == len(Spy.seen["time"])
    assert Spy.seen["groups"] == "auto"  # it is not ours, and nothing was given


def test_noise_is_left_alone_only_if_groups_reach_the_selector():
    data = visits()[[*"bcdef", "patient", "ill"]]
    found = compare(data, selectors=[SieveSelector()], groups="patient")
    assert found.table["n_features"].item() == 0
    assert found.notes == []
    loose = compare(
        data.drop(columns="patient"), selectors=[SieveSelector()], groups=None
    )
    assert loose.table["n_features"].item() > 0.5


def test_who_does_not_heed_an_option_is_named():
    found = compare(
        visits(),
        selectors=["all", "sieve", "cfs"],
        estimators=["naive-bayes", "5-nn"],
        groups="patient",
        sample_weight="weight",
        scoring=get_scorer("accuracy"),
    )
    assert found.notes == [
        "These take no groups, and so read the rows of a group as independent: cfs."
    ]
    nobody = compare(
        visits(),
        estimators=[KNeighborsClassifier()],
        sample_weight="weight",
        scoring=lambda model, X, y: accuracy_score(y, model.predict(X)),
    )
    assert nobody.notes == [
        "These take no sample_weight, and so count all rows alike: learner "
        "KNeighborsClassifier, the score."
    ]
    assert nobody.notes[0] in repr(nobody)
    assert nobody.notes[0] in nobody._repr_html_()


def test_the_report_has_the_notes(tmp_path):
    found = compare(visits(), selectors=["cfs"], groups="patient")
    text = found.report(tmp_path / "page.html").read_text(encoding="utf-8")
    assert found.notes[0] in text


def test_weights_reach_learners_and_scores():
    data = visits().drop(columns=["patient", "day", "a"])
    settings = {"groups": None, "estimators": [GaussianNB()]}
    found = compare(data, sample_weight="weight", **settings)
    assert "weight" not in found.to_dict()["features"]
    plain = compare(data.drop(columns="weight"), **settings)
    assert found.table["score"].item() != plain.table["score"].item()
    # Rows of weight 0 in training and in the score might as well not be there.
    part = data.drop(columns="weight")
    weights = np.where(np.arange(240) % 3 == 0, 0.0, 1.0)
    cut = [(np.arange(120), np.arange(120, 240))]
    zero = compare(part, sample_weight=weights, cv=cut, **settings)
    rows = np.flatnonzero(weights)
    few = compare(
        part.iloc[rows].reset_index(drop=True),
        cv=[(np.flatnonzero(rows < 120), np.flatnonzero(rows >= 120))],
        **settings,
    )
    assert zero.table["score"].item() == pytest.approx(few.table["score"].item())


def test_the_test_takes_the_rows_that_there_are():
    """With time the training parts grow, so that the ratio is a mean of several."""
    data = visits()
    found = compare(data, selectors=["all", "cfs"], time="day", cv="3x1")
    known = found.to_dict()
    # Of 6 days with 40 rows each in 4 blocks: 1, 2, 1 and 2 days.
    assert known["test_ratio"] == pytest.approx((80 / 40 + 40 / 120 + 80 / 160) / 3)
    folds = found.folds
    scores = [folds[folds["selector"] == name]["score"] for name in ("all", "cfs")]
    verdict = corrected_resampled_t_test(*scores, known["test_ratio"])
    assert found.tests["p_value"].item() == pytest.approx(verdict.p_value, nan_ok=True)


def test_rows_are_asked_how_they_belong_together():
    data = visits()
    with pytest.warns(DependentRowsWarning, match="'patient'"):
        found = compare(data)
    assert found.to_dict()["cv"] == "4 folds of whole groups"
    assert "'patient'" in found.notes[0]
    random = np.random.default_rng(0)
    X = random.normal(size=(80, 8))
    ill = np.where(random.random(80) < 0.3, "b", "a")
    rows = np.concatenate([np.arange(80), *[np.flatnonzero(ill == "b")] * 6])
    twice = pd.DataFrame(X[rows]).assign(ill=ill[rows])
    with pytest.warns(DependentRowsWarning, match="repeat others"):
        found = compare(twice)
    assert found.to_dict()["n_rows"] == 80


def test_rows_without_a_target_lose_their_options():
    data = visits()
    whole = read_table(data, "ill")
    codes = np.where(np.arange(240) < 5, -1, whole.target.values)
    gaps = replace(whole, target=replace(whole.target, values=codes))
    table, rows = read_rows(gaps, NOTHING | {"groups": np.repeat(np.arange(40), 6)})
    assert table.n_rows == len(rows.groups) == 235
    assert set(rows.groups.tolist()) == set(range(40))
    with pytest.raises(DataError, match="one value per row: 240"):
        read_rows(gaps, NOTHING | {"groups": [1, 2]})
    with pytest.warns(DroppedRowsWarning):
        read = read_table(data.assign(ill=data["ill"].mask(data.index < 5)), "ill")
    with pytest.raises(DataError, match="one value per row with a target: 235"):
        read_rows(read, NOTHING | {"sample_weight": np.ones(240)})


def test_wrong_names_are_said():
    with pytest.raises(DataError, match="Did you mean 'patient'"):
        compare(visits(), groups="patien")
    with pytest.raises(DataError, match="holds names such as 'p0'"):
        compare(visits(), sample_weight="patient")
    with pytest.raises(DataError, match="groups or time, not both"):
        compare(visits(), groups="patient", time="day")
    with pytest.raises(DataError, match="at least as many groups, and there are 40"):
        compare(visits(), groups="patient", cv=50)


def test_a_journal_knows_the_options(tmp_path):
    path = tmp_path / "journal"
    compare(visits(), sample_weight="weight", journal=path)
    with pytest.raises(DataError, match=r"with other .*rows"):
        compare(visits(), sample_weight=np.arange(240.0), journal=path, cv="4x1")


def taken(estimator):
    return set(taken_options(estimator, OPTIONS))


def test_what_fit_takes():
    logistic = LogisticRegression()
    assert taken(logistic) == {"sample_weight"}
    assert taken(CFSFilter()) == {"sample_weight"}
    assert taken(MeasureFilter()) == {"groups", "sample_weight"}
    assert taken(KNeighborsClassifier()) == set()
    pipeline = make_pipeline(StandardScaler(), MeasureFilter(), logistic)
    assert taken(pipeline) == {
        "standardscaler__sample_weight",
        "measurefilter__groups",
        "measurefilter__sample_weight",
        "logisticregression__sample_weight",
    }
    assert taken(GridSearchCV(logistic, {})) == {"groups", "sample_weight"}
    assert taken(SelectFromModel(logistic)) == {"sample_weight"}
    assert taken(RFECV(logistic)) == {"groups"}
    assert taken(SequentialFeatureSelector(logistic)) == set()


def test_what_is_taken_is_understood():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(60, 4)), np.arange(60) % 2
    options = {"groups": np.arange(60) // 3, "sample_weight": np.ones(60)}
    logistic = LogisticRegression()
    folds = GroupKFold(3)
    for estimator in (
        make_pipeline(StandardScaler(), logistic),
        GridSearchCV(make_pipeline(StandardScaler(), logistic), {}, cv=folds),
        SelectFromModel(logistic),
        RFECV(logistic, cv=folds),
        SequentialFeatureSelector(logistic, cv=2),
    ):
        estimator.fit(X, y, **taken_options(estimator, options))


def test_where_metadata_is_routed_what_was_requested_is_taken():
    with sklearn.config_context(enable_metadata_routing=True):
        asking = LogisticRegression().set_fit_request(sample_weight=True)
        silent = LogisticRegression().set_fit_request(sample_weight=False)
        assert taken(
            make_pipeline(StandardScaler().set_fit_request(sample_weight=False), asking)
        ) == {"sample_weight"}
        assert taken(make_pipeline(silent)) == set()
        assert taken(silent) == {"sample_weight"}  # nothing is routed by itself
        search = GridSearchCV(silent, {}, cv=GroupKFold(2))
        assert taken(search) == {"groups"}


def test_scores_that_take_weights():
    assert takes_weights(get_scorer("accuracy"))
    assert not takes_weights(get_scorer("neg_max_error"))
    assert not takes_weights(lambda _model, _X, _y: 0.0)
    assert GivenRows().for_score(get_scorer("accuracy"), np.arange(3)) == {}


PATIENTS = np.repeat(np.arange(20), 5)
CLASSES = np.repeat(np.arange(20) % 2, 5)
GROUPED = GivenRows(groups=PATIENTS)
TIMED = GivenRows(moments=np.arange(100)[::-1] // 3)


def split(cv, rows, target=CLASSES, *, classes=True):
    return make_splits(cv, target, rows, classes=classes, seed=3)


def test_without_options_folds_are_as_ever():
    wanted = repeated_folds(CLASSES, 5, 2, random_state=3)
    for (train, test), (own_train, own_test) in zip(
        wanted, split("5x2", ANY_ROWS), strict=True
    ):
        assert train.tolist() == own_train.tolist()
        assert test.tolist() == own_test.tolist()


@pytest.mark.parametrize("classes", [True, False])
def test_groups_are_never_on_both_sides(classes):
    splits = split("5x3", GROUPED, classes=classes)
    assert len(splits) == 15
    for train, test in splits:
        assert not set(PATIENTS[train]) & set(PATIENTS[test])
        assert len(train) + len(test) == 100
        if classes:  # of four patients two are of each class
            assert CLASSES[test].mean() == 0.5
    assert len({tuple(test) for _, test in splits}) == 15
    assert describe_cv("5x3", 15, GROUPED) == "5 folds of whole groups, 3 times"


def test_what_is_tested_comes_later():
    splits = split("4x3", TIMED)
    assert len(splits) == 4  # repetitions would be the same
    for train, test in splits:
        assert TIMED.moments[train].max() < TIMED.moments[test].min()
    sizes = [len(test) for _, test in splits]
    assert max(sizes) - min(sizes) <= 3
    assert "each after" in describe_cv("4x3", 4, TIMED)


@pytest.mark.parametrize("classes", [True, False])
def test_strata_are_shared_out(classes):
    strata = np.arange(100) % 4
    target = np.random.default_rng(0).permutation(CLASSES)
    for train, test in split("5x1", GivenRows(strata=strata), target, classes=classes):
        counts = np.bincount(strata[test])
        assert counts.max() - counts.min() <= (2 if classes else 0)
        assert len(train) + len(test) == 100
    both = GivenRows(groups=PATIENTS, strata=PATIENTS % 4)
    for _, test in split("5x1", both):
        assert np.bincount(both.strata[test]).tolist() == [5, 5, 5, 5]


def test_one_group_is_left_out():
    splits = split("loo", GROUPED)
    assert [set(PATIENTS[test]) for _, test in splits] == [{k} for k in range(20)]
    assert describe_cv("loo", 20, GROUPED) == "20 splits of whole groups (loo)"


def test_splits_of_the_caller_may_heed_groups_and_time():
    assert len(split(GroupKFold(4), GROUPED)) == 4
    forward = GivenRows(moments=np.arange(100))
    assert len(split(TimeSeriesSplit(4), forward)) == 4


@pytest.mark.parametrize(
    ("cv", "rows", "target", "words"),
    [
        ("30x1", GROUPED, CLASSES, "30 folds of whole groups need at least as many"),
        (KFold(5, shuffle=True), GROUPED, CLASSES, "rows of the same group"),
        (KFold(5), TIMED, CLASSES, "not before those it tests on"),
        ("loo", TIMED, CLASSES, "cannot leave one row out with 'time'"),
        ("40x1", TIMED, CLASSES, "34 moments"),
        (3, TIMED, (TIMED.moments > 25).astype(int), "of one class"),
        (2, GivenRows(groups=CLASSES), CLASSES, "of one class"),
        (3, GivenRows(groups=np.r_[np.zeros(98), 1, 2]), CLASSES, "of one class|empty"),
    ],
)
def test_what_cannot_be_is_said(cv, rows, target, words):
    with pytest.raises(DataError, match=words):
        split(cv, rows, target)
