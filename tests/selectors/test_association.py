import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from featsieve.data import Column, ColumnKind, Table
from featsieve.exceptions import DataError, DroppedRowsWarning, NoFeatureSelectedWarning
from featsieve.measures import class_association
from featsieve.selectors import AssociationFilter
from featsieve.selectors.associations._association_samples import plan_samples

RULES = ["probe", "t_test", "z_test", "fdr"]


@pytest.fixture(scope="module")
def mixed():
    """Two numeric, one binary and one nominal feature that matter, and noise."""
    rng = np.random.default_rng(0)
    n = 4000
    y = rng.integers(0, 3, n)
    frame = pd.DataFrame(
        {
            "n0": rng.normal(size=n),
            "x1": rng.normal(size=n) + y,
            "n2": rng.exponential(size=n),
            "b3": ((rng.random(n) < 0.3) | (y == 2)).astype(float),
            "n4": rng.integers(0, 2, n).astype(float),
            "c5": np.where(rng.random(n) < 0.6, y, rng.integers(0, 3, n)).astype(str),
            "n6": rng.integers(0, 5, n).astype(str),
            "n7": np.ones(n),
        }
    )
    return frame, y.astype(str)


TRUE = ["x1", "b3", "c5"]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    "association",
    [
        "auto",
        "gamma",
        "spearman",
        "pearson",
        "winsorised_pearson",
        "symmetrical_uncertainty",
    ],
)
def test_finds_what_matters(mixed, rule, association):
    X, y = mixed
    # Gamma of noise lies higher, and samples of 400 raise the mean of its size.
    options = {"practical": 0.15 if association == "gamma" else 0.05}
    options = {"fdr": {"fdr": 1e-4}, "probe": {"n_probes": 30}}.get(rule, options)
    selector = AssociationFilter(association, rule=rule, sample_size=400, **options)
    selector.fit(X, y)
    assert selector.get_feature_names_out().tolist() == TRUE
    assert selector.n_rows_ == 4000
    assert np.all(selector.interval_[:, 0] <= selector.scores_)
    assert np.all(selector.scores_ <= selector.interval_[:, 1])
    assert selector.scores_[7] == selector.presence_[7] == 0
    assert selector.class_presence_.tolist() == [1, 1, 1]
    assert [s["kept"] for s in selector.steps_].count(True) == 3
    assert all(step["reason"] for step in selector.steps_)
    assert selector.ranking_[1] == 1 or selector.ranking_[3] == 1
    assert hasattr(selector, "probes_") == (rule == "probe")
    assert hasattr(selector, "q_values_") == (rule == "fdr")


def test_scores_are_means_over_disjoint_samples():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(600, 2)), rng.integers(0, 2, 600)
    selector = AssociationFilter(sample_size=300, n_subsamples=2, rule="t_test")
    with pytest.warns(NoFeatureSelectedWarning):
        selector.fit(X, y)
    assert selector.sample_size_ == 300
    assert selector.n_subsamples_.tolist() == [2, 2]
    plan = plan_samples(600, 2, 300, seed=0)
    halves = [class_association(X[rows], y[rows]) for rows in map(plan.rows, range(2))]
    np.testing.assert_allclose(selector.scores_, np.mean(halves, axis=0))


@pytest.mark.parametrize(
    ("rule", "n_subsamples"),
    [*((rule, 10) for rule in RULES), ("probe", "race"), ("t_test", "race")],
)
def test_jobs_and_columns_do_not_matter(mixed, rule, n_subsamples):
    X, y = mixed
    selector = AssociationFilter(
        rule=rule, n_subsamples=n_subsamples, sample_size=300, n_clusters=2
    )
    selector.set_params(random_state=5)
    expected = selector.fit(X, y)
    jobs = clone(selector).set_params(n_jobs=2).fit(X, y)
    assert jobs.scores_.tobytes() == expected.scores_.tobytes()
    assert jobs.steps_ == expected.steps_
    order = np.random.default_rng(2).permutation(X.shape[1])
    moved = clone(selector).fit(X.iloc[:, order], y)
    np.testing.assert_array_equal(moved.scores_, expected.scores_[order])
    np.testing.assert_array_equal(moved.support_, expected.support_[order])


@pytest.mark.parametrize("rule", ["z_test", "fdr"])
def test_rows_do_not_matter_when_all_are_used(mixed, rule):
    X, y = mixed
    rows = np.random.default_rng(3).permutation(len(y))
    expected = AssociationFilter(rule=rule).fit(X, y)
    shuffled = AssociationFilter(rule=rule).fit(X.iloc[rows], y[rows])
    np.testing.assert_allclose(shuffled.scores_, expected.scores_, atol=1e-14)
    np.testing.assert_array_equal(shuffled.support_, expected.support_)


def test_seeds_matter_and_repeat(mixed):
    X, y = mixed
    first, again, other = (
        AssociationFilter(sample_size=200, random_state=s).fit(X, y) for s in (1, 1, 2)
    )
    assert first.steps_ == again.steps_
    assert first.steps_ != other.steps_


def test_a_race_stops_when_all_is_settled():
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 30_000)
    X = rng.normal(size=(30_000, 6))
    X[:, 2] += y
    for rule in ("t_test", "probe"):
        selector = AssociationFilter(n_subsamples="race", rule=rule).fit(X, y)
        assert selector.support_.tolist() == [False, False, True, False, False, False]
        assert selector.decided_.all()
        assert selector.n_rows_ < 30_000
        assert selector.n_subsamples_.min() == 4
        assert selector.steps_[0]["reason"].startswith("settled after 4 samples: above")


def test_a_race_may_end_undecided():
    rng = np.random.default_rng(5)
    y = np.repeat([0, 1], 2000)
    X = rng.normal(size=(4000, 3)) + 0.2519 * y[:, None]  # tau-b is 0.1
    selector = AssociationFilter(
        n_subsamples="race", rule="t_test", sample_size=500, max_subsamples=8
    )
    with pytest.warns(NoFeatureSelectedWarning):
        selector.fit(X, y)
    assert not selector.decided_.all()
    assert selector.n_subsamples_.max() == 8


def test_a_numeric_target_is_compared_directly():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(3000, 4))
    y = X[:, 1] ** 3 + rng.normal(size=3000)
    for rule in RULES:
        more = {"n_probes": 30} if rule == "probe" else {}
        selector = AssociationFilter(rule=rule, sample_size=300, **more).fit(X, y)
        assert selector.support_[1]
        assert selector.ranking_[1] == 1
        assert len(selector.classes_) == len(selector.class_presence_) == 0
    cut = AssociationFilter(rule="t_test", sample_size=300, target_bins=2).fit(X, y)
    assert len(cut.classes_) == 2
    assert cut.support_.tolist() == [False, True, False, False]


def test_features_that_matter_only_locally_are_rescued():
    rng = np.random.default_rng(7)
    n = 6000
    side = rng.integers(0, 2, n)
    X = rng.normal(size=(n, 5))
    X[:, 0] += 8 * side
    y = ((X[:, 3] > 0) ^ (side == 1)).astype(int)
    options = {"rule": "t_test", "sample_size": 600}
    with pytest.warns(NoFeatureSelectedWarning):
        plain = AssociationFilter(**options).fit(X, y)
    assert not plain.support_[3]
    local = AssociationFilter(n_clusters=2, **options).fit(X, y)
    assert local.support_.tolist() == [False, False, False, True, False]
    assert local.local_[0]["feature"] == "x3" or local.local_[0]["feature"] == "3"
    assert local.local_[0]["effect"] > 0.9
    reason = next(s["reason"] for s in local.steps_ if s["kept"])
    assert reason.startswith("rescued: effect")


@pytest.mark.parametrize("n_copies", [0, 1])
def test_clusters_cut_through_features_rescue_no_noise(n_copies):
    """Inside a cluster cut through both, noise goes with what matters."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(2000, 3))
        y = (X[:, 0] + rng.normal(size=2000) > 0).astype(int)
        for _ in range(n_copies):
            copy = X[:, [1]] + 0.3 * rng.normal(size=(2000, 1))
            X = np.concatenate((X, copy), axis=1)
        selector = AssociationFilter(rule="t_test", sample_size=200, n_clusters=2)
        selector.fit(X, y)
        assert selector.local_ == []
        assert selector.support_.tolist() == [True] + [False] * (2 + n_copies)


def test_features_of_a_minority_class_are_rescued():
    rng = np.random.default_rng(8)
    n = 10_000
    y = rng.choice(["a", "b", "rare"], n, p=[0.49, 0.49, 0.02])
    X = rng.normal(size=(n, 3))
    X[:, 1] += 2.0 * (y == "rare")
    options = {"rule": "t_test", "sample_size": 1000}
    with pytest.warns(NoFeatureSelectedWarning):
        AssociationFilter(**options).fit(X, y)
    local = AssociationFilter(n_clusters=1, **options).fit(X, y)
    assert local.support_.tolist() == [False, True, False]
    assert local.local_[0]["class"] == "rare"


def test_what_is_absent_from_samples_is_told():
    rng = np.random.default_rng(9)
    x = np.zeros(4000)
    x[:3] = 1
    y = np.where(np.arange(4000) == 17, 2, rng.integers(0, 2, 4000))
    X = np.column_stack([x, rng.normal(size=4000) + y])
    selector = AssociationFilter(sample_size=400, rule="t_test", random_state=1).fit(
        X, y
    )
    assert 0 < selector.presence_[0] <= 0.3
    assert selector.class_presence_.tolist() == [1, 1, 0.1]


def test_missing_values_and_targets():
    rng = np.random.default_rng(10)
    X = rng.normal(size=(2000, 3))
    y = np.where(X[:, 0] > 0, "yes", "no").astype(object)
    X[rng.random(X.shape) < 0.2] = np.nan
    X[:, 2] = np.nan
    y[:10] = None
    with pytest.warns(DroppedRowsWarning, match="10 of 2000"):
        selector = AssociationFilter(sample_size=199, rule="t_test").fit(X, y)
    assert selector.support_.tolist() == [True, False, False]
    codes = np.where(rng.random(2000) < 0.5, -1, 0).astype(np.int32)
    gone = Table(
        (Column("gaps", ColumnKind.NOMINAL, codes, ("only",)),),
        Column("y", ColumnKind.NOMINAL, (codes == 0).astype(np.int32), (0, 1)),
    )
    level = AssociationFilter(missing="level", rule="t_test").fit(gone, None)
    assert level.scores_.tolist() == [1]


@pytest.mark.filterwarnings("ignore::featsieve.exceptions.NoFeatureSelectedWarning")
@pytest.mark.parametrize("options", [{}, {"n_subsamples": "race"}, {"rule": "fdr"}])
def test_an_identifier_is_no_better_than_its_probes(options):
    y = np.random.default_rng(13).integers(0, 3, 2000)
    names = [[f"row {k}", f"pair {k // 2}"] for k in range(2000)]
    selector = AssociationFilter(sample_size=400, **options).fit(names, y)
    assert abs(selector.scores_).max() < 0.01
    plain = AssociationFilter(sample_size=400, correct_chance=False, **options)
    assert plain.fit(names, y).scores_[0] > 0.2
    assert not selector.support_.any()
    assert not plain.support_.any()


@pytest.mark.filterwarnings("ignore::featsieve.exceptions.NoFeatureSelectedWarning")
@pytest.mark.parametrize("rule", ["t_test", "z_test"])
def test_tests_leave_alone_what_is_high_by_luck(rule):
    """Levels of two rows each, and a few known rows, show much and mean nothing."""
    rng = np.random.default_rng(16)
    y = rng.integers(0, 5, 2000)
    names = rng.integers(1000, size=(2000, 10)).astype(str)
    frame = pd.DataFrame(names, columns=[f"name{j}" for j in range(10)])
    gaps = rng.normal(size=(2000, 10))
    gaps[rng.random(gaps.shape) < 0.98] = np.nan
    frame[[f"gap{j}" for j in range(10)]] = gaps
    selector = AssociationFilter(rule=rule, sample_size=1000, n_subsamples=2)
    plain = clone(selector).set_params(correct_chance=False).fit(frame, y)
    assert plain.support_[:10].all()
    assert plain.scores_[10:].mean() > 0.1
    assert not selector.fit(frame, y).support_.any()


def test_gamma_of_a_few_rows_shows_nothing():
    """Two rows that differ from all others are always of a class, or of two."""
    rng = np.random.default_rng(17)
    y = rng.integers(0, 2, 5000)
    X = np.zeros((5000, 6))
    for j in range(5):
        X[rng.choice(5000, 10, replace=False), j] = 1
    X[:, 5] = rng.random(5000) < 0.1 + 0.2 * y
    for rule in ("t_test", "z_test", "probe"):
        selector = AssociationFilter("gamma", rule=rule, sample_size=500)
        if rule == "probe":
            selector.set_params(n_probes=30)
        assert selector.fit(X, y).support_.tolist() == [False] * 5 + [True]
    plain = AssociationFilter("gamma", rule="t_test", sample_size=500)
    plain.set_params(correct_chance=False)
    assert plain.fit(X, y).support_[:5].any()


@pytest.mark.filterwarnings("ignore::featsieve.exceptions.NoFeatureSelectedWarning")
@pytest.mark.parametrize("n_subsamples", [10, "race"])
def test_noise_with_gaps_is_held_against_probes_with_gaps(n_subsamples):
    rng = np.random.default_rng(14)
    y = rng.integers(0, 3, 4000)
    X = rng.normal(size=(4000, 20))
    X[rng.random(X.shape) < 0.9] = np.nan
    X[:, 0] += 2 * y
    selector = AssociationFilter(n_subsamples=n_subsamples, sample_size=400).fit(X, y)
    assert selector.support_[0]
    assert selector.support_[1:].sum() <= 2
    assert selector.probes_[0]["missing"] == pytest.approx(0.9, abs=0.02)


def test_the_z_test_counts_known_rows():
    rng = np.random.default_rng(15)
    y = rng.integers(0, 2, 2000)
    X = np.column_stack([y + 4 * rng.normal(size=2000)] * 3)
    X[40:, 1] = X[:, 2] = np.nan
    for weights in (None, rng.random(2000) + 0.5):
        selector = AssociationFilter(rule="z_test", practical=0.02)
        selector.fit(X, y, sample_weight=weights)
        width = np.diff(selector.interval_, axis=1)[:, 0]
        assert selector.support_.tolist() == [True, False, False]
        assert 6 * width[0] < width[1] < width[2] == 1


def test_weights_take_part_where_they_can():
    rng = np.random.default_rng(11)
    y = rng.integers(0, 2, 2000)
    X = rng.normal(size=(2000, 2))
    X[:1000, 1] += 2 * y[:1000]
    weights = np.repeat([1.0, 0.0], 1000)
    own = {"probe": {"n_probes": 30}, "fdr": {"n_permutations": 200}}
    for rule in ("probe", "t_test", "z_test", "fdr"):
        selector = AssociationFilter(rule=rule, sample_size=100, **own.get(rule, {}))
        selector.fit(X, y, sample_weight=weights)
        assert selector.support_[1]
        assert selector.n_rows_ == 1000
    some = rng.random(2000) + 0.5
    # Winsorising would take the rare value for an outlier, and leave a constant.
    rare = (rng.random((2000, 1)) < 0.04 * y[:, None]) * 1.0
    selector = AssociationFilter(rule="t_test", practical=0.02)
    assert selector.fit(rare, y, sample_weight=some).support_[0]
    with pytest.raises(ValueError, match="'kendall' has no weighted form"):
        AssociationFilter("kendall").fit(X, y, sample_weight=some)
    with pytest.raises(ValueError, match="Set n_permutations"):
        AssociationFilter(rule="fdr").fit(X, y, sample_weight=some)


@pytest.mark.filterwarnings("ignore::featsieve.exceptions.NoFeatureSelectedWarning")
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("clusters", [None, 2])
@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[1.0]], [0]),
        ([[1.0], [2.0]], [0, 1]),
        (np.zeros((30, 2)), [0] * 30),
        (np.full((30, 1), np.nan), [0, 1] * 15),
        (np.arange(40.0).reshape(-1, 1), np.arange(40.0) / 7),
    ],
)
def test_odd_tables_have_an_answer(X, y, rule, clusters):
    for n_subsamples in (3, "race"):
        if n_subsamples == "race" and rule in ("z_test", "fdr"):
            continue
        selector = AssociationFilter(
            rule=rule, n_subsamples=n_subsamples, n_clusters=clusters
        )
        selector.fit(X, y)
        assert np.isfinite(selector.scores_).all()
        assert selector.support_.dtype == bool


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"association": "phi"}, "The 'association' parameter of AssociationFilter"),
        ({"rule": "vote"}, "one of 'probe', 't_test', 'z_test', 'fdr'"),
        ({"n_subsamples": 1}, "an int >= 2. Got 1"),
        ({"n_subsamples": "many"}, "one of 'race'"),
        ({"n_subsamples": "race", "rule": "fdr"}, "Use rule='probe' or 't_test'"),
        ({"sample_size": 1}, "an int >= 2"),
        ({"probes": "gaussian"}, "must be a sequence of 'gaussian'"),
        ({"probes": ()}, "must be a sequence"),
        ({"correct_overlap": "no"}, "one of True, False"),
        ({"correct_chance": "no"}, "one of True, False"),
        ({"rule": "fdr", "n_permutations": 50}, "50 permutations show no p-value"),
        ({"probes": ("cauchy",)}, "one of 'gaussian', 'uniform', 'binary'"),
        ({"practical": 1.0}, "a number >= 0 and < 1"),
        ({"alpha": 0}, "> 0 and < 1"),
        ({"n_clusters": 0}, "an int >= 1"),
        ({"n_permutations": 0}, "an int >= 1"),
        ({"missing": "spread"}, "one of 'ignore', 'level'"),
    ],
)
def test_wrong_parameters_are_explained(parameters, message):
    with pytest.raises(ValueError, match=message):
        AssociationFilter(**parameters).fit([[1.0], [2.0]], [0, 1])


def purity(tally):
    """A measure of one's own: how much likelier rows of a level are of one class."""
    counts = tally.counts[tally.level_totals > 0] / tally.total
    within = (counts**2 / counts.sum(axis=1, keepdims=True)).sum()
    return within - (counts.sum(axis=0) ** 2).sum()


def test_a_measure_of_ones_own_is_held_against_probes():
    random = np.random.default_rng(1)
    X = pd.DataFrame(random.normal(size=(600, 4)), columns=list("abcd"))
    X["level"] = random.choice(list("xyz"), 600)
    signal = X["b"] + 2 * (X["level"] == "x") + random.normal(size=600)
    y = np.where(signal > 1, "p", "n")
    selector = AssociationFilter(purity, sample_size=200).fit(X, y)
    assert selector.get_feature_names_out().tolist() == ["b", "level"]
    weighted = AssociationFilter(purity, sample_size=200)
    weighted.fit(X, y, sample_weight=random.uniform(0.5, 2, 600))
    assert "b" in weighted.get_feature_names_out()


def test_what_a_measure_of_ones_own_cannot_do_is_said():
    X = pd.DataFrame({"a": np.arange(40.0)})
    with pytest.raises(ValueError, match=r"purity is a function.*Use rule='probe'"):
        AssociationFilter(purity, rule="t_test").fit(X, [0, 1] * 20)
    with pytest.raises(DataError, match=r"purity needs classes.*target_bins"):
        AssociationFilter(purity).fit(X, np.arange(40) / 7)
