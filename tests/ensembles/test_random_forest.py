"""Forests for classes: what they predict, what they know, and that seeds decide."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError

from featsieve.data import read_table
from featsieve.datasets import make_local_line, make_parity, make_simple
from featsieve.ensembles import RandomForestEnsembleClassifier
from featsieve.exceptions import DataError, DroppedRowsWarning
from featsieve.trees import RandomTreeClassifier
from featsieve.trees._forest import Forest, ForestGrower, bag_weights, rows_left_out
from reference import forests as reference

SAMPLINGS = ["uniform", "confidence", "gain", "tree", "local"]


@pytest.fixture(scope="module")
def simple():
    table = make_simple(random_state=0).table
    return np.column_stack([column.values for column in table]), table.target.values


@pytest.fixture(scope="module")
def mixed():
    random = np.random.default_rng(0)
    n = 240
    frame = pd.DataFrame(
        {
            "colour": random.choice(["red", "green", "blue"], n),
            "size": random.normal(size=n),
            "noise": random.normal(size=n),
        }
    )
    y = np.where(frame["colour"] == "red", "no", np.where(frame["size"] > 0, "a", "b"))
    frame.loc[::11, "colour"] = None
    frame.loc[::7, "size"] = np.nan
    return frame, y


@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_number_of_jobs_does_not_matter(simple, sampling):
    X, y = simple
    one = RandomForestEnsembleClassifier(
        n_estimators=8, feature_sampling=sampling, random_state=1
    )
    two = RandomForestEnsembleClassifier(
        n_estimators=8, feature_sampling=sampling, random_state=1, n_jobs=2
    )
    one.fit(X, y)
    two.fit(X, y)
    np.testing.assert_array_equal(one.member_predict(X), two.member_predict(X))
    np.testing.assert_array_equal(one.relevance_, two.relevance_)
    np.testing.assert_array_equal(one.local_relevance_, two.local_relevance_)
    other = RandomForestEnsembleClassifier(
        n_estimators=8, feature_sampling=sampling, random_state=2
    )
    assert np.any(other.fit(X, y).relevance_ != one.relevance_)


@pytest.mark.parametrize("sampling", SAMPLINGS[1:])
def test_sampling_prefers_what_matters(simple, sampling):
    X, y = simple
    plain = RandomForestEnsembleClassifier(random_state=0).fit(X, y)
    forest = RandomForestEnsembleClassifier(
        feature_sampling=sampling, random_state=0
    ).fit(X, y)
    used = np.zeros(9)
    for member in forest.members_:
        used += np.bincount(member.tree_.feature[member.tree_.feature >= 0], None, 9)
    assert used[:2].min() > 1.15 * used[2:].max()
    # Trees that ask the right features need fewer questions.
    assert forest.node_counts_.mean() < plain.node_counts_.mean()
    if sampling != "local":
        assert forest.feature_chances_[:2].min() > 1.2 / 9
    assert forest.feature_chances_.sum() == pytest.approx(1)


def chances_by_hand(sampling, sums, mean_gains, y):
    """Algorithm 3, or eq. 7.6, after some trees."""
    if sampling == "gain":
        entropy = -sum(p * np.log2(p) for p in np.bincount(y) / len(y))
        values = entropy + mean_gains
        return values / values.sum()
    unit = reference.complexity(np.bincount(y)) / 10
    lower, upper = [], []
    for own in sums:
        m, mean = own[3] / unit, own[5] / max(own[3], 1e-300)
        variance = (own[6] / max(own[3], 1e-300) - mean**2) * m / max(m - 1, 1e-300)
        interval = reference.confidence_interval(mean, variance, m, 0.95, 1.0)
        lower.append(interval[0])
        upper.append(interval[1])
    return np.array(reference.most_uniform(lower, upper))


@pytest.mark.parametrize("sampling", ["confidence", "gain"])
def test_every_tree_is_drawn_by_those_before(simple, sampling):
    X, y = simple
    forest = RandomForestEnsembleClassifier(
        n_estimators=5, feature_sampling=sampling, random_state=3
    )
    forest.fit(X, y)
    sums, mean_gains = np.zeros((9, 9)), np.zeros(9)
    chances = np.full(9, 1 / 9)
    for t, member in enumerate(forest.members_):
        bag_seed, seed = forest._seeds("tree", t)
        bag = bag_weights(True, len(y), None, bag_seed)
        alone = RandomTreeClassifier(
            feature_weights=chances, observe=True, random_state=seed
        )
        alone.fit(X, y, bag)
        assert alone.tree_ == member.tree_
        own = reference.gain_sums(alone.tree_, alone.tried_, 9)
        sums += own
        split = own[:, 0] - own[:, 1]
        mean_gains += np.where(split > 0, own[:, 2] / np.maximum(split, 1), 0)
        chances = chances_by_hand(sampling, sums, mean_gains, y)
    np.testing.assert_allclose(forest.feature_chances_, chances, rtol=1e-9)


def test_local_sampling_draws_by_a_first_forest(simple):
    X, y = simple
    forest = RandomForestEnsembleClassifier(
        n_estimators=4, feature_sampling="local", random_state=0
    )
    forest.fit(X, y)
    table = read_table(X)
    target = {"classes": y.astype(np.int32), "n_classes": 2}
    grower = ForestGrower(forest, table, target, None)
    seeds = [forest._seeds("first", t) for t in range(4)]
    first = Forest([grower.grow(*own)[0] for own in seeds], grower.features, [0, 1], "")
    left_out = rows_left_out([grower.bag(bag) for bag, _ in seeds], len(y))
    relevance = first.local_relevance(X, target["classes"], left_out)
    for t, arrays in enumerate(forest._forest.arrays):
        expected, _ = grower.grow(*forest._seeds("tree", t), None, relevance)
        np.testing.assert_array_equal(arrays["feature"], expected["feature"])
    # Other trees than without.
    plain, _ = grower.grow(*forest._seeds("tree", 0))
    assert not np.array_equal(plain["feature"], forest._forest.arrays[0]["feature"])


@pytest.mark.parametrize("integration", ["vote", "average", "dynamic"])
def test_predictions(simple, integration):
    X, y = simple
    forest = RandomForestEnsembleClassifier(integration=integration, random_state=0)
    forest.fit(X[:240], y[:240])
    shares = forest.predict_proba(X[240:])
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert shares.min() >= 0
    np.testing.assert_array_equal(forest.predict(X[240:]), shares.argmax(axis=1))
    error = 1 - forest.score(X[240:], y[240:])
    assert error < 0.15
    assert 1 - forest.oob_score_ == pytest.approx(error, abs=0.08)
    labels = forest.member_predict(X)
    assert labels.shape == (100, 300)
    alone = np.array([member.predict(X) for member in forest.members_])
    np.testing.assert_array_equal(labels, alone)


def test_dynamic_weights_are_those_of_all_pairs(simple):
    X, y = simple
    forest = RandomForestEnsembleClassifier(
        n_estimators=7, integration="dynamic", random_state=0
    )
    forest.fit(X[:80], y[:80])
    left_out = forest._left_out().T
    right = y[:80, np.newaxis] == forest.member_predict(X[:80]).T
    outcomes = np.where(left_out, 2 * right - 1, 0)
    leaves, others = forest.apply(X[80:110]), forest.apply(X[:80])
    weights = reference.tree_weights(leaves, others, outcomes)
    labels = forest.member_predict(X[80:110])
    for row, own in enumerate(forest.predict_proba(X[80:110])):
        scores = reference.signed_scores(labels[:, row], weights[row], 2)
        if abs(scores[0] - scores[1]) > 1e-12:
            assert own.argmax() == np.argmax(scores)
    # A row out of bag is weighed without itself.
    weights = reference.tree_weights(others, others, outcomes, first=0)
    labels = np.where(left_out.T, forest.member_predict(X[:80]), -1)
    for row, own in enumerate(forest.oob_decision_function_):
        scores = reference.signed_scores(labels[:, row], weights[row], 2)
        if abs(scores[0] - scores[1]) > 1e-12:
            assert own.argmax() == np.argmax(scores)


def test_out_of_bag_votes_are_those_of_other_trees(simple):
    X, y = simple
    forest = RandomForestEnsembleClassifier(n_estimators=5, random_state=0).fit(X, y)
    left_out = forest._left_out().astype(bool)
    labels = forest.member_predict(X)
    for row, own in enumerate(forest.oob_decision_function_):
        votes = labels[left_out[:, row], row]
        if len(votes) == 0:
            assert np.isnan(own).all()
        else:
            assert own[1] == pytest.approx(votes.mean())


def test_out_of_bag_shares_are_averaged_if_votes_are(simple):
    X, y = simple
    forest = RandomForestEnsembleClassifier(
        n_estimators=5, integration="average", max_depth=2, random_state=0
    ).fit(X, y)
    left_out = forest._left_out().astype(bool)
    shares = np.array([member.predict_proba(X) for member in forest.members_])
    for row, own in enumerate(forest.oob_decision_function_):
        others = shares[left_out[:, row], row]
        if len(others):
            np.testing.assert_allclose(own, others.mean(axis=0))


def test_many_rows_are_asked_in_parts(simple):
    X, y = simple
    forest = RandomForestEnsembleClassifier(n_estimators=3, random_state=0).fit(X, y)
    many = np.tile(X, (30, 1))  # more than one block of rows
    shares = forest.set_params(n_jobs=2).predict_proba(many)
    np.testing.assert_array_equal(shares, np.tile(forest.predict_proba(X), (30, 1)))
    local = forest.local_relevance(many)
    np.testing.assert_array_equal(local, np.tile(forest.local_relevance(X), (30, 1)))


def test_changing_the_array_afterwards_changes_nothing(simple):
    X, y = (values.copy() for values in simple)
    for order in "CF":
        own = np.array(X, order=order)
        forest = RandomForestEnsembleClassifier(n_estimators=3, random_state=0).fit(
            own, y
        )
        other = RandomForestEnsembleClassifier(n_estimators=3, random_state=0).fit(X, y)
        own[:] = 0
        np.testing.assert_array_equal(forest.local_relevance_, other.local_relevance_)


def test_relevance_is_the_weighted_mean_of_gains(simple):
    X, y = simple
    forest = RandomForestEnsembleClassifier(n_estimators=10, random_state=0).fit(X, y)
    phi_gain, phi = np.zeros(9), np.zeros(9)
    for member in forest.members_:
        tree = member.tree_
        for node in np.flatnonzero(tree.feature >= 0):
            bits = reference.complexity(tree.value[node])
            phi_gain[tree.feature[node]] += bits * tree.gain[node]
            phi[tree.feature[node]] += bits
    np.testing.assert_allclose(forest.relevance_, phi_gain / phi, rtol=1e-9)
    assert forest.feature_importances_.sum() == pytest.approx(1)
    lower, upper = forest.relevance_interval_.T
    assert np.all((lower <= forest.relevance_) & (forest.relevance_ <= upper))
    assert set(np.argsort(forest.relevance_)[-2:]) == {0, 1}


def test_irrelevant_features_lie_near_what_chance_gains(simple):
    # Figure 8.5: seven features within the band, two above.
    X, y = simple
    forest = RandomForestEnsembleClassifier(bootstrap="distinct", random_state=0).fit(
        X, y
    )
    lower, upper = forest.chance_relevance_.T
    assert np.all(forest.relevance_[:2] > 1.5 * upper[:2])
    inside = (forest.relevance_ > lower) & (forest.relevance_ < upper)
    assert inside.tolist() == [False] * 2 + [True] * 7


def test_local_relevance_follows_the_region():
    # Figure 8.8: x1 tells outside, x2 tells between the lines.
    table = make_local_line(n_rows=500, random_state=0).table
    X = np.column_stack([column.values for column in table])
    forest = RandomForestEnsembleClassifier(random_state=0).fit(X, table.target.values)
    centre = np.abs(X[:, 0] - 0.5) < 0.1
    outside = np.abs(X[:, 0] - 0.5) > 0.35
    local = forest.local_relevance_
    assert local.shape == X.shape
    assert local[outside, 0].mean() > 3 * local[outside, 1].mean()
    assert local[centre, 1].mean() > 2 * local[outside, 1].mean()
    new = forest.local_relevance(X, table.target.values)
    assert np.corrcoef(new.ravel(), local.ravel())[0, 1] > 0.9
    guessed = forest.local_relevance(X)
    predicted = forest.local_relevance(X, forest.predict(X))
    np.testing.assert_array_equal(guessed, predicted)


def test_local_relevance_wants_classes_it_knows(simple):
    X, y = simple
    forest = RandomForestEnsembleClassifier(n_estimators=3, random_state=0).fit(X, y)
    with pytest.raises(DataError, match=r"classes that were learnt in fit\. Got 2"):
        forest.local_relevance(X[:2], [0, 2])
    with pytest.raises(DataError, match="Got a missing value"):
        forest.local_relevance(X[:2], pd.Series([0, None], dtype="Int64"))


def test_proximity(simple):
    X, y = simple
    forest = RandomForestEnsembleClassifier(
        n_estimators=9, random_state=0, n_jobs=2
    ).fit(X, y)
    expected = reference.shared_leaves(forest.apply(X[:20]), forest.apply(X[:33]))
    np.testing.assert_allclose(forest.proximity(X[:20], X[:33]), expected)
    own = forest.proximity(X)
    np.testing.assert_allclose(own, own.T)
    np.testing.assert_array_equal(np.diag(own), 1)


@pytest.mark.parametrize("missing", ["largest", "fractional"])
@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_nominal_columns_and_missing_values(mixed, missing, sampling):
    frame, y = mixed
    forest = RandomForestEnsembleClassifier(
        n_estimators=30,
        missing_branch=missing,
        feature_sampling=sampling,
        random_state=0,
    ).fit(frame, y)
    assert forest.score(frame, y) > 0.9
    if sampling == "uniform":  # others try noise only where nothing else is left
        assert forest.relevance_.argmin() == 2
    assert forest.local_relevance_.shape == (240, 3)
    assert np.isfinite(forest.local_relevance_).all()
    new = frame.head(5).copy()
    new["colour"] = "violet"  # unseen, so unknown
    assert np.isfinite(forest.predict_proba(new)).all()
    assert np.isfinite(forest.local_relevance(new)).all()


def test_relevant_features_of_parity_are_found():
    table = make_parity(n_rows=400, n_noise=3, random_state=0).table
    forest = RandomForestEnsembleClassifier(n_estimators=200, random_state=0).fit(
        table, None
    )
    relevant = [
        name in make_parity(random_state=0).truth.relevant for name in table.names
    ]
    assert (
        forest.relevance_[relevant].min() > forest.relevance_[np.invert(relevant)].max()
    )


def test_weights_are_chances_to_be_drawn(simple):
    X, y = simple
    weights = np.where(np.arange(300) < 150, 1.0, 0.0)
    forest = RandomForestEnsembleClassifier(n_estimators=5, random_state=0).fit(
        X, y, weights
    )
    half = RandomForestEnsembleClassifier(n_estimators=5, random_state=0).fit(
        X[:150], y[:150]
    )
    np.testing.assert_array_equal(forest.predict_proba(X), half.predict_proba(X))
    scaled = RandomForestEnsembleClassifier(n_estimators=5, random_state=0)
    scaled.fit(X, y, np.linspace(1, 2, 300))
    same = RandomForestEnsembleClassifier(n_estimators=5, random_state=0)
    same.fit(X, y, 4 * np.linspace(1, 2, 300))
    np.testing.assert_array_equal(scaled.predict_proba(X), same.predict_proba(X))
    whole = RandomForestEnsembleClassifier(
        n_estimators=5, bootstrap=False, random_state=0
    )
    whole.fit(X, y, np.linspace(1, 2, 300))
    assert whole.members_[0].tree_.weight[0] == pytest.approx(450)
    assert np.isfinite(whole.relevance_).all()


def test_same_sizes_as_scikit_learn():
    X, y = make_classification(1000, 20, n_informative=5, flip_y=0.1, random_state=0)
    ours = RandomForestEnsembleClassifier(random_state=0).fit(X, y)
    peer = RandomForestClassifier(
        100, criterion="entropy", max_features=1, random_state=0, oob_score=True
    ).fit(X, y)
    sizes = [tree.tree_.node_count for tree in peer.estimators_]
    assert ours.node_counts_.mean() == pytest.approx(np.mean(sizes), rel=0.05)
    assert ours.oob_score_ == pytest.approx(peer.oob_score_, abs=0.03)


@pytest.mark.parametrize(("sampling", "planned"), [("uniform", 6), ("local", 12)])
def test_progress_is_told(simple, sampling, planned):
    told = []
    RandomForestEnsembleClassifier(
        n_estimators=6,
        feature_sampling=sampling,
        progress=lambda *numbers: told.append(numbers),
        n_jobs=2,
    ).fit(*simple)
    assert told == [(k, planned) for k in range(1, planned + 1)]


def test_pickles_without_what_can_be_made_anew(simple):
    X, y = simple
    forest = RandomForestEnsembleClassifier(
        n_estimators=5, integration="dynamic", random_state=0
    )
    before = forest.fit(X, y).predict_proba(X)
    local = forest.local_relevance_
    restored = pickle.loads(pickle.dumps(forest))
    assert restored._forest.cache == {}
    np.testing.assert_array_equal(restored.predict_proba(X), before)
    np.testing.assert_array_equal(restored.local_relevance_, local)


def test_one_class_and_few_rows():
    forest = RandomForestEnsembleClassifier(n_estimators=3, random_state=0).fit(
        [[1.0], [2.0]], [7, 7]
    )
    np.testing.assert_array_equal(forest.predict([[5.0]]), [7])
    assert forest.relevance_.tolist() == [0]
    for sampling in SAMPLINGS:
        one = RandomForestEnsembleClassifier(n_estimators=3, feature_sampling=sampling)
        one.fit([[1.0, 2.0]], ["a"])
        assert np.isnan(one.oob_score_)
        assert one.predict([[0.0, 0.0]]).tolist() == ["a"]


def test_rows_without_a_class_are_left_out(simple):
    X, y = simple
    some = pd.Series(y).astype("Int64")
    some[::10] = pd.NA
    with pytest.warns(DroppedRowsWarning, match="30 of 300 rows have no target"):
        forest = RandomForestEnsembleClassifier(n_estimators=3, random_state=0).fit(
            X, some
        )
    assert forest.local_relevance_.shape == (270, 9)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_estimators": 0}, "'n_estimators' parameter .* an int >= 1. Got 0"),
        ({"feature_sampling": "even"}, "'feature_sampling' .* 'uniform', 'confidence'"),
        ({"integration": "mean"}, "'integration' .* one of 'vote', 'average'"),
        ({"bootstrap": "twice"}, "'bootstrap' .* True, False, 'distinct'"),
        ({"max_features": 0}, "'max_features' .* an int >= 1. Got 0"),
        ({"n_thresholds": 0}, "'n_thresholds' .* an int >= 1"),
        ({"failed_draw": "stop"}, "'failed_draw' .* 'redraw', 'leaf'"),
        ({"confidence": 1.0}, "'confidence' .* a number > 0 and < 1"),
        ({"damping": 0}, "'damping' .* a number > 0"),
        ({"missing_branch": "mean"}, "'missing_branch' .* one of"),
        ({"progress": 3}, "'progress' parameter .* must be a function"),
        ({"integration": "dynamic", "bootstrap": False}, "Use bootstrap=True"),
    ],
)
def test_parameters_are_checked(simple, parameters, message):
    with pytest.raises(ValueError, match=message):
        RandomForestEnsembleClassifier(**parameters).fit(*simple)


def test_nothing_is_known_before_fit():
    forest = RandomForestEnsembleClassifier()
    for ask in (forest.predict, forest.apply, forest.proximity, forest.local_relevance):
        with pytest.raises(NotFittedError):
            ask([[1.0]])
    for name in ("members_", "oob_score_", "local_relevance_", "feature_importances_"):
        assert not hasattr(forest, name)
