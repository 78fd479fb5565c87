import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from featsieve.data import EqualFrequencyDiscretizer, MDLDiscretizer
from featsieve.datasets import (
    make_copies,
    make_corral,
    make_gaussian_xor,
    make_multiplexer,
    make_parity,
)
from featsieve.exceptions import NoFeatureSelectedWarning, WeakEvidenceWarning
from featsieve.selectors import BIFSFilter
from reference import bifs as plain

quiet = pytest.mark.filterwarnings(
    "ignore::featsieve.exceptions.NoFeatureSelectedWarning",
    "ignore::featsieve.exceptions.WeakEvidenceWarning",
)


@st.composite
def tables(draw):
    n = draw(st.integers(2, 25))
    p = draw(st.integers(1, 5))
    levels = draw(st.integers(1, 3))
    least = draw(st.sampled_from([0, -1]))
    column = st.lists(st.integers(least, levels - 1), min_size=n, max_size=n)
    codes = np.array(draw(st.lists(column, min_size=p, max_size=p))).T
    classes = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    return codes, np.array(classes)


def as_frame(codes):
    """Codes as text, so that missing ones are missing values."""
    return pd.DataFrame(
        {
            f"f{j}": [None if code < 0 else f"v{code}" for code in column]
            for j, column in enumerate(codes.T)
        },
        dtype=object,
    )


@quiet
@pytest.mark.parametrize("mode", ["stop", "full", "budget"])
@given(
    table=tables(),
    alpha=st.sampled_from([-1.0, 0.0, 0.02, 0.1]),
    beta=st.sampled_from([0.0, 0.05, 0.3]),
    data=st.data(),
)
@settings(max_examples=60)
def test_equals_the_definitions(mode, table, alpha, beta, data):
    codes, classes = table
    some = st.lists(
        st.sampled_from([0.5, 1.0, 2.0]), min_size=len(classes), max_size=len(classes)
    )
    weights = data.draw(st.none() | some)
    columns = [["?" if code < 0 else int(code) for code in c] for c in codes.T]
    groups, kept, features = plain.bifs(
        columns, classes.tolist(), alpha, beta, mode=mode, weights=weights
    )
    selector = BIFSFilter(alpha, beta, elimination=mode, verify=False)
    selector.fit(as_frame(codes), [f"c{c}" for c in classes], sample_weight=weights)
    ours = [
        tuple(int(name[1:]) for name in group["members"])
        for group in reversed(selector.groups_)
    ]
    assert ours == groups
    assert [group["kept"] for group in reversed(selector.groups_)] == kept
    assert selector.get_support(indices=True).tolist() == features


@quiet
@given(table=tables(), data=st.data())
@settings(max_examples=60)
def test_equals_the_definitions_with_weights_and_gaps_left_out(table, data):
    codes, classes = table
    weights = data.draw(
        st.lists(st.sampled_from([0.5, 1.0, 2.0]), min_size=len(classes),
                 max_size=len(classes))
    )  # fmt: skip
    columns = [[None if code < 0 else int(code) for code in c] for c in codes.T]
    for i, j in itertools.combinations(range(len(columns)), 2):
        expected = plain.joint_gain([columns[i], columns[j]], classes.tolist(), weights)
        selector = BIFSFilter(-9, -9, missing="ignore", verify=False)
        selector.fit(
            as_frame(codes[:, [i, j]]), [f"c{c}" for c in classes],
            sample_weight=weights,
        )  # fmt: skip
        pair = next(g for g in selector.groups_ if len(g["members"]) == 2)
        assert pair["joint_gain"] == pytest.approx(expected, abs=1e-9)


@quiet
@given(table=tables())
@settings(max_examples=60)
def test_best_split_equals_all_partitions(table):
    codes, classes = table
    codes = np.maximum(codes, 0)
    selector = BIFSFilter(-9.0, -9.0, nominal="all", verify=False)
    selector.fit(codes, [f"c{c}" for c in classes])
    if codes.shape[1] > 1:
        columns = [column.tolist() for column in codes.T]
        best = plain.best_partition(columns, classes.tolist())
        found = selector.interactions_[0]
        assert found.joint_gain - found.synergy == pytest.approx(best, abs=1e-9)


class TestAuto:
    def test_exclusive_or_among_noise(self):
        table, truth = make_parity(
            600, n_bits=2, n_noise=20, label_noise=0.1, random_state=3
        )
        selector = BIFSFilter(max_triples=0).fit(table, None)
        assert selector.get_feature_names_out().tolist() == list(truth.relevant)
        (found,) = selector.interactions_
        assert found.members == truth.interactions[0]
        assert found.is_real
        assert found.kept
        assert found.p_value < 1e-6
        assert found.best_split == (("x1",), ("x2",))
        assert selector.graph_["x1"] == ["x2"]
        assert 0 < selector.detectable_synergy_ < found.synergy
        assert selector.steps_[-1]["kept"]
        assert selector.gains_.max() < 0.02

    def test_three_bits_show_in_no_pair(self):
        table, truth = make_parity(500, n_bits=3, n_noise=7, random_state=0)
        selector = BIFSFilter().fit(table, None)
        assert set(selector.get_feature_names_out()) == set(truth.relevant)
        assert [set(f.members) for f in selector.interactions_] == [set(truth.relevant)]
        with pytest.warns(NoFeatureSelectedWarning):
            blind = BIFSFilter(max_degree=2).fit(table, None)
        assert not blind.support_.any()

    def test_numeric_pattern_without_any_cut_on_an_axis(self):
        table, truth = make_gaussian_xor(300, n_noise=8, random_state=1)
        cuts = MDLDiscretizer().fit(table, table.target).cut_points_
        assert all(len(cut) == 0 for cut in cuts[:2]), "MDL alone would hide it"
        selector = BIFSFilter(max_triples=0).fit(table, None)
        assert set(selector.get_feature_names_out()) == set(truth.relevant)

    def test_members_of_an_interaction_stay_together(self):
        table, truth = make_multiplexer(800, n_address=2, n_noise=6, random_state=2)
        selector = BIFSFilter(max_triples=0).fit(table, None)
        assert set(selector.get_feature_names_out()) == set(truth.relevant)

    def test_redundant_features_go_and_are_named(self):
        table, truth = make_corral(400, n_noise=5, random_state=0)
        selector = BIFSFilter(max_triples=0).fit(table, None)
        assert set(selector.get_feature_names_out()) == {"A0", "A1", "B0", "B1"}
        copies, truth = make_copies(
            400, n_informative=2, n_copies=1, n_noise=3, random_state=0
        )
        found = BIFSFilter(max_triples=0).fit(copies, None)
        names = copies.names
        worst = {names[found.redundant_pairs_[side][0]] for side in ("first", "second")}
        assert worst in [set(group) for group in truth.redundant]

    @quiet
    def test_noise_stays_silent(self):
        alarms = 0
        for seed in range(30):
            random = np.random.default_rng(seed)
            codes = random.integers(0, 3, (150, 12))
            classes = random.integers(0, 2, 150)
            selector = BIFSFilter(nominal="all", verify=False, max_triples=0)
            alarms += bool(selector.fit(codes, classes).interactions_)
        assert alarms <= 5, "0.05 of 30 runs are 1.5; 6 have a chance of 1 in 300"

    @pytest.mark.filterwarnings("ignore::featsieve.exceptions.NoFeatureSelectedWarning")
    def test_small_tables_say_that_they_cannot_show_much(self):
        table, _ = make_corral(16, random_state=0)
        with pytest.warns(WeakEvidenceWarning, match="16 rows cannot show") as told:
            BIFSFilter().fit(table, None)
        assert told[0].filename == __file__

    @pytest.mark.filterwarnings("ignore::featsieve.exceptions.NoFeatureSelectedWarning")
    def test_a_null_that_always_ties_shows_nothing(self):
        rows = pd.DataFrame({"a": ["r0", "r1", "r2"], "b": ["s0", "s1", "s2"]})
        with pytest.warns(WeakEvidenceWarning, match="3 rows cannot show much: no"):
            selector = BIFSFilter().fit(rows, ["u", "v", "u"])
        assert selector.pairs_["p_value"].tolist() == [1.0]
        assert selector.detectable_synergy_ > 1
        assert len(selector.redundant_pairs_["first"]) == 0, "row names tell nothing"

    @quiet
    def test_order_of_rows_and_number_of_jobs_do_not_matter(self):
        table, _ = make_corral(150, n_noise=4, random_state=5)
        X, y = table.to_pandas()
        first = BIFSFilter().fit(X, y)
        order = np.random.default_rng(0).permutation(len(X))
        second = BIFSFilter(n_jobs=2).fit(X.iloc[order], y.iloc[order])
        assert_array_equal(first.support_, second.support_)
        assert_array_equal(first.pairs_["q_value"], second.pairs_["q_value"])
        assert first.interactions_ == second.interactions_
        assert first.steps_ == second.steps_

    def test_main_effects_alone_are_no_interaction(self):
        random = np.random.default_rng(0)
        y = random.integers(0, 2, 1500)
        # Features that depend on the class and, given it, not on each other.
        X = (random.random((1500, 8)) < 0.3 + 0.4 * y[:, None]).astype(int)
        selector = BIFSFilter(nominal="all", max_triples=0).fit(X, y)
        assert selector.interactions_ == []
        assert selector.support_.sum() >= 5

    @quiet
    def test_weights_are_heeded(self):
        random = np.random.default_rng(0)
        X = random.integers(0, 2, (800, 5))
        y = X[:, 0] ^ X[:, 1]
        flipped = random.random(800) < 0.5
        y = np.where(flipped, random.integers(0, 2, 800), y)
        selector = BIFSFilter(nominal="all", max_triples=0)
        selector.fit(X, y, sample_weight=np.where(flipped, 0.0, 1.0))
        assert selector.interactions_[0].joint_gain == pytest.approx(1.0, abs=0.01)


def test_verification_tells_a_chain_from_a_whole():
    random = np.random.default_rng(0)
    X = random.integers(0, 2, (600, 3))
    y = np.where(X[:, 0] == 1, X[:, 1] ^ X[:, 2], X[:, 1])
    selector = BIFSFilter(-1.0, -1.0, nominal="all").fit(X, y)
    (whole,) = selector.interactions_
    assert whole.is_real
    unverified = BIFSFilter(-1.0, -1.0, nominal="all", verify=False).fit(X, y)
    assert unverified.interactions_[0].is_real is None
    assert unverified.interactions_[0].p_value is None
    noise = random.integers(0, 2, 600)
    (chance,) = BIFSFilter(-1.0, -1.0, nominal="all").fit(X, noise).interactions_
    assert chance.p_value > 0.01


def test_too_many_groups_raise_alpha_and_say_so():
    random = np.random.default_rng(0)
    codes = random.integers(0, 2, (150, 30))
    classes = random.integers(0, 2, 150)
    selector = BIFSFilter(0.0, 0.0, nominal="all", max_groups=40, verify=False)
    with pytest.warns(WeakEvidenceWarning, match="max_groups=40"):
        selector.fit(codes, classes)
    assert len(selector.groups_) <= 40
    assert selector.min_synergy_ > 0


@quiet
def test_more_features_than_groups_come_to_an_end():
    X = np.random.default_rng(0).integers(0, 2, (100, 5)).astype(str)
    selector = BIFSFilter(max_groups=2).fit(X, np.tile([0, 1], 50))
    assert not selector.get_support().any()


def test_max_degree_breaks_groups_up():
    table, _ = make_corral()
    selector = BIFSFilter(0.05, 0.05, max_degree=2, verify=False).fit(table, None)
    assert max(len(group["members"]) for group in selector.groups_) == 2
    assert len(selector.interactions_) == 7


def test_discretizer_may_be_chosen():
    table, _ = make_gaussian_xor(200, n_noise=2, random_state=0)
    coarse = EqualFrequencyDiscretizer(2)
    selector = BIFSFilter(0.5, 0.05, discretizer=coarse).fit(table, None)
    assert [found.members for found in selector.interactions_] == [("x1", "x2")]
    assert not hasattr(coarse, "cut_points_")


@quiet
@pytest.mark.parametrize(
    ("X", "y"),
    [
        (np.zeros((1, 1)), ["a"]),
        (np.zeros((3, 2)), ["a", "a", "a"]),
        (np.full((4, 2), np.nan), ["a", "b", "a", "b"]),
        (np.arange(8.0).reshape(4, 2), ["a", "b", "a", "b"]),
    ],
)
def test_degenerate_tables(X, y):
    for selector in (BIFSFilter(), BIFSFilter(0.05, 0.05)):
        selector.fit(X, y)
        assert np.isfinite(selector.scores_).all()


@pytest.mark.parametrize(
    ("settings_", "words"),
    [
        (
            {"min_synergy": "high"},
            "'min_synergy' parameter of BIFSFilter must be one of 'auto'",
        ),
        ({"max_loss": None}, "'max_loss' parameter"),
        ({"max_degree": 0}, "'max_degree' parameter"),
        ({"missing": "spread"}, "'missing' parameter"),
        ({"elimination": "none"}, "'elimination' parameter"),
        ({"fdr": 0}, "'fdr' parameter"),
        ({"target_bins": 1}, "'target_bins' parameter"),
        ({"max_groups": 0}, "'max_groups' parameter"),
        ({"max_triples": -1}, "'max_triples' parameter"),
        ({"discretizer": "mdl"}, "'discretizer' parameter"),
    ],
)
def test_wrong_parameters_are_named(settings_, words):
    with pytest.raises(ValueError, match=words):
        BIFSFilter(**settings_).fit([[0], [1]], [0, 1])


@quiet
def test_two_features_of_thousands_of_levels():
    """Their full table would have a hundred million cells."""
    random = np.random.default_rng(0)
    a = random.integers(0, 6000, 12_000)
    b = random.integers(0, 6000, 12_000)
    X = pd.DataFrame({"a": a, "b": b, "c": a % 2, "d": b % 2})
    selector = BIFSFilter(nominal="all", verify=False, max_triples=0)
    selector.fit(X, (a + b) % 2)
    assert {"c", "d"} <= set(selector.get_feature_names_out())


def test_leaves_rows_with_gaps_out_of_the_test_of_groups_too():
    random = np.random.default_rng(0)
    bits = random.integers(0, 2, (500, 4))
    frame = pd.DataFrame(bits, columns=list("abcd")).astype(object)
    frame = frame.mask(random.random(frame.shape) < 0.1)
    selector = BIFSFilter(missing="ignore", nominal="all")
    selector.fit(frame, (bits[:, 0] ^ bits[:, 1]).astype(str))
    assert selector.get_feature_names_out().tolist() == ["a", "b"]
