"""One false discovery rate for all stages."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from featsieve.sieve._group import GROUP_SHARE
from featsieve.sieve._judge import SHARES, judge, threshold_for


def evidence(**given):
    n = len(next(iter(given.values())))
    return {name: np.array(given.get(name, [1.0] * n)) for name in SHARES}


def step_down(p_values, fdr):
    """Return what Gavrilov, Benjamini and Sarkar's procedure rejects, as printed."""
    m = len(p_values)
    rejected = set()
    for i, j in enumerate(sorted(range(m), key=lambda j: p_values[j]), start=1):
        if p_values[j] > min(fdr, i * fdr / (m + 1 - i * (1 - fdr))):
            break
        rejected.add(j)
    return [j in rejected for j in range(m)]


def least(given):
    return np.minimum(1, np.min([p / SHARES[n] for n, p in given.items()], axis=0))


def test_shares_leave_a_reserve():
    assert 0.8 < sum(SHARES.values()) + GROUP_SHARE < 1


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 40), st.sampled_from([0.01, 0.05, 0.2]))
def test_equals_the_step_down_procedure(seed, m, fdr):
    random = np.random.default_rng(seed)
    given = {name: random.random(m) ** 4 for name in SHARES}
    found = judge(given, fdr)
    assert found.relevant.tolist() == step_down(least(given).tolist(), fdr)


def test_the_rate_is_kept_on_independent_p_values():
    random = np.random.default_rng(0)
    shares, any_of_noise = [], 0
    for _ in range(1000):
        p = {name: random.random(20) for name in SHARES}
        any_of_noise += judge(p, 0.05).relevant.any()
        for name in SHARES:
            p[name][:12] = p[name][:12] ** 12
        relevant = judge(p, 0.05).relevant
        shares.append(relevant[12:].sum() / max(relevant.sum(), 1))
    assert np.mean(shares) < 0.05
    assert any_of_noise < 50


def test_first_stage_that_suffices_is_named():
    found = judge(
        evidence(alone=[1e-9, 1.0, 1.0, 1.0], together=[1e-9, 1e-9, 1.0, 1.0],
                 context=[1e-9, 1e-9, 1e-9, 1.0]), 0.05,
    )  # fmt: skip
    assert found.stages == ["alone", "together", "context", None]
    assert found.relevant.tolist() == [True, True, True, False]


def test_fewer_that_stay_lower_the_threshold():
    assert threshold_for(2, 4, 5, 0.05) == pytest.approx(0.1 / 2.1)
    assert threshold_for(1, 1, 5, 0.05) == pytest.approx(0.05 / 5.05)
    assert threshold_for(1, 4, 9, 0.05) < threshold_for(4, 4, 9, 0.05)
    p = evidence(alone=[1e-9, 1e-9, 0.01])
    assert judge(p, 0.05).relevant.all()
    assert judge(p, 0.05, 0.02).relevant.tolist() == [True, True, False]


def test_no_column_is_held_to_less_than_the_rate():
    assert threshold_for(40, 40, 40, 0.05) == 0.05
    found = judge(evidence(alone=[1e-9] * 39 + [0.03]), 0.05)
    assert found.relevant.tolist() == [True] * 39 + [False]


def test_nothing_found():
    found = judge(evidence(alone=[0.5, 0.9]), 0.05)
    assert not found.relevant.any()
    assert found.threshold == pytest.approx(0.05 / 2.05)
    assert found.stages == [None, None]
