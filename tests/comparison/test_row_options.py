"""Options on rows reach splits, contestants and scores; others are named."""

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
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import featsieve
from featsieve.comparison._row_options import (
    GivenRows,
    read_rows,
    taken_options,
    takes_weights,
)
from featsieve.data import read_table
from featsieve.evaluation import corrected_resampled_t_test
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
