"""What features tell once others are known: exact, and equal to all permutations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

from featsieve.inference import _conditional_test
from featsieve.inference._conditional_test import (
    conditional_p_value,
    conditioning_set,
    synergy_p_value,
)
from featsieve.inference._exchange import FREE, WithinStrata
from featsieve.inference._tuple_gains import TupleGains
from reference.inference import exact_p_value, likelihood_ratio


def gains_of(codes, classes, missing="level", weights=None):
    codes = np.asfortranarray(np.array(codes, dtype=np.int32))
    return TupleGains(codes, np.array(classes, dtype=np.int32), missing, weights)


@pytest.fixture
def many_draws(monkeypatch):
    monkeypatch.setattr(_conditional_test, "MOST_DRAWS", 3000)
    monkeypatch.setattr(_conditional_test, "STOP_AFTER", 3001)


@pytest.mark.usefixtures("many_draws")
def test_is_the_share_of_orders_within_cells():
    given = [0, 0, 0, 0, 1, 1, 1, 1]
    tested = [0, 0, 1, 1, 0, 1, 1, 1]
    classes = [0, 0, 1, 1, 0, 1, 0, 1]
    joint = list(zip(given, tested, strict=True))
    exact = exact_p_value(lambda y: likelihood_ratio(joint, y), classes, given)
    assert 0.05 < exact < 0.95
    gains = gains_of(np.column_stack([given, tested]), classes)
    found = conditional_p_value(gains, (1,), (0,), seed=1)
    assert found == pytest.approx(exact, abs=4 * math.sqrt(exact / 3000))
    # Rows in another order, and given as a null instead of a column.
    order = np.random.default_rng(0).permutation(8)
    again = gains_of(gains.codes[order], gains.classes[order])
    found = conditional_p_value(again, (1,), (0,), seed=2)
    assert found == pytest.approx(exact, abs=4 * math.sqrt(exact / 3000))
    null = WithinStrata(np.array(given))
    alone = exact_p_value(lambda y: likelihood_ratio(tested, y), classes, given)
    found = conditional_p_value(gains, (1,), (), seed=3, exchange=null)
    assert found == pytest.approx(alone, abs=4 * math.sqrt(alone / 3000))


@pytest.mark.usefixtures("many_draws")
def test_rows_without_a_value_are_left_out_if_missing_is_ignored():
    given = [0, 0, 0, 1, 1, 1, 1, 0]
    tested = [0, 1, 1, 0, 1, 0, 0, -1]
    classes = [0, 1, 1, 1, 0, 1, 1, 2]
    joint = list(zip(given[:7], tested[:7], strict=True))
    exact = exact_p_value(lambda y: likelihood_ratio(joint, y), classes[:7], given[:7])
    gains = gains_of(np.column_stack([given, tested]), classes, "ignore")
    found = conditional_p_value(gains, (1,), (0,), seed=1)
    assert found == pytest.approx(exact, abs=4 * math.sqrt(exact / 3000))


def test_many_rows_are_sampled(monkeypatch):
    random = np.random.default_rng(0)
    x = random.integers(0, 2, 400)
    y = np.where(random.random(400) < 0.1, 1 - x, x)
    gains = gains_of(x[:, None], y)
    assert conditional_p_value(gains, (0,), (), seed=1) == 1 / 1000
    monkeypatch.setattr(_conditional_test, "MOST_ROWS", 6)
    assert conditional_p_value(gains, (0,), (), seed=1) > 1 / 1000
    seen = []
    information = _conditional_test._information

    def watched(joint, classes, n_classes):
        seen.append(len(joint))
        return information(joint, classes, n_classes)

    monkeypatch.setattr(_conditional_test, "_information", watched)
    conditional_p_value(gains, (0,), (), seed=1)
    assert set(seen) == {6}


def test_nothing_can_be_reached_more_often_than_it_is_drawn():
    gains = gains_of(np.zeros((10, 1)), [0, 1] * 5)
    assert conditional_p_value(gains, (0,), (), seed=1) == 1
    assert synergy_p_value(gains_of(np.zeros((10, 2)), [0, 1] * 5), (0, 1), 1) == 1


@pytest.mark.parametrize("kind", ["plain", "correlated"])
def test_level_is_kept_on_noise(kind, monkeypatch):
    """200 tables, 20 ± 4.2 pass at .1; a test that ignored what is given passes most.

    The tested column and the class both follow the given one.
    """
    monkeypatch.setattr(_conditional_test, "MOST_DRAWS", 99)
    random = np.random.default_rng(3)
    passed = 0
    for seed in range(200):
        given = random.integers(0, 3, 60)
        follow = 0.8 if kind == "correlated" else 0.0
        tested, classes = (
            np.where(random.random(60) < follow, given, random.integers(0, 3, 60))
            for _ in range(2)
        )
        gains = gains_of(np.column_stack([given, tested]), classes)
        passed += conditional_p_value(gains, (1,), (0,), seed) <= 0.1
    assert passed <= binom.isf(3e-5, 200, 0.1)
    assert passed >= 6


def synergy(codes, classes):
    """Return the joint information of two columns beyond that of each, by G."""
    a, b = codes
    both = likelihood_ratio(list(zip(a, b, strict=True)), classes)
    return both - likelihood_ratio(a, classes) - likelihood_ratio(b, classes)


def test_synergy_is_the_share_of_orders(monkeypatch):
    monkeypatch.setattr(_conditional_test, "SYNERGY_DRAWS", 400)
    monkeypatch.setattr(_conditional_test, "STOP_AFTER", 401)
    a, b = [0, 0, 1, 1, 0, 1, 1], [0, 1, 0, 1, 1, 1, 0]
    classes = [0, 1, 1, 0, 0, 0, 1]
    exact = exact_p_value(lambda y: synergy((a, b), y), classes)
    assert 0.02 < exact < 0.95
    noise = [1, 1, 0, 0, 1, 0, 1]
    gains = gains_of(np.column_stack([noise, a, b]), classes)
    found = synergy_p_value(gains, (1, 2), seed=1)
    assert found == pytest.approx(exact, abs=4 * math.sqrt(exact / 400))
    equal = gains_of(gains.codes, classes, weights=np.full(7, 2.0))
    assert synergy_p_value(equal, (1, 2), seed=1) == found
    strata = np.array([0, 0, 0, 1, 1, 1, 1])
    exact = exact_p_value(lambda y: synergy((a, b), y), classes, strata.tolist())
    null = WithinStrata(strata)
    found = synergy_p_value(gains, (1, 2), seed=1, exchange=null)
    assert found == pytest.approx(exact, abs=4 * math.sqrt(exact / 400))


def test_weights_move_with_their_class():
    """Rows of weight 0 have no say; of weight 1 they hide what the others show."""
    random = np.random.default_rng(5)
    codes = random.integers(0, 2, (240, 2))
    classes = codes.sum(axis=1) % 2
    classes[20:] = random.integers(0, 2, 220)
    weights = (np.arange(240) < 20).astype(float)
    hidden = gains_of(codes, classes, weights=np.ones(240))
    assert synergy_p_value(hidden, (0, 1), seed=1) > 0.02
    weighted = gains_of(codes, classes, weights=weights)
    assert synergy_p_value(weighted, (0, 1), seed=1) == 1 / 200


def test_missing_values_are_a_level_or_left_out():
    random = np.random.default_rng(8)
    codes = random.integers(0, 2, (200, 2))
    gaps = random.random((200, 2)) < 0.5
    classes = gaps.sum(axis=1) % 2  # what is missing tells, and nothing else
    codes[gaps] = -1
    level, ignored = (gains_of(codes, classes, m) for m in ("level", "ignore"))
    assert synergy_p_value(level, (0, 1), seed=1) == 1 / 200
    assert synergy_p_value(ignored, (0, 1), seed=1) > 0.05


def plain_draws(given, tested, classes, seed, most_rows):
    """Return the p-value of at most 999 draws, stopped at 20, by loops."""
    random = np.random.default_rng(seed)
    rows = np.arange(len(classes))
    if len(rows) > most_rows:
        rows = random.choice(len(rows), most_rows, replace=False)
    rows = rows[np.argsort(given[rows], kind="stable")]
    joint = list(zip(given[rows].tolist(), tested[rows].tolist(), strict=True))
    own = classes[rows]
    seen = likelihood_ratio(joint, own.tolist()) - 1e-6
    reached = 0
    for drawn in range(1, 1000):
        order = np.lexsort((random.random(len(rows)), given[rows]))
        reached += likelihood_ratio(joint, own[order].tolist()) >= seen
        if reached == 20:
            return 20 / drawn
    return (reached + 1) / 1000


@pytest.mark.parametrize("most_rows", [50, 80, 1000])
@pytest.mark.parametrize("effect", [0.0, 0.3])
def test_same_seed_same_bits(most_rows, effect, monkeypatch):
    monkeypatch.setattr(_conditional_test, "MOST_ROWS", most_rows)
    random = np.random.default_rng(9)
    given, tested, classes = random.integers(0, 3, (3, 80))
    classes = np.where(random.random(80) < effect, tested, classes)
    gains = gains_of(np.column_stack([given, tested]), classes)
    found = conditional_p_value(gains, (1,), (0,), seed=4)
    assert found == plain_draws(given, tested, classes, 4, most_rows)


def test_draws_end_early():
    random = np.random.default_rng(6)
    gains = gains_of(random.integers(0, 2, (50, 2)), random.integers(0, 2, 50))
    p_value = synergy_p_value(gains, (0, 1), seed=2)
    drawn = 20 / p_value
    assert drawn == pytest.approx(round(drawn))
    assert drawn < 199
    p_value = conditional_p_value(gains, (0,), (1,), seed=2)
    drawn = 20 / p_value
    assert drawn == pytest.approx(round(drawn))
    assert drawn < 999
    assert FREE.is_free


def test_those_most_alike_are_given_first_as_far_as_rows_allow():
    random = np.random.default_rng(7)
    own = random.integers(0, 2, 80)
    near = np.where(random.random(80) < 0.1, 1 - own, own)
    far = random.integers(0, 2, 80)
    finest = np.arange(80) % 40
    gains = gains_of(np.column_stack([own, far, near, near, finest]), own)
    assert conditioning_set(gains, (0,), [1, 2]) == (2, 1)
    assert conditioning_set(gains, (0,), [3, 1, 2]) == (3, 2, 1)
    assert conditioning_set(gains, (0,), [4, 1]) == (1,)
    assert conditioning_set(gains, (0,), []) == ()
    # Sixteen cells of five rows each are just enough for 80 rows.
    cells = gains_of(np.column_stack([np.arange(80) % 2, np.arange(80) // 2 % 8]), own)
    assert conditioning_set(cells, (0,), [1]) == (1,)
    fewer = gains_of(cells.codes[:79], own[:79])
    assert conditioning_set(fewer, (0,), [1]) == ()


def test_a_little_more_alike_is_more_alike():
    random = np.random.default_rng(11)
    own = random.integers(0, 2, 400)
    less, more = (
        np.where(random.random(400) < share, 1 - own, own) for share in (0.35, 0.25)
    )
    gains = gains_of(np.column_stack([own, less, more]), own)
    assert conditioning_set(gains, (0,), [1, 2]) == (2, 1)


def test_of_equal_ones_the_earlier_are_given():
    random = np.random.default_rng(10)
    own, near = random.integers(0, 2, (2, 60))
    gains = gains_of(np.column_stack([own, *[near, 1 - near] * 20]), own)
    assert conditioning_set(gains, (0,), list(range(1, 41))) == tuple(range(1, 41))


def test_likeness_goes_by_weight():
    own = np.array([0, 0, 1, 1] * 10)
    first = np.array([0, 0, 1, 1] * 5 + [0, 1] * 10)
    second = np.array([0, 1] * 10 + [0, 0, 1, 1] * 5)
    codes = np.column_stack([own, first, second])
    weights = np.repeat([1.0, 9.0], 20)
    assert conditioning_set(gains_of(codes, own), (0,), [1, 2]) == (1, 2)
    weighted = gains_of(codes, own, weights=weights)
    assert conditioning_set(weighted, (0,), [1, 2]) == (2, 1)
