"""Comparisons are honest, repeatable, and survive being killed."""

import json
import multiprocessing
import os
import signal
import time
from typing import ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pytest
from joblib import parallel_config
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold, ShuffleSplit, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

import featsieve
from comparison.races import TIMES, Unlucky, race, race_to_the_end, table
from featsieve.evaluation import (
    corrected_resampled_t_test,
    repeated_folds,
    selection_stability,
)
from featsieve.exceptions import DataError


def without_times(comparison):
    document = json.loads(comparison.to_json())
    for part in ("table", "folds"):
        for row in document[part]:
            for name in TIMES:
                del row[name]
    return document


@pytest.fixture(scope="module")
def undisturbed():
    return race()


def test_scores_are_those_of_a_pipeline_in_the_same_folds():
    X, y = table()
    found = featsieve.compare(
        X,
        y,
        selectors=[SelectKBest(f_classif, k=2)],
        estimators=[GaussianNB()],
        cv="5x2",
        random_state=3,
    )
    splits = repeated_folds(y, 5, 2, random_state=3)
    model = make_pipeline(SelectKBest(f_classif, k=2), GaussianNB())
    wanted = cross_val_score(model, X, y, cv=splits)
    np.testing.assert_array_equal(found.folds["score"], wanted)
    assert found.table["score"].item() == pytest.approx(wanted.mean())


def test_a_selector_outside_of_the_folds_would_look_better():
    """Pure noise: choosing by all rows first promises what the folds do not keep."""
    honest, leaked = [], []
    settings = {"estimators": [GaussianNB()], "cv": "5x1"}
    for seed in range(8):
        random = np.random.default_rng(seed)
        X, y = random.normal(size=(60, 400)), np.repeat([0, 1], 30)
        selector = SelectKBest(f_classif, k=10)
        found = featsieve.compare(X, y, selectors=[selector], **settings)
        honest.append(found.table["score"].item())
        chosen = selector.fit_transform(X, y)
        found = featsieve.compare(chosen, y, selectors=["all"], **settings)
        leaked.append(found.table["score"].item())
    assert abs(np.mean(honest) - 0.5) < 0.08
    assert np.mean(leaked) > 0.7


class Spy(BaseEstimator):
    """Notes which rows it is shown; the first column is their number."""

    seen: ClassVar[list] = []

    def fit(self, X, y):
        Spy.seen.append(set(X[:, 0].astype(int).tolist()))
        self.support_ = np.ones(X.shape[1], dtype=bool)
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        Spy.seen.append(set(X[:, 0].astype(int).tolist()))
        return np.zeros(len(X), dtype=int)


def test_nobody_is_shown_test_rows_before_the_test():
    X, y = table()
    X[:, 0] = np.arange(60)
    Spy.seen.clear()
    featsieve.compare(X, y, selectors=[Spy()], estimators=[Spy()], cv=3)
    assert len(Spy.seen) == 9
    for selecting, learning, testing in zip(*[iter(Spy.seen)] * 3, strict=True):
        assert selecting == learning
        assert not selecting & testing
        assert len(selecting | testing) == 60


def test_numbers_of_the_table_and_the_tests(undisturbed):
    folds, rows = undisturbed.folds, undisturbed.table
    ratio = np.mean(
        [len(b) / len(a) for a, b in repeated_folds(table()[1], 4, 3, random_state=5)]
    )
    scores = {
        name: folds[(folds["selector"] == name) & (folds["estimator"] == "nb")]["score"]
        for name in ("all", "best")
    }
    row = rows[(rows["selector"] == "best") & (rows["estimator"] == "nb")].iloc[0]
    assert row["score"] == pytest.approx(scores["best"].mean())
    assert row["n_features"] == 2
    test = undisturbed.tests.query(
        "estimator == 'nb' and first == 'all' and second == 'best'"
    )
    verdict = corrected_resampled_t_test(scores["all"], scores["best"], ratio)
    assert test["p_value"].item() == pytest.approx(verdict.p_value)
    assert test["difference"].item() == pytest.approx(verdict.estimate)
    assert (undisturbed.tests["adjusted_p_value"] >= undisturbed.tests["p_value"]).all()


def test_stability_is_that_of_the_selections(undisturbed):
    X, y = table()
    masks = [
        SelectKBest(f_classif, k=2).fit(X[train], y[train]).get_support()
        for train, _ in repeated_folds(y, 4, 3, random_state=5)
    ]
    rows = undisturbed.table
    got = rows[rows["selector"] == "best"]["stability"].iloc[0]
    assert got == pytest.approx(selection_stability(masks).value)
    assert rows[rows["selector"] == "all"]["stability"].isna().all()


def test_a_failure_is_reported_and_not_fatal(undisturbed):
    failed = undisturbed.failures
    assert failed
    assert {each["selector"] for each in failed} == {"unlucky"}
    assert failed[0]["error"] == "RuntimeError: no luck <b>today</b>"
    row = undisturbed.table.query("selector == 'unlucky' and estimator == 'nb'").iloc[0]
    assert 0 < row["n_failed"] < 12
    assert row["n_failed"] == len(failed)
    n_common = undisturbed.tests.query("second == 'unlucky'")["n_splits"]
    assert (n_common == 12 - row["n_failed"]).all()
    ranks = dict(
        zip(
            undisturbed.ranks["selectors"], undisturbed.ranks["mean_ranks"], strict=True
        )
    )
    assert max(ranks, key=ranks.get) == "unlucky"


@pytest.mark.parametrize("jobs", [1, 2])
def test_jobs_are_no_matter(undisturbed, jobs):
    assert without_times(race(n_jobs=jobs)) == without_times(undisturbed)


def test_processes_are_no_matter(undisturbed):
    with parallel_config("loky", n_jobs=2):
        got = race(selectors={"all": None, "best": SelectKBest(f_classif, k=2)})
    rows = undisturbed.table
    wanted = rows[rows["selector"].isin(["all", "best"])]["score"].tolist()
    assert got.table["score"].tolist() == wanted


def test_a_journal_cut_at_any_place_gives_the_same_table(tmp_path, undisturbed):
    path = tmp_path / "journal"
    race(path)
    whole = path.read_bytes()
    wanted = without_times(undisturbed)
    random = np.random.default_rng(0)
    for size in [0, 5, *random.integers(0, len(whole), 4).tolist(), len(whole)]:
        path.write_bytes(whole[:size])
        assert without_times(race(path)) == wanted


def test_a_finished_journal_plays_nothing_again(tmp_path):
    path = tmp_path / "journal"
    before = race(path)
    seen = []
    after = race(path, progress=seen.append)
    assert seen == []
    assert after.to_json() == before.to_json()  # with the times


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
@pytest.mark.slow
def test_killed_at_ten_random_moments_it_gives_the_same_table(tmp_path, undisturbed):
    path, whole = tmp_path / "journal", tmp_path / "whole"
    race(whole)
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["featsieve.comparison", "comparison.races"])
    random = np.random.default_rng(11)
    # By what is written, so that the moments are spread over the whole work.
    moments = np.sort(random.integers(1, 0.95 * whole.stat().st_size, 10)).tolist()
    kills = 0
    for _ in range(40):
        before = path.stat().st_size if path.exists() else 0
        runner = context.Process(target=race_to_the_end, args=(path,))
        runner.start()
        while runner.is_alive():
            # Each run gets somewhere, even where the last one went beyond its moment.
            if path.exists() and path.stat().st_size >= max(moments[kills], before + 1):
                time.sleep(random.uniform(0, 0.004))
                os.kill(runner.pid, signal.SIGKILL)
                break
            time.sleep(0.0005)
        runner.join(60)
        if runner.exitcode == -signal.SIGKILL:
            kills += 1
        else:  # it was done before the kill: that moment is to be met once more
            path.unlink()
        if kills == len(moments):
            break
    assert kills == 10
    assert without_times(race(path)) == without_times(undisturbed)


CHANGES = {
    "data": {"cv": "4x3"},
    "cv": {"cv": "4x2"},
    "seed": {"random_state": 6},
    "scoring": {"scoring": "balanced_accuracy"},
    "estimator 'nb'": {"estimators": {"nb": GaussianNB(var_smoothing=1e-3)}},
    "selector 'best'": {"selectors": {"all": None, "best": SelectKBest(k=3)}},
}


@pytest.mark.parametrize("part", CHANGES)
def test_a_changed_setup_is_refused(tmp_path, part, monkeypatch):
    few = {"selectors": {"all": None, "best": SelectKBest(k=2)}, "cv": "4x3"}
    few["estimators"] = {"nb": GaussianNB()}
    path = tmp_path / "journal"
    race(path, **few)
    if part == "data":
        monkeypatch.setattr("comparison.races.table", lambda: table(seed=1))
    with pytest.raises(DataError, match=f"with other .*{part}"):
        race(path, **few | CHANGES[part])


def test_number_of_jobs_is_no_change_of_setup(tmp_path):
    few = {"selectors": ["all"], "cv": 3}
    race(tmp_path / "journal", estimators=[KNeighborsClassifier(n_jobs=1)], **few)
    race(tmp_path / "journal", estimators=[KNeighborsClassifier(n_jobs=2)], **few)


def test_seeds_reach_contestants_that_have_none():
    one, same, other = (
        race(
            random_state=seed, cv=list(repeated_folds(table()[1], 3, 1, random_state=0))
        )
        for seed in (1, 1, 2)
    )
    assert one.folds["score"].tolist() == same.folds["score"].tolist()
    assert one.folds["score"].tolist() != other.folds["score"].tolist()


def test_quantities_are_scored_by_r2():
    random = np.random.default_rng(0)
    X = random.normal(size=(80, 4))
    found = featsieve.compare(
        X,
        X[:, 0] * 2 + 0.1 * random.normal(size=80),
        selectors=["all", "information-gain"],
        estimators=[LinearRegression(), "mdl-tree"],
        cv="4x1",
    )
    assert found.to_dict()["scoring"] == "r2"
    assert found.table["score"].iloc[0] > 0.99
    assert found.failures == []


@pytest.mark.parametrize(
    ("cv", "n_splits"),
    [
        (4, 4),
        ("3 x 2", 6),
        ("loo", 60),
        (KFold(3), 3),
        (ShuffleSplit(5, random_state=0), 5),
    ],
)
def test_ways_to_say_splits(cv, n_splits):
    X, y = table()
    found = featsieve.compare(X, y, selectors=["all"], estimators=[GaussianNB()], cv=cv)
    assert found.table["n_splits"].item() == n_splits
    assert found.ranks is None


def test_answers_come_in_the_callers_library():
    X, y = table()
    settings = {"selectors": ["all"], "estimators": [GaussianNB()], "cv": 3}
    frame = pd.DataFrame(X, columns=list("abcdef")).assign(y=y)
    assert isinstance(featsieve.compare(frame, "y", **settings).table, pd.DataFrame)
    found = featsieve.compare(pl.from_pandas(frame), "y", **settings)
    assert isinstance(found.table, pl.DataFrame)
    assert isinstance(found.tests, pl.DataFrame)
    assert found.tests.is_empty()


def test_progress_is_told_after_each_round():
    seen = []
    race(progress=seen.append)
    assert [each.done for each in seen] == list(range(1, 49))
    assert seen[0].at_least
    assert not seen[4].at_least
    assert seen[-1].remaining == 0


BAD = {
    "knows no 'strainer'": {"selectors": ["strainer"]},
    "must hold names, objects": {"selectors": [3]},
    "`fit` method": {"estimators": [GaussianNB]},
    "at least one. Got none": {"estimators": []},
    "must not hold None": {"estimators": [None]},
    "must be a list": {"selectors": 3},
    "like '10x3'": {"cv": "ten"},
    "2 folds or more": {"cv": "1x3"},
    "at least one split": {"cv": []},
    "tests on rows that it trains on": {"cv": [([0, 1], [1])]},
    "numbered from 0 to 59": {"cv": [([0, 1], [60])]},
    "'preprocess' parameter of compare": {"preprocess": "no"},
    "'alpha' parameter of compare": {"alpha": 2},
}


@pytest.mark.parametrize("message", BAD)
def test_bad_wishes_are_told(message):
    with pytest.raises(ValueError, match=message):
        race(**BAD[message])


def test_bad_tables_are_told():
    X, y = table()
    with pytest.raises(DataError, match="needs a target"):
        featsieve.compare(X)
    with pytest.raises(DataError, match="at least two values"):
        featsieve.compare(X, np.zeros(60, dtype=int))
    with pytest.raises(DataError, match="no column beside"):
        featsieve.compare(pd.DataFrame({"y": y}), "y")
    with pytest.raises(DataError, match="predicts classes"):
        featsieve.compare(X, X[:, 0], estimators=["c4.5"])


def test_equal_names_are_numbered():
    found = race(selectors=[Unlucky(), Unlucky(), "all"], cv=3)
    assert found.to_dict()["selectors"] == ["Unlucky", "Unlucky (2)", "all"]


@pytest.mark.parametrize("peer", ["boruta", "mlxtend", "fast_select"])
@pytest.mark.filterwarnings("ignore")
def test_peers_run_unchanged(peer):
    module = pytest.importorskip(peer)
    X, y = table(90)
    if peer == "boruta":
        from sklearn.ensemble import RandomForestClassifier

        selector = module.BorutaPy(
            RandomForestClassifier(max_depth=4),
            n_estimators=30,
            max_iter=20,
            random_state=0,
        )
    elif peer == "mlxtend":
        from mlxtend.feature_selection import SequentialFeatureSelector

        selector = SequentialFeatureSelector(GaussianNB(), k_features=2, cv=2)
    else:
        selector = module.mRMR(n_features_to_select=2)
    found = featsieve.compare(X, y, selectors=[selector], estimators=["5-nn"], cv=2)
    assert found.failures == []
    shares = found.to_dict()["selected"][type(selector).__name__]
    assert len(shares) == 6
    # The first two of the six columns matter; noise is not what any of them keeps most.
    assert max(shares[:2]) == 1
    if peer != "boruta":  # which keeps as many as it finds
        assert sum(shares) == 2


def test_learners_that_divide_by_zero_do_not_chatter():
    data = {"a": [1.0] * 12, "y": ["n", "p"] * 6}
    comparison = featsieve.compare(
        data, "y", selectors=["all"], estimators=["naive-bayes"], cv=2
    )
    assert comparison.table["n_failed"].tolist() == [0]
