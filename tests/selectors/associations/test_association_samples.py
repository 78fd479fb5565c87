import numpy as np
import pytest

from featsieve.data import Column, ColumnKind, Table
from featsieve.inference._association_tests import Measuring
from featsieve.measures import class_association
from featsieve.selectors.associations._association_samples import (
    Fakes,
    SampledTable,
    decide_by_probes,
    decide_by_test,
    plan_samples,
    race,
)


@pytest.fixture
def sampled():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 4000).astype(np.int32)
    columns = [rng.normal(size=4000), rng.normal(size=4000) + y, np.zeros(4000)]
    columns[2][:3] = 1
    table = Table(
        tuple(
            Column(f"x{j}", ColumnKind.NUMERIC, values)
            for j, values in enumerate(columns)
        )
    )
    plan = plan_samples(4000, 8, 500, seed=1)
    fakes = Fakes.draw(table, plan, "kendall", ("gaussian", "binary"), 3, seed=1)
    return SampledTable(
        table, y, None, plan, Measuring("kendall", "ignore", 1, 5), fakes
    )


def test_samples_hold_what_was_measured_on_them(sampled):
    sampled.measure(range(8), None)
    X = np.column_stack([column.values for column in sampled.table])
    rows = [sampled.plan.rows(k) for k in range(8)]
    each = [class_association(X[r], sampled.target[r]) for r in rows]
    means = sampled.means()
    np.testing.assert_allclose(means.mean, np.mean(each, axis=0))
    expected = np.std(each, axis=0, ddof=1) / np.sqrt(8)
    np.testing.assert_allclose(means.error, expected)
    assert sampled.presence()[:2].tolist() == [1, 1]
    assert 0 < sampled.presence()[2] <= 3 / 8
    at = sampled.plan.positions[0]
    probe = sampled.fakes.probes[0].values
    first = class_association(probe[at], sampled.target[rows[0]])
    assert sampled._of_laws[0, 0] == first
    # Two frequent values or no ties: draws. Three rows of 4,000: copies of itself.
    assert sampled.fakes.copied.tolist() == [False, False, True]
    copy = X[sampled.plan.order, 2][sampled.fakes.shuffles.orders[1]]
    assert copy.sum() == 3
    first = class_association(copy[at], sampled.target[rows[0]])
    assert sampled._of_copies[0, 2, 1] == first


def test_probes_are_told_with_what_beats_them(sampled):
    sampled.measure(range(8), None)
    intervals = sampled.means().interval(0.95)
    decision, told = decide_by_probes(sampled, intervals, 0.95)
    assert decision.kept.tolist() == [False, True, False]
    kinds = [(probe["kind"], probe["feature"]) for probe in told]
    laws = [("gaussian", None)] * 3 + [("binary", None)] * 3
    assert kinds == [*laws, *[("shuffled", "x2")] * 3]
    for probe in told:
        assert probe["lower"] <= probe["mean"] <= probe["upper"]
    assert all(1 <= probe["n_beaten"] <= 2 for probe in told[:6])
    assert decision.reasons[1].startswith("beats 3 of 3 probes of its kind; lower")
    assert "of 3 shuffled copies" in decision.reasons[2]


def test_a_race_measures_only_what_is_open(sampled):
    wanted = np.full(3, 0.1)
    settled = race(sampled, thresholds=wanted, significance=0.01, n_jobs=None)
    assert settled[1] == 1
    assert sampled.n_subsamples[1] == 4
    assert sampled.n_subsamples.max() == 4 if (settled != 0).all() else 8


def test_reasons_of_tests():
    decision = decide_by_test(
        np.array([0.001, 0.2]), np.array([0.1, 0.1234]), 0.01, "mean"
    )
    assert decision.kept.tolist() == [True, False]
    assert decision.reasons == [
        "mean <= 0.1: p = 0.001 <= 0.01",
        "mean <= 0.123: p = 0.2 > 0.01",
    ]
    decision = decide_by_test(np.array([0.001]), None, 0.01, "q")
    assert decision.reasons == ["independent: q = 0.001 <= 0.01"]
