import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from featsieve.inference import _pair_scan
from featsieve.inference._exchange import WithinStrata
from featsieve.inference._pair_scan import (
    ScanInput,
    _best_pairs,
    _steadiness,
    find_pairs,
)
from featsieve.inference._tail_null import TailNull


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
