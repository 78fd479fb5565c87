from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2, norm

from featsieve.inference import _pair_scan
from featsieve.inference._exchange import WithinStrata
from featsieve.inference._pair_scan import (
    ScanInput,
    TailNull,
    _best_pairs,
    _steadiness,
    best_positions,
    find_pairs,
    fit_tail,
    scans_needed,
    to_normal_scale,
    to_tail_scale,
)
from reference.inference import exponential_tail, wilson_hilferty

NULL = TailNull(start=2.0, count=4.0, rate=0.5, n_candidates=40, n_scans=20)


@given(st.lists(st.integers(0, 5), max_size=30), st.integers(1, 10))
def test_best_positions_are_a_stable_sort(values, keep):
    scores = np.array(values, dtype=float)
    expected = np.argsort(-scores, kind="stable")[:keep]
    np.testing.assert_array_equal(best_positions(scores, keep), expected)


def test_best_positions_of_many_ties():
    scores = np.repeat([1.0, 3.0, 2.0], 100)
    expected = [*range(100, 200), *range(200, 250)]
    assert best_positions(scores, 150).tolist() == expected
    whole = [*expected, *range(250, 300), *range(100)]
    assert best_positions(scores, 300).tolist() == whole


@given(st.floats(0, 1), st.integers(1, 30), st.integers(1, 10**6))
def test_scales_equal_the_definition(bits, freedom, n_rows):
    statistic = 2 * n_rows * np.log(2) * bits
    expected = wilson_hilferty(statistic, freedom)
    given_bits, own = np.array([bits]), np.array([float(freedom)])
    assert to_normal_scale(given_bits, own, n_rows) == pytest.approx(expected, rel=1e-9)
    tails = to_tail_scale(given_bits, own, n_rows)
    expected = -norm.logsf(expected) if bits > 0 else 0.0
    assert tails == pytest.approx(expected, rel=1e-6, abs=1e-12)


def test_tails_are_about_those_of_chi_square():
    freedom = np.array([1.0, 4.0, 8.0, 2.0])
    bits = np.array([0.02, 0.03, 0.04, 0.001])
    tails = to_tail_scale(bits, freedom, 500)
    exact = -chi2.logsf(bits * 2 * np.log(2) * 500, freedom)
    np.testing.assert_allclose(tails, exact, rtol=0.05)


def test_nothing_without_freedom_and_without_synergy():
    bits = np.array([-1.0, 0.0, 0.01, 5.0])
    freedom = np.array([1.0, 1.0, 1.0, 0.0])
    assert to_normal_scale(bits, freedom, 4.0)[3] == -np.inf
    tails = to_tail_scale(bits, freedom, 4.0)
    assert tails[[0, 1, 3]].tolist() == [0.0, 0.0, 0.0]
    assert tails[2] > 0
    assert not np.signbit(tails).any()
    tiny = to_tail_scale(np.array([1e-12]), np.array([1000.0]), 1.0)
    assert tiny.tolist() == [0.0]
    assert not np.signbit(tiny).any()
    least = to_normal_scale(bits, freedom, 4.0)
    assert least[0] == least[1] < least[2]  # below no synergy there is nothing


def test_expected_numbers_by_hand():
    tails = np.array([1.0, 2.0, 2.0 + 5e-10, 4.0, 8.0])
    expected = [40.0, 40.0, 40.0, 4 * np.exp(-1), 4 * np.exp(-3)]
    assert NULL.expected(tails) == pytest.approx(expected)
    assert NULL.p_values(tails) == pytest.approx(np.array(expected) / 40)
    many = TailNull(2.0, 400.0, 0.5, 40, 20)
    assert many.p_values(np.array([2.1])).tolist() == [1.0]
    single = TailNull(2.0, 0.5, 0.5, 1, 20)
    assert single.p_values(np.array([4.0])) == pytest.approx([0.5 * np.exp(-1)])
    none = TailNull(0.0, 0.0, 1.0, 0, 0)
    assert none.p_values(np.array([3.0])).tolist() == [0.0]


def test_rates_by_hand():
    tails = np.array([1.0, 8.0, 4.0])
    expected = [1.0, 4 * np.exp(-3), 4 * np.exp(-1) / 2]
    assert NULL.q_values(tails) == pytest.approx(expected)


def test_the_threshold_is_where_chance_puts_so_many():
    assert NULL.expected(np.array([NULL.threshold(0.05)])) == pytest.approx([0.05])
    assert NULL.threshold(3.9) > 2.0
    assert NULL.threshold(4.0) == NULL.threshold(5.0) == 2.0


@pytest.mark.parametrize(
    ("candidates", "expected"),
    [(1, (400, 1)), (19, (400, 1)), (100, (100, 10)), (300, (34, 30)),
     (490, (21, 49)), (500, (20, 50)), (10**6, (20, 50))],
)  # fmt: skip
def test_scans_that_are_made(candidates, expected):
    assert scans_needed(candidates) == expected


def fitted(scans, n_candidates):
    return fit_tail(lambda number, keep: scans[number][:keep], n_candidates, 1)


@given(st.integers(0, 10_000), st.integers(10, 40), st.booleans())
def test_fit_equals_the_definition(seed, n_candidates, rounded):
    random = np.random.default_rng(seed)
    n_scans, keep = scans_needed(n_candidates)
    scans = random.exponential(2.0, size=(n_scans, n_candidates))
    scans = -np.sort(-(scans.round() if rounded else scans), axis=1)
    found = fitted(scans, n_candidates)
    start, count, rate = exponential_tail([s[: keep + 1].tolist() for s in scans], keep)
    assert found.start == pytest.approx(start)
    assert found.rate == pytest.approx(rate)
    assert found.count == pytest.approx(n_candidates if count is None else count)
    assert (found.n_candidates, found.n_scans) == (n_candidates, n_scans)


def test_scans_are_asked_for_one_more_than_is_kept_and_by_number():
    asked = []

    def scan(number, keep):
        asked.append((number, keep))
        return np.arange(keep, dtype=float)[::-1] + number / 1000

    fit_tail(scan, 500, 1)
    assert asked == [(number, 51) for number in range(20)]


def test_no_candidates_and_nothing_but_ties():
    assert fit_tail(None, 0, 1) == TailNull(0.0, 0.0, 1.0, 0, 0)
    ties = fitted(np.full((400, 3), 1.5), 3)
    assert ties == TailNull(1.5, 3.0, 1.0, 3, 400)


def test_scans_of_fewer_than_are_kept():
    """All is known of them: the tail starts at the least of all."""
    few = fit_tail(lambda k, _: np.array([3.0, 0.5 + k / 1000]), 100, 1)
    assert few.n_scans == 100
    assert few.start == 0.5
    assert few.count == pytest.approx(199 / 100)
    beyond = [2.5] * 100 + [k / 1000 for k in range(1, 100)]
    assert few.rate == pytest.approx(min(1, 1 / np.mean(beyond)))
    whole = fit_tail(lambda _, keep: np.arange(keep, 0.0, -1)[: keep - 1], 100, 1)
    assert whole.start == 2.0  # the last of the ten that each has


def test_never_lighter_than_the_law_itself():
    random = np.random.default_rng(0)
    light = -np.sort(-random.exponential(0.3, size=(20, 600)), axis=1)
    assert fitted(light, 600).rate == 1.0
    heavy = -np.sort(-random.exponential(3.0, size=(20, 600)), axis=1)
    assert fitted(heavy, 600).rate == pytest.approx(1 / 3, rel=0.15)


@pytest.mark.parametrize("correlated", [False, True])
def test_chance_is_found_as_often_as_it_says(correlated):
    """150 scans of 600 candidates: .05 of them expected beyond the bound in each.

    7.5 ± 2.7 in all; 20 are too many. Candidates that come in threes stay as many on
    average, three times as varied: 40 are too many then.
    """
    random = np.random.default_rng(1)

    def scan(_, keep):
        tails = random.exponential(size=600)
        if correlated:
            tails = np.repeat(tails[:200], 3)
        return -np.sort(-tails)[:keep]

    beyond = 0
    for _ in range(150):
        null = fit_tail(scan, 600, 1)
        beyond += np.count_nonzero(scan(0, 600) > null.threshold(0.05))
    assert beyond <= (40 if correlated else 20)
    assert beyond >= 1


def test_constants_are_those_of_the_specification():
    assert (_pair_scan.LEAST_SCANS, _pair_scan.MOST_SCANS) == (20, 400)
    assert _pair_scan.MOST_PER_SCAN * _pair_scan.LEAST_SCANS == 1000


def make_input(levels, n_rows=300, seed=0, **changes):
    """Return noise in which the first two columns are an exclusive or of the class."""
    rng = np.random.default_rng(seed)
    codes = np.column_stack([rng.integers(0, n, n_rows) for n in levels])
    classes = (codes[:, 0] + codes[:, 1]) % 2
    classes = np.where(rng.random(n_rows) < 0.2, 1 - classes, classes).astype(np.int32)
    settings = {"weights": None, "missing": "level", "n_jobs": 1} | changes
    return ScanInput(np.asfortranarray(codes, dtype=np.int32), classes, **settings)


def entropy(columns, weights):
    totals = {}
    for row, weight in zip(zip(*columns, strict=True), weights, strict=True):
        totals[row] = totals.get(row, 0.0) + weight
    whole = sum(totals.values())
    return -sum(t / whole * math.log2(t / whole) for t in totals.values() if t > 0)


def plain_synergy(a, b, y, weights):
    """What both tell beyond what each tells, from seven entropies."""
    h = lambda *columns: entropy(columns, weights)  # noqa: E731
    return -h(a, b, y) + h(a, b) + h(a, y) + h(b, y) - h(a) - h(b) - h(y)


@pytest.mark.parametrize(
    "levels", [[2] * 10, [2, 2, 3, 4, 2, 5]], ids=["alike", "mixed"]
)
@pytest.mark.parametrize("weighted", [False, True])
def test_exclusive_or_is_found_and_alone(levels, weighted):
    weights = np.random.default_rng(2).random(300) + 0.5 if weighted else None
    found = find_pairs(make_input(levels, weights=weights), fdr=0.05, seed=1)
    pairs = np.column_stack([found.first, found.second])
    assert pairs[found.significant].tolist() == [[0, 1]]
    assert found.significant.tolist() == (found.q_value <= 0.05).tolist()
    assert (np.diff(found.p_value) >= 0).all()
    assert found.synergy[0] > found.detectable > 0
    # Each p-value is the share of all pairs that chance puts beyond.
    assert found.null.n_candidates == len(levels) * (len(levels) - 1) / 2
    data = make_input(levels, weights=weights)
    own = np.ones(300) if weights is None else weights
    a, b, y = data.codes[:, 0], data.codes[:, 1], data.classes
    told = entropy((y,), own) + entropy((a, b), own) - entropy((a, b, y), own)
    assert found.joint_gain[0] == pytest.approx(told)


@given(st.integers(0, 10**6), st.booleans(), st.sampled_from(["level", "ignore"]))
def test_synergies_are_those_of_seven_entropies(seed, weighted, missing):
    rng = np.random.default_rng(seed)
    weights = rng.integers(1, 4, 40).astype(float) if weighted else None
    data = make_input([2, 3, 2, 4], 40, seed, weights=weights, missing=missing)
    data.codes[rng.random(data.codes.shape) < 0.1] = -1
    levels = data.levels_present()
    first, second, _, synergy, _ = _best_pairs(data, levels, 2, 100)
    assert len(first) == 6
    for i, j, found in zip(first, second, synergy, strict=True):
        a, b, y = data.codes[:, i], data.codes[:, j], data.classes
        own = np.ones(40) if weights is None else weights
        if missing == "ignore":
            known = (a >= 0) & (b >= 0)
            a, b, y, own = a[known], b[known], y[known], own[known]
        rows = (a.tolist(), b.tolist(), y.tolist(), own.tolist())
        assert found == pytest.approx(plain_synergy(*rows), abs=1e-9)


@given(st.integers(0, 10**6), st.booleans(), st.sampled_from(["level", "ignore"]))
def test_steadiness_is_a_test_of_the_mean_over_rows(seed, weighted, missing):
    """Each row's own log ratio, its mean less the bias, by its standard error."""
    rng = np.random.default_rng(seed)
    weights = rng.integers(0, 3, 60).astype(float) if weighted else None
    data = make_input([2, 3], 60, seed, weights=weights, missing=missing)
    data.codes[rng.random(data.codes.shape) < 0.1] = -1
    levels = data.levels_present()
    (p_value,) = _steadiness(data, np.array([0]), np.array([1]), levels, 2)
    own = np.ones(60) if weights is None else weights
    rows = [
        (int(a), int(b), int(y), w)
        for (a, b), y, w in zip(data.codes, data.classes, own, strict=True)
        if w > 0 and (missing == "level" or min(a, b) >= 0)
    ]
    total = sum(row[3] for row in rows)

    def share(row, *which):
        alike = (r for r in rows if all(r[k] == row[k] for k in which))
        return sum(r[3] for r in alike) / total

    local = [
        math.log2(
            share(row, 0, 1, 2) * share(row, 0) * share(row, 1) * share(row, 2)
            / (share(row, 0, 1) * share(row, 0, 2) * share(row, 1, 2))
        )
        for row in rows
    ]  # fmt: skip
    mean = sum(row[3] * v for row, v in zip(rows, local, strict=True)) / total
    spread = sum(row[3] * (v - mean) ** 2 for row, v in zip(rows, local, strict=True))
    bias = (levels[0] - 1) * (levels[1] - 1) / (2 * math.log(2) * total)
    error = math.sqrt(spread / total / total)
    assert p_value == pytest.approx(norm.sf((mean - bias) / error), rel=1e-6)


@pytest.mark.parametrize(("classes", "expected"), [([0, 1, 1, 0], 0.0), ([0] * 4, 1.0)])
def test_steadiness_without_any_spread(classes, expected):
    codes = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 10, dtype=np.int32)
    y = np.array(classes * 10, dtype=np.int32)
    data = ScanInput(codes, y, None, "level", 1)
    found = _steadiness(data, np.array([0]), np.array([1]), np.array([2.0, 2.0]), 2)
    assert found.tolist() == [expected]


def test_noise_is_significant_no_more_often_than_promised():
    """Of 40 tables of noise at most 6 have a pair; 7 have a chance of 1 in 290."""
    found = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        base = rng.integers(0, 2, (120, 4))
        copies = np.where(rng.random((120, 4)) < 0.1, 1 - base, base)
        codes = np.asfortranarray(np.hstack([base, copies]), dtype=np.int32)
        classes = rng.integers(0, 2, 120).astype(np.int32)
        data = ScanInput(codes, classes, None, "level", 1)
        found += find_pairs(data, fdr=0.05, seed=seed).significant.any()
    assert found <= 6


def test_levels_that_are_present():
    codes = np.array([[0, 5, -1], [2, 5, 70_000], [-1, 5, 3]], dtype=np.int32)
    data = ScanInput(codes, np.zeros(3, np.int32), None, "level", 1)
    assert data.levels_present().tolist() == [3, 1, 3]
    data = ScanInput(codes, np.zeros(3, np.int32), None, "ignore", 1)
    assert data.levels_present().tolist() == [2, 1, 2]
    data = ScanInput(
        np.full((3, 1), -1, np.int32), np.zeros(3, np.int32), None, "level", 1
    )
    assert data.levels_present().tolist() == [1]


def test_classes_and_weights_move_together_within_strata():
    weights = np.arange(12.0)
    strata = np.repeat([0, 1, 2], 4)
    codes = np.zeros((12, 2), np.int32)
    data = ScanInput(
        codes, np.arange(12, dtype=np.int32), weights, "level", 1, WithinStrata(strata)
    )
    moved = data.permuted(3, 5)
    assert moved.classes.tolist() == moved.weights.tolist()
    assert sorted(moved.classes.tolist()) == list(range(12))
    assert (strata[moved.classes] == strata).all()
    assert moved.classes.tolist() != list(range(12))
    assert moved.codes is codes
    assert data.permuted(3, 6).classes.tolist() != moved.classes.tolist()
    assert data.total == 66


def test_blocks_do_not_change_what_is_kept(monkeypatch):
    data = make_input([2, 2, 3, 4, 2, 5])
    whole = find_pairs(data, fdr=0.05, seed=1)
    blocks = _pair_scan.pairwise_gain_blocks
    monkeypatch.setattr(
        _pair_scan,
        "pairwise_gain_blocks",
        lambda *args, **settings: blocks(*args, block_size=4, **settings),
    )
    again = find_pairs(data, fdr=0.05, seed=1)
    for name in ("first", "second", "q_value"):
        assert getattr(again, name).tolist() == getattr(whole, name).tolist()


def test_only_the_best_are_kept(monkeypatch):
    data = make_input([2] * 10)
    whole = find_pairs(data, fdr=0.05, seed=1)
    monkeypatch.setattr(_pair_scan, "MOST_PAIRS", 7)
    few = find_pairs(data, fdr=0.05, seed=1)
    assert len(few.first) == 7
    assert few.synergy.tolist() == whole.synergy[:7].tolist()


@pytest.mark.parametrize("n_features", [0, 1])
def test_no_pairs_without_two_features(n_features):
    codes = np.zeros((30, n_features), np.int32, order="F")
    classes = np.arange(30, dtype=np.int32) % 2
    found = find_pairs(ScanInput(codes, classes, None, "level", 1), fdr=0.05, seed=0)
    assert len(found.first) == 0
    assert found.detectable == math.inf


def test_one_class_detects_nothing():
    data = make_input([2, 2, 2])
    same = ScanInput(data.codes, np.zeros(300, np.int32), None, "level", 1)
    found = find_pairs(same, fdr=0.05, seed=0)
    assert not found.significant.any()
    assert found.detectable == math.inf


def test_of_next_to_no_rows_nothing_can_be_detected():
    """64 bits in rows that weigh a thousandth in all are .09 by chi-square."""
    null = TailNull(10.0, 1.0, 1.0, 5, 20)
    levels = np.full(4, 2.0)
    assert _pair_scan._detectable(null, levels, 2, 1e-3, 0.05) == math.inf
    assert _pair_scan._detectable(null, levels, 2, 10.0, 0.05) < 3


def test_what_is_detectable_is_found_from_there_on():
    """The least synergy that would be found lies on the threshold of the null."""
    data = make_input([2] * 10)
    found = find_pairs(data, fdr=0.05, seed=1)
    weak = find_pairs(data, fdr=0.001, seed=1)
    assert weak.detectable > found.detectable
    p = found.null.p_values(
        _pair_scan.to_tail_scale(
            np.array([0.999, 1.001]) * found.detectable, np.ones(2), 300.0
        )
    )
    bound = found.null.p_values(np.array([found.null.threshold(0.05)]))[0]
    assert p[0] > bound >= p[1]
