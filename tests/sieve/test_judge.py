"""One false discovery rate for all stages."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import false_discovery_control

from featsieve.sieve._judge import SHARES, judge


def evidence(**given):
    n = len(next(iter(given.values())))
    return {name: np.array(given.get(name, [1.0] * n)) for name in SHARES}


def test_shares_leave_a_reserve():
    assert 0.5 < sum(SHARES.values()) < 1


def test_equals_benjamini_and_hochberg_on_the_least_p_values():
    random = np.random.default_rng(0)
    given = {name: random.random(40) ** 4 for name in SHARES}
    found = judge(given, 0.1)
    joined = np.minimum(1, np.min([p / SHARES[n] for n, p in given.items()], axis=0))
    expected = false_discovery_control(joined) <= 0.1
    assert expected.any()
    np.testing.assert_array_equal(found.relevant, expected)
    assert joined[expected].max() <= found.threshold < joined[~expected].min()


def test_first_stage_that_suffices_is_named():
    found = judge(
        evidence(alone=[1e-9, 1.0, 1.0, 1.0], together=[1e-9, 1e-9, 1.0, 1.0],
                 context=[1e-9, 1e-9, 1e-9, 1.0]), 0.05,
    )  # fmt: skip
    assert found.stages == ["alone", "together", "context", None]
    assert found.relevant.tolist() == [True, True, True, False]


def test_fewer_that_stay_lower_the_threshold():
    given = evidence(alone=[1e-9, 1e-9, 1e-9, 0.0105, 0.9])
    assert judge(given, 0.05).relevant.tolist() == [True] * 4 + [False]
    lower = judge(given, 0.05, 2)
    assert lower.threshold == pytest.approx(0.02)
    assert lower.relevant.tolist() == [True] * 3 + [False] * 2


def test_nothing_found():
    found = judge(evidence(alone=[0.5, 0.9]), 0.05)
    assert not found.relevant.any()
    assert found.threshold == pytest.approx(0.025)
