import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from featsieve.data import Column, ColumnKind, read_table
from featsieve.engine import derive_seed
from featsieve.inference._exchange import WithinStrata
from featsieve.inference._false_discovery import combine_p_values
from featsieve.inference._probes import (
    FEW_TIES,
    LIGHT_TAILS,
    NOT_RARE,
    ShadowTest,
    Shuffles,
    check_probes,
    compare_with_shadows,
    draw_probes,
    feature_shapes,
    follows_a_law,
    join_shadow_tests,
    null_variances,
    probes_of_features,
    settle_test,
    shadow_test,
)
from featsieve.trees._gain_forests import ShadowSums
from reference.inference import ahead_of_shadows

TABLE = read_table(
    {
        "number": [1.5, 2.5, 3.5, 4.5],
        "flag": [0.0, 1.0, 1.0, np.nan],
        "colour": ["red", "blue", "green", "red"],
        "yes": ["y", "n", "y", "n"],
    }
)


def test_every_feature_has_probes_of_its_kind():
    probes = draw_probes(TABLE, ("gaussian", "uniform", "binary"), 2, 50, seed=1)
    kinds = [
        sorted({(probes[k].kind, probes[k].n_levels) for k in own}, key=str)
        for own in probes_of_features(TABLE, probes)
    ]
    assert kinds == [
        [("gaussian", None), ("uniform", None)],
        [("binary", None)],
        [("nominal", 3)],
        [("nominal", 2)],
    ]
    assert all(len(probe.values) == 50 for probe in probes)


@pytest.mark.parametrize("kinds", [("binary",), ("uniform",)])
def test_any_numeric_probe_is_better_than_none(kinds):
    probes = draw_probes(TABLE, kinds, 1, 10, seed=1)
    own = probes_of_features(TABLE, probes)
    assert [probes[k].kind for k in (*own[0], *own[1])] == [*kinds, *kinds]


def test_probes_have_gaps_as_their_features_have():
    probes = draw_probes(TABLE, ("gaussian", "binary"), 1, 20_000, seed=3)
    number, flag, colour, _ = (
        own.tolist() for own in probes_of_features(TABLE, probes)
    )
    assert [probes[k].known for k in (*number, *colour)] == [1, 1]
    assert [probes[k].known for k in flag] == [2**-0.5]  # three of four are
    gaps = np.isnan(probes[flag[0]].values)
    assert gaps.mean() == pytest.approx(1 - 2**-0.5, abs=0.02)
    gone = read_table({"gone": [np.nan] * 4, "text": ["a", None, None, None]})
    probes = draw_probes(gone, ("uniform",), 1, 20_000, seed=3)
    assert [probe.gaps for probe in probes] == [0, 4]
    assert (probes[1].values == -1).mean() == pytest.approx(0.75, abs=0.02)
    assert [own.tolist() for own in probes_of_features(gone, probes)] == [[0], [1]]


def test_an_identifier_is_dealt_no_level_twice():
    table = read_table({"name": [f"row {k}" for k in range(100)]})
    (probe,) = draw_probes(table, ("uniform",), 1, 60, seed=4)
    assert len(np.unique(probe.values)) == 60


def test_laws():
    probes = draw_probes(TABLE, ("gaussian", "uniform", "binary"), 1, 20_000, seed=2)
    by_kind = {(p.kind, p.n_levels): p.values for p in probes if p.gaps == 0}
    assert by_kind["gaussian", None].std() == pytest.approx(1, abs=0.03)
    assert by_kind["uniform", None].min() >= 0 <= by_kind["uniform", None].max() <= 1
    assert set(by_kind["binary", None]) == {0.0, 1.0}
    counts = np.bincount(by_kind["nominal", 3])
    assert counts / 20_000 == pytest.approx([1 / 3] * 3, abs=0.02)


def test_columns_of_other_shapes_follow_no_law():
    rng = np.random.default_rng(5)
    n = 4000

    def follows(values, association="kendall"):
        column = Column("x", ColumnKind.NUMERIC, values.astype(float))
        return follows_a_law(column, np.arange(n), association)

    assert follows(rng.normal(size=n))
    assert follows(rng.normal(size=n), "pearson")
    assert follows(rng.standard_cauchy(size=n))
    assert not follows(rng.standard_cauchy(size=n), "pearson")
    assert not follows(rng.poisson(1.0, n))
    coin, rare = rng.random(n) < 0.3, rng.random(n) < 0.02
    assert follows(coin)
    assert follows(coin, "pearson")
    assert not follows(coin, "gamma")
    assert not follows(coin, "symmetrical_uncertainty")
    assert not follows(rare)
    assert follows(np.full(n, np.nan))
    codes = Column(
        "c", ColumnKind.NOMINAL, np.arange(n, dtype=np.int32), tuple(range(n))
    )
    assert not follows_a_law(codes, np.arange(n), "kendall")


def test_borders_of_laws_belong_to_the_law():
    def follows(values, association="kendall"):
        column = Column("x", ColumnKind.NUMERIC, np.asarray(values, dtype=float))
        return follows_a_law(column, np.arange(len(values)), association)

    assert (NOT_RARE, FEW_TIES, LIGHT_TAILS) == (0.05, 0.02, 12.0)
    assert follows(np.repeat([0, 1], [1, round(1 / NOT_RARE) - 1]))
    assert not follows(np.repeat([0, 1], [1, round(1 / NOT_RARE)]))
    # Three values are ties, not a coin.
    assert not follows(np.repeat([0, 1, 2], 20))
    # Equal shares of 1/50 make two rows equal in one of fifty.
    each = round(1 / FEW_TIES)
    assert follows(np.repeat(np.arange(each + 1), 4))
    assert not follows(np.repeat(np.arange(each - 1), 4))
    # The fourth moment is what is asked, of centred and scaled values.
    rng = np.random.default_rng(0)
    light, heavy = rng.exponential(size=4000), rng.standard_t(3, 4000)
    for values in (light, 50 + 7 * light, -0.01 * light, heavy, 3 - 9 * heavy):
        z = (values - values.mean()) / values.std()
        assert follows(values, "pearson") == (np.mean(z**4) <= LIGHT_TAILS)
    assert follows(light, "pearson")
    assert not follows(heavy, "pearson")


class Owner:
    pass


@pytest.mark.parametrize("bad", ["gaussian", 3, None, ("gauss",), ()])
def test_what_is_no_list_of_kinds_is_refused(bad):
    with pytest.raises(ValueError, match="The 'probes' parameter of Owner must be"):
        check_probes(bad, Owner(), at_least=1)


def test_no_probes_are_a_list_too():
    check_probes((), Owner())
    check_probes(["binary"], Owner(), at_least=1)
    with pytest.raises(ValueError, match="'gaussian', 'uniform', 'binary'"):
        check_probes("uniform", Owner())


def test_probes_differ_and_depend_on_their_number_only():
    """Same seed, same bits: more probes or kinds do not change the first ones."""
    few = draw_probes(TABLE, ("gaussian",), 2, 30, seed=4)
    more = draw_probes(TABLE, ("uniform", "gaussian"), 3, 30, seed=4)

    def by_kind(probes, kind, gaps):
        return [
            tuple(np.nan_to_num(p.values, nan=-9).tolist())
            for p in probes
            if (p.kind, p.gaps) == (kind, gaps)
        ]

    for kind in ("gaussian", "nominal"):
        for gaps in (0, 1):
            some, all_ = by_kind(few, kind, gaps), by_kind(more, kind, gaps)
            assert set(some) <= set(all_)
    everything = [by_kind(more, p.kind, p.gaps) for p in more]
    values = [tuple(np.nan_to_num(p.values, nan=-9).tolist()) for p in more]
    assert len(set(values)) == len(more) == 18
    assert all(everything)
    other = draw_probes(TABLE, ("gaussian",), 2, 30, seed=5)
    assert not set(by_kind(few, "gaussian", 0)) & set(by_kind(other, "gaussian", 0))
    known = [p.values[~np.isnan(p.values)][:5] for p in more if p.kind == "gaussian"]
    assert len({tuple(values.tolist()) for values in known}) == len(known)


def test_copies_hold_the_values_of_the_sampled_rows():
    rows = np.array([7, 2, 5, 0])
    values = np.arange(10) * 1.5
    shuffles = Shuffles.draw(rows, 3, seed=1)
    for copy in shuffles.copies(values, np.arange(4)):
        assert sorted(copy) == sorted(values[rows])
    again = Shuffles.draw(rows, 3, seed=1)
    assert all(map(np.array_equal, shuffles.orders, again.orders))


def test_copies_are_drawn_by_their_number_only():
    """Same seed, same bits: more copies do not change the first ones."""
    rows = np.arange(9)
    orders = Shuffles.draw(rows, 3, seed=4).orders
    for k, order in enumerate(orders):
        own = np.random.default_rng(derive_seed(4, "copy", k)).permutation(9)
        np.testing.assert_array_equal(order, own)
    assert all(map(np.array_equal, orders, Shuffles.draw(rows, 5, seed=4).orders))


def test_copies_are_exchanged_as_the_null_says():
    strata = np.repeat([0, 1, 2], 5)
    rows = np.array([14, 3, 0, 7, 9, 1, 12])
    shuffles = Shuffles.draw(rows, 20, seed=1, exchange=WithinStrata(strata))
    copies = shuffles.copies(np.arange(15), np.arange(7))
    for copy in copies:
        np.testing.assert_array_equal(strata[copy], strata[rows])
        assert sorted(copy) == sorted(rows)
    assert len(set(map(tuple, copies))) > 5
    some = shuffles.copies(np.arange(15), np.array([6, 2]))
    assert [c.tolist() for c in some] == [c[[6, 2]].tolist() for c in copies]


def sums_of(gain, shadows, weight=1.0):
    gain, shadows = np.asarray(gain, float), np.asarray(shadows, float)
    weights = np.full(len(gain), weight)
    n_draws = np.full(len(gain), 7)
    return ShadowSums(n_draws, weights, gain * weight, shadows * weight)


def chance(n_features, n_shadows, scale, random):
    """Features that are nothing but one more shadow."""
    values = random.exponential(size=(n_features, n_shadows + 1)) * scale
    return sums_of(values[:, 0], values[:, 1:])


def alike_test(forests):
    """The test of features of one kind."""
    return shadow_test(forests, np.zeros((len(forests[0].weight), 1)))


def test_a_shadow_in_place_of_its_feature():
    comparison = compare_with_shadows(sums_of([3.0], [[1.0, 2.0, 6.0]], weight=5.0))
    assert comparison.excess == pytest.approx([0.0])
    scale = np.sqrt((1 + 1 / 3) / (1 + 1 / 2))
    assert comparison.null[0] == pytest.approx(np.array([-3.0, -1.5, 4.5]) * scale)


def test_constant_unseen_and_indiscriminate_features_are_not_tested():
    sums = sums_of([0.0, 1.0, 0.4], [[0, 0, 0], [1, 1, 1], [0.1, 0.2, 0.3]])
    assert compare_with_shadows(sums).tested.tolist() == [False, False, True]
    test = alike_test([sums])
    assert test.p_values[:2].tolist() == [1.0, 1.0]
    assert test.score[:2].tolist() == [0.0, 0.0]
    nothing = alike_test([sums_of([0.0], [[0.0, 0.0]])])
    assert nothing.p_values.tolist() == [1.0]


def test_the_level_holds_where_kinds_of_features_differ():
    """Exponential chance: half of the features vary ten times as much as the others."""
    random = np.random.default_rng(0)
    kind = np.repeat([0.0, 1.0], 20)[:, None]
    rejected = np.array(
        [
            shadow_test([chance(40, 5, 10**kind, random)], kind).p_values < 0.05
            for _ in range(150)
        ]
    )
    shares = rejected.mean(axis=0).reshape(2, 20).mean(axis=1)
    # Pooled, the quiet half would hardly ever pass and the other twice too often.
    assert np.all(shares < 0.075)
    assert np.all(shares > 0.02)


def test_what_shadows_gain_is_one_more_shape_where_rows_belong_together():
    """Per weight: half of the features gain ten times as much, and vary as much more.

    A feature that was never drawn takes no part in the fit.
    """
    random = np.random.default_rng(7)
    scale = np.repeat([1.0, 10.0, 0.0], [10, 10, 1])[:, None]
    sums = chance(21, 5, scale, random)
    weight = np.append(random.uniform(0.5, 2.0, 20), 0.0)
    sums = ShadowSums(
        sums.n_draws, weight, sums.gain * weight, sums.shadow_gain * weight[:, None]
    )
    level = sums.shadow_gain.mean(axis=1) / np.maximum(weight, 1e-300)
    shapes = np.zeros((21, 1))
    found = shadow_test([sums], shapes, alike=False)
    logs = np.log(np.maximum(level, 1e-300))
    expected = shadow_test([sums], np.column_stack([shapes, logs]))
    np.testing.assert_allclose(found.p_values, expected.p_values, rtol=1e-9)
    assert abs(found.p_values - shadow_test([sums], shapes).p_values).max() > 0.1
    assert found.p_values[20] == 1


def test_variances_of_alike_features_are_drawn_together():
    random = np.random.default_rng(1)
    null = random.normal(size=(30, 4))
    alike = null_variances(null, np.full((30, 1), 2.0))
    np.testing.assert_allclose(alike, np.mean(null**2))


def test_shapes_tell_kinds_apart():
    table = read_table({"a": [1.0, 2.0, 3.0, 4.0], "b": ["x", "y", "x", None]})
    shapes = feature_shapes(table)
    assert shapes[0].tolist() == pytest.approx([np.log(2), np.log(2) ** 2, 0, 0])
    entropy = 0.75 * (np.log2(3) - 2 / 3)
    assert shapes[1, [0, 2, 3]] == pytest.approx([np.log(entropy), 1, np.log(entropy)])


def test_one_known_value_tells_no_rows_apart():
    table = read_table({"a": [1.0, None, None], "b": [1.0, 2.0, 2.0]})
    assert feature_shapes(table)[0, 0] == pytest.approx(np.log(1e-3))


def test_kinds_of_trees_add_up():
    random = np.random.default_rng(2)
    first, second = (chance(20, 5, 1.0, random) for _ in range(2))
    first.gain[3] += 4
    second.gain[3] += 4
    alone = [alike_test([sums]).p_values[3] for sums in (first, second)]
    assert alike_test([first, second]).p_values[3] < min(alone)


def test_scores_do_not_depend_on_the_unit_of_gains():
    random = np.random.default_rng(3)
    sums = chance(20, 5, 1.0, random)
    tenfold = ShadowSums(
        sums.n_draws, sums.weight, 10 * sums.gain, 10 * sums.shadow_gain
    )
    np.testing.assert_allclose(
        alike_test([tenfold]).p_values, alike_test([sums]).p_values
    )


def test_skewness_is_bounded():
    tested = np.ones(4, dtype=bool)
    flat = settle_test(np.zeros(4), np.tile([-1.0, 1.0], (4, 1)), tested)
    assert flat.skewness == 1.5
    steep = settle_test(np.zeros(4), np.tile([-1.0] * 50 + [50.0], (4, 1)), tested)
    assert steep.skewness == 2.0
    middle = settle_test(np.zeros(4), np.tile([-1.0] * 4 + [4.0], (4, 1)), tested)
    deviation = np.sqrt(20 / 5)
    assert middle.skewness == pytest.approx((64 - 4) / 5 / deviation**3)
    assert 1.5 <= middle.skewness <= 2


@given(
    st.lists(
        st.tuples(st.integers(0, 9), *[st.integers(0, 9)] * 4, st.integers(1, 5)),
        min_size=1,
        max_size=6,
    )
)
def test_comparisons_equal_the_definition(rows):
    gain, *shadows, weight = np.array(rows, dtype=float).T
    sums = ShadowSums(np.ones(len(rows)), weight, gain, np.column_stack(shadows))
    found = compare_with_shadows(sums)
    for j, (own, *others, w) in enumerate(rows):
        assert found.tested[j] == (len(set(others)) > 1)
        if found.tested[j]:
            excess, null = ahead_of_shadows(own, others, w)
            assert found.excess[j] == pytest.approx(excess)
            assert found.null[j] == pytest.approx(null)
        else:
            assert found.excess[j] == 0
            assert not found.null[j].any()


def test_shadows_that_rounding_tells_apart_are_the_same():
    sums = sums_of([1.0, 1.0], [[1.0, 1 + 1e-12], [1.0, 1 + 1e-6]])
    assert compare_with_shadows(sums).tested.tolist() == [False, True]


def test_variances_are_a_ridge_fit_of_their_logarithms():
    random = np.random.default_rng(4)
    null = random.normal(size=(12, 5)) * np.exp(random.normal(size=(12, 1)))
    shapes = random.normal(size=(12, 2)) + 7
    own = (null**2).mean(axis=1)
    centred = shapes - shapes.mean(axis=0)
    logs = np.log(own) - np.log(own).mean()
    # Rows of √2 times the identity with outcome 0 are the prior of two features.
    prior = np.sqrt(2) * np.eye(2)
    slopes = np.linalg.lstsq(
        np.vstack([centred, prior]), np.append(logs, [0, 0]), rcond=None
    )[0]
    fitted = np.exp(centred @ slopes)
    expected = fitted * np.mean(own / fitted)
    np.testing.assert_allclose(null_variances(null, shapes), expected)


def test_scores_are_held_against_the_tail_of_all_shadows():
    random = np.random.default_rng(5)
    score, null = random.normal(size=4) * 3, random.exponential(size=(4, 6)) - 1
    tested = np.array([True, True, False, True])
    found = settle_test(score, null, tested)
    deviation = np.sqrt(np.mean(null[tested] ** 2))
    skewness = np.clip(np.mean((null[tested] / deviation) ** 3), 1.5, 2)
    assert found.skewness == pytest.approx(skewness)
    np.testing.assert_allclose(found.score, score / deviation)
    np.testing.assert_allclose(found.null, null / deviation)
    tail = stats.pearson3.sf(score / deviation, skewness)
    np.testing.assert_allclose(found.p_values, np.where(tested, tail, 1.0))


def test_nothing_tested_nothing_found():
    found = settle_test(np.array([3.0]), np.ones((1, 2)), np.array([False]))
    assert found.p_values.tolist() == [1.0]
    assert found.score.tolist() == [0.0]
    assert found.skewness == 1.5
    np.testing.assert_array_equal(found.null, np.ones((1, 2)))
    flat = settle_test(np.array([3.0]), np.zeros((1, 2)), np.array([True]))
    assert flat.p_values.tolist() == [1.0]
    assert flat.score.tolist() == [0.0]


def test_sums_of_kinds_of_trees_by_hand():
    """Alike features, alike draws: one deviation per kind, scores added up."""
    random = np.random.default_rng(6)
    kinds = [chance(8, 4, scale, random) for scale in (1.0, 10.0)]
    score, null = 0.0, 0.0
    for sums in kinds:
        comparison = compare_with_shadows(sums)
        deviation = np.sqrt(np.mean(comparison.null**2))
        score = score + comparison.excess / deviation
        null = null + comparison.null / deviation
    expected = settle_test(score, null, np.ones(8, dtype=bool))
    found = alike_test(kinds)
    np.testing.assert_allclose(found.score, expected.score)
    np.testing.assert_allclose(found.null, expected.null)
    np.testing.assert_allclose(found.p_values, expected.p_values)


def test_features_drawn_less_may_vary_more():
    random = np.random.default_rng(7)
    sums = chance(30, 5, 1.0, random)
    weight = np.exp(random.normal(size=30))
    rarely = ShadowSums(
        sums.n_draws, weight, sums.gain * weight, sums.shadow_gain * weight[:, None]
    )
    comparison = compare_with_shadows(rarely)
    shapes = np.column_stack([np.zeros(30), np.log(weight)])
    deviations = np.sqrt(null_variances(comparison.null, shapes))
    expected = settle_test(
        comparison.excess / deviations,
        comparison.null / deviations[:, None],
        np.ones(30, dtype=bool),
    )
    np.testing.assert_allclose(alike_test([rarely]).p_values, expected.p_values)


def test_features_one_kind_of_trees_cannot_test_are_tested_by_the_other():
    random = np.random.default_rng(8)
    first, second = (chance(10, 4, 1.0, random) for _ in range(2))
    first.shadow_gain[3] = 0.5
    found = alike_test([first, second])
    assert found.p_values[3] < 1
    assert alike_test([second, first]).p_values[3] < 1
    first.shadow_gain[:] = 0.5
    np.testing.assert_allclose(
        alike_test([first, second]).p_values, alike_test([second]).p_values
    )


@pytest.mark.parametrize("correlated", [False, True])
def test_level_holds_on_noise(correlated):
    """100 tables of 30 features, 150 ± 12 at .05, if features are independent.

    Correlated ones share half of their chance with all others of a table, and so do
    their shadows: more varied, on average no more.
    """
    random = np.random.default_rng(9)
    passed = 0
    for _ in range(100):
        values = random.exponential(size=(30, 6))
        if correlated:
            values = values / 2 + random.exponential(size=(1, 6)) / 2
        sums = sums_of(values[:, 0], values[:, 1:])
        passed += np.count_nonzero(alike_test([sums]).p_values <= 0.05)
    assert 75 <= passed <= (300 if correlated else 200)


def test_joined_with_tests_on_halves():
    p_values = np.array([0.02, 0.6, 1e-300, 1e-300, 1.0, 1.0])
    score = np.array([2.0, -0.2, 600.0, 700.0, 0.0, -1.3])
    on_all = ShadowTest(score, np.zeros((6, 2)), 1.7, p_values)
    nan = np.nan
    halves = [
        np.array([nan, 1e-6, nan, nan, nan, 1e-4]),
        np.array([nan, 0.3, nan, nan, nan, nan]),
    ]
    joint = join_shadow_tests(on_all, halves)
    settled = np.nan_to_num(halves, nan=0.5)
    expected = combine_p_values([p_values, *settled], [0.8, 0.1, 0.1])
    np.testing.assert_allclose(joint.p_values, [*expected[:4], 1.0, expected[5]])
    # The weights of tests that were not made are lost, not shared out.
    assert joint.p_values[0] == pytest.approx(0.02 / 0.8, rel=0.01)
    assert joint.p_values[1] == pytest.approx(1e-5, rel=0.01)
    # Scores are those of the tail that p-values are from.
    tail = stats.pearson3.sf(joint.score[[0, 1, 5]], 1.7)
    np.testing.assert_allclose(tail, joint.p_values[[0, 1, 5]], rtol=1e-6)
    assert joint.score[2:5].tolist() == [600.0, 700.0, 0.0]


def test_joined_tests_hold_their_level():
    """Two in three features untested on a half; 20,000 of them: s.e. .0007 at .01."""
    random = np.random.default_rng(3)
    p_values = random.random(20_000)
    halves = [np.where(random.random(20_000) < 0.3, random.random(20_000), np.nan)]
    halves.append(np.where(p_values < 0.05, random.random(20_000), np.nan))
    score = stats.pearson3.isf(p_values, 1.5)
    joint = join_shadow_tests(
        ShadowTest(score, np.zeros((1, 2)), 1.5, p_values), halves
    )
    for level in (0.05, 0.01, 0.001):
        error = np.sqrt(level / 20_000)
        assert np.mean(joint.p_values <= level) < level + 3 * error
    assert np.all(np.diff(joint.score[np.argsort(joint.p_values)]) <= 1e-9)
