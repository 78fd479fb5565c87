"""Aggregates of experts: what they learn from, what they say, how they say it."""

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_selection import SelectKBest
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from featsieve.data import read_table
from featsieve.ensembles import OneVersusAllClassifier, PositiveVersusNegativeClassifier
from featsieve.ensembles._experts import NONE
from featsieve.exceptions import DataError, DroppedRowsWarning
from featsieve.selectors import CFSFilter

BOTH = [OneVersusAllClassifier, PositiveVersusNegativeClassifier]


def clouds(n=600, seed=0):
    """Five classes in the plane, of which two pairs overlap, and two noise columns."""
    random = np.random.default_rng(seed)
    centres = np.array([[0, 0], [1, 0], [8, 0], [9, 0], [4, 8]])
    y = random.choice(5, n, p=[0.4, 0.3, 0.2, 0.07, 0.03])
    X = np.hstack([centres[y] + random.normal(size=(n, 2)), random.normal(size=(n, 2))])
    return X, np.array(list("abcde"))[y]


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize(
    "estimator",
    ["c4.5", "5-nn", DecisionTreeClassifier(max_depth=5), KNeighborsClassifier(5)],
)
def test_learns_what_can_be_learnt(kind, estimator):
    X, y = clouds()
    X_test, y_test = clouds(400, seed=1)
    model = kind(estimator, sample_size=600, random_state=0).fit(X, y)
    rates = [(model.predict(X_test)[y_test == c] == c).mean() for c in "abcde"]
    # Chance is 0.2; who knows the centres reaches 0.75, as neighbours are 1 apart.
    assert np.mean(rates) > 0.6
    proba = model.predict_proba(X_test)
    assert proba.sum(axis=1) == pytest.approx(np.ones(400))
    np.testing.assert_array_equal(
        model.classes_[proba.argmax(axis=1)], model.predict(X_test)
    )
    assert roc_auc_score(y_test, proba, multi_class="ovo") > 0.85


def test_samples_are_as_designed():
    X, y = clouds()
    model = OneVersusAllClassifier(
        sample_size=400, positive_share=0.5, boost=0, random_state=0
    ).fit(X, y)
    assert model.confusion_ is None
    for c, expert in enumerate(model.experts_):
        counts = np.bincount(expert.labels, minlength=6)
        size = int((y == "abcde"[c]).sum())
        assert counts[c] == min(200, 10 * size)
        assert counts[5] == sum(
            min(50, 10 * int((y == other).sum()))
            for other in "abcde"
            if other != "abcde"[c]
        )
        assert counts.sum() == expert.n_rows
        assert expert.n_different <= expert.n_rows


def test_a_rare_class_is_repeated_at_most_ten_times():
    X, y = clouds()
    y[y == "e"] = "d"
    y[:4] = "e"
    model = OneVersusAllClassifier(sample_size=1000, boost=0, random_state=0).fit(X, y)
    expert = model.experts_[4]
    assert np.count_nonzero(expert.labels == 4) == 40
    assert expert.n_different < expert.n_rows


def test_confused_classes_are_boosted():
    X, y = clouds()
    model = OneVersusAllClassifier(sample_size=400, boost=1.0, random_state=0).fit(X, y)
    assert model.confusion_[0, 1] > 0.05
    assert model.confusion_[0, 4] < 0.05


def test_groups_come_from_confusion():
    model = PositiveVersusNegativeClassifier(random_state=0).fit(*clouds(1500))
    groups = [sorted(group.tolist()) for group in model.groups_]
    assert ["a", "b"] in groups
    assert ["c", "d"] in groups
    assert len(model.experts_) == len(groups) < 5


def test_a_class_may_have_several_experts():
    groups = [["a", "b"], ["b", "c"], ["d", "e"]]
    X, y = clouds()
    model = PositiveVersusNegativeClassifier(class_groups=groups, random_state=0).fit(
        X, y
    )
    assert [group.tolist() for group in model.groups_] == groups
    assert (model.predict(X) == y).mean() > 0.75


@pytest.mark.parametrize(
    ("groups", "said"),
    [
        ([["a", "z"]], "names 'z', which is none"),
        ([["a", "b"], ["c", "d"]], "leaves out 'e'"),
        ([list("abcde")], "not none or all"),
        ([[]], "not none or all"),
    ],
)
def test_bad_groups_are_told(groups, said):
    with pytest.raises(DataError, match=said):
        PositiveVersusNegativeClassifier(class_groups=groups, random_state=0).fit(
            *clouds()
        )


def test_every_expert_has_features_of_its_own():
    X, y = clouds(1500)
    model = OneVersusAllClassifier(selector=CFSFilter(), random_state=0).fit(X, y)
    chosen = [expert.features for expert in model.experts_]
    assert all(set(features) <= {"x0", "x1", "x2", "x3"} for features in chosen)
    assert len(set(chosen)) > 1
    assert "x0" in chosen[0]
    foreign = OneVersusAllClassifier(selector=SelectKBest(k=1), random_state=0).fit(
        X, y
    )
    assert all(len(expert.features) == 1 for expert in foreign.experts_)


def test_a_selector_that_keeps_nothing_keeps_all():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(90, 3)), np.repeat([0, 1, 2], 30)
    model = OneVersusAllClassifier(selector=SelectKBest(k=0), boost=0, random_state=0)
    with pytest.warns(UserWarning, match="No features were selected"):
        SelectKBest(k=0).fit_transform(X, y)
    model.fit(X, y)
    assert all(len(expert.features) == 3 for expert in model.experts_)


def none_rows(model, X):
    return model._decide_block(read_table(X), np.arange(len(X)))[0] == NONE


def test_nobody_answers_none_or_the_best_guess():
    X, y = clouds()
    far, _ = clouds(300, seed=2)
    shy = {"estimator": "5-nn", "positive_share": 0.2, "random_state": 0}
    published = OneVersusAllClassifier(**shy, fallback="none").fit(X, y)
    said = published.predict(far)
    refused = none_rows(published, far)
    assert refused.any()
    assert (said[refused] == "none").all()
    assert (said[~refused] != "none").all()
    guess = OneVersusAllClassifier(**shy).fit(X, y)
    guessed = guess.predict(far)
    assert set(guessed.tolist()) <= set("abcde")
    np.testing.assert_array_equal(guessed[~refused], said[~refused])
    marked = OneVersusAllClassifier(**shy, fallback="none", none_label=None).fit(X, y)
    assert marked.predict(far)[refused].tolist() == [None] * int(refused.sum())


def test_rows_are_judged_alone():
    X, y = clouds()
    for ties in ("first", "random"):
        model = OneVersusAllClassifier("5-nn", ties=ties, random_state=0).fit(X, y)
        whole = model.predict(X[:80])
        np.testing.assert_array_equal(whole[::-1], model.predict(X[:80][::-1]))
        alone = np.concatenate([model.predict(X[i : i + 1]) for i in range(20)])
        np.testing.assert_array_equal(alone, whole[:20])


@pytest.mark.parametrize("kind", BOTH)
def test_jobs_are_no_matter_and_seeds_are(kind):
    X, y = clouds()

    def shares(**options):
        model = kind("5-nn", sample_size=200, **options)
        return model.fit(X, y).predict_proba(X)

    one = shares(random_state=0)
    np.testing.assert_array_equal(one, shares(random_state=0, n_jobs=2))
    other = shares(random_state=1)
    assert (one != other).any()


def test_names_and_gaps_and_levels_unseen():
    random = np.random.default_rng(0)
    y = random.choice(["x", "y", "z"], 300)
    frame = pd.DataFrame({"code": y, "noise": random.normal(size=300)})
    frame.loc[::11, "code"] = None
    later = pd.DataFrame(
        {"code": ["z", "x", "unheard", None], "noise": [0.0, 1, 2, np.nan]}
    )
    for estimator in ("c4.5", "5-nn", DecisionTreeClassifier()):
        model = OneVersusAllClassifier(estimator, random_state=0).fit(frame, y)
        assert model.predict(later)[:2].tolist() == ["z", "x"]
    with pytest.raises(DataError, match="'noise' was numeric in fit and is nom"):
        model.predict(later.assign(noise=list("abcd")))


def test_rows_without_a_class_are_left_out():
    X, y = clouds()
    y = y.astype(object)
    y[:7] = None
    with pytest.warns(DroppedRowsWarning, match="7 of 600 rows"):
        OneVersusAllClassifier(random_state=0).fit(X, y)


def test_two_classes_and_one():
    X = np.arange(40.0)[:, None]
    for kind in BOTH:
        model = kind(random_state=0).fit(X, [0] * 20 + [1] * 20)
        assert model.predict([[3], [33]]).tolist() == [0, 1]
        with pytest.raises(DataError, match=r"at least two classes\. Got one class: 0"):
            kind().fit(X, [0] * 40)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("estimator", "c5.0"),
        ("sample_size", 1),
        ("positive_share", 1.0),
        ("boost", 2),
        ("bootstrap_cap", 0),
        ("fallback", "guess"),
        ("ties", "last"),
        ("class_groups", "kmeans"),
        ("class_groups", [1, "a"]),
        ("class_groups", ["a", "b"]),
    ],
)
def test_bad_parameters_are_named(name, value):
    model = PositiveVersusNegativeClassifier(**{name: value})
    with pytest.raises(ValueError, match=f"'{name}' parameter of PositiveVersus"):
        model.fit(*clouds(60))


def test_arrays_are_taken_by_place_after_learning_from_names():
    X, y = clouds(60)
    frame = pd.DataFrame(X, columns=[f"name {j}" for j in range(X.shape[1])])
    model = OneVersusAllClassifier(random_state=0).fit(frame, y)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        answers = model.predict(X)
    np.testing.assert_array_equal(answers, model.predict(frame))


def test_no_rows_get_no_answers():
    X, y = clouds(60)
    frame = pd.DataFrame(X)
    model = OneVersusAllClassifier(random_state=0).fit(frame, y)
    assert model.predict(frame[:0]).shape == (0,)
    assert model.predict_proba(frame[:0]).shape == (0, len(model.classes_))
