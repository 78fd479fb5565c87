"""Threads, and the order of rows and columns, make no difference to any filter.

Every filter is listed with settings that reach its parallel parts. Where an order does
matter, the entry says why; the test then makes sure that it still does.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from featsieve import selectors
from featsieve.exceptions import NoFeatureSelectedWarning

DRAWN = "rows are drawn by number, so that others are drawn in another order"
PROBED = "samples, probes and copies in another order are drawn by number"
FIRST_ROWS = "of equally far rows Weka takes the first of the file"
TIED_GROUPS = (
    "of groups with equal evidence the one of the first columns is judged first"
)
FIRST_COLUMNS = "Weka's sort leaves equal features in an order of its own"


@dataclass(frozen=True)
class Case:
    """A filter, and the reasons why an order matters to it; none if it does not."""

    selector: Any
    rows: str = ""
    columns: str = ""
    data: str = "mixed"


CASES = [
    Case(selectors.MeasureFilter("gain_ratio")),
    Case(selectors.MeasureFilter(fdr=0.05, max_permutations=500)),
    Case(selectors.CFSFilter()),
    Case(selectors.CFSFilter("forward", locally_predictive=True)),
    Case(selectors.CFSFilter("backward")),
    Case(selectors.CFSFilter(compatibility="weka")),
    Case(selectors.CFSFilter("backward", compatibility="weka")),
    Case(selectors.FCBFFilter()),
    Case(selectors.FCBFFilter(missing="ignore")),
    Case(selectors.FCBFFilter(compatibility="weka")),
    Case(
        selectors.FCBFFilter(compatibility="weka"), columns=FIRST_COLUMNS, data="copies"
    ),
    Case(selectors.MRMRFilter(4)),
    Case(selectors.MRMRFilter(4, missing="ignore")),
    Case(selectors.DifferentialPrioritizationFilter(n_features_to_select=4)),
    Case(selectors.DecisionRuleFilter()),
    Case(selectors.CumulativeGainFilter(n_features_to_select=3)),
    Case(selectors.BIFSFilter(), columns=TIED_GROUPS),
    Case(selectors.ReliefFFilter()),
    Case(selectors.ReliefFFilter(3, sigma=2)),
    Case(selectors.ReliefFFilter(), data="quantity"),
    Case(selectors.ReliefFFilter(n_anchors=50), rows=DRAWN),
    Case(
        selectors.ReliefFFilter(
            n_anchors="race", n_features_to_select=1, confidence=0.5
        ),
        rows=DRAWN,
    ),
    Case(selectors.ReliefFFilter(compatibility="weka")),
    Case(selectors.ReliefFFilter(compatibility="weka"), rows=FIRST_ROWS, data="copies"),
    Case(selectors.MultiSURFFilter()),
    Case(selectors.MultiSURFFilter(), data="quantity"),
    Case(selectors.AssociationFilter(rule="z_test", n_subsamples=1, sample_size=10**6)),
    Case(selectors.AssociationFilter(sample_size=100), rows=PROBED),
]


def make(data):
    """Return a table with both kinds of columns, with gaps, and its target."""
    random = np.random.default_rng(5)
    n = 240
    y = random.integers(0, 3, n)
    columns = {
        "weak": random.normal(size=n) + 0.4 * (y == 1),
        "strong": random.normal(size=n) + 1.5 * (y == 2),
        "noise": random.normal(size=n),
        "named": np.where(random.random(n) < 0.6, y, random.integers(0, 4, n)),
        "either": np.where(random.random(n) < 0.3, y % 2, random.integers(0, 2, n)),
        "gappy": random.normal(size=n) + (y == 0),
        "other": random.integers(0, 5, n),
    }
    frame = pd.DataFrame(columns)
    frame["near"] = frame["strong"] + random.normal(size=n) / 2
    for name in ("named", "either", "other"):
        frame[name] = frame[name].map(lambda code: f"level {code}")
    frame.loc[random.random(n) < 0.1, "gappy"] = np.nan
    frame.loc[random.random(n) < 0.1, "named"] = None
    if data == "copies":
        frame = frame[["named", "either", "other"]]
        frame = frame.assign(copy=frame["named"], again=frame["named"])
    target = y.astype(str) if data != "quantity" else y + random.normal(size=n)
    return frame, target


def answer(selector, X, y):
    """Return what the filter says, by name of the feature."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoFeatureSelectedWarning)
        fitted = clone(selector).fit(X, y)
    names = fitted.feature_names_in_
    scores = pd.Series(fitted.scores_, index=names)
    kept = pd.Series(fitted.support_, index=names)
    ranks = pd.Series(fitted.ranking_, index=names)
    return scores, kept, ranks, str(getattr(fitted, "steps_", ""))


def same(one, other):
    """Compare answers; of equal scores the first column has the better rank."""
    scores, kept, ranks, _ = one
    assert_allclose(other[0][scores.index], scores, rtol=1e-9, atol=1e-12)
    assert_array_equal(other[1][kept.index], kept)
    alone = scores.index[~scores.round(9).duplicated(keep=False)]
    assert_array_equal(other[2][alone], ranks[alone])


def identify(case):
    reasons = "".join(f"-{what}" for what in ("rows", "columns") if getattr(case, what))
    return f"{case.selector!r}-{case.data}{reasons}".replace("\n", "")


@pytest.mark.parametrize("case", CASES, ids=identify)
def test_threads_make_no_difference(case):
    if "n_jobs" not in case.selector.get_params():
        pytest.skip("works in one thread")
    X, y = make(case.data)
    one, three = (
        answer(clone(case.selector).set_params(n_jobs=n), X, y) for n in (1, 3)
    )
    for a, b in zip(one[:3], three[:3], strict=True):
        assert_array_equal(a, b)
    assert one[3] == three[3]


def expect(reason, one, other):
    if not reason:
        same(one, other)
        return
    with pytest.raises(AssertionError):
        same(one, other)


@pytest.mark.parametrize("case", CASES, ids=identify)
def test_order_of_rows_makes_no_difference(case):
    X, y = make(case.data)
    order = np.random.default_rng(1).permutation(len(X))
    moved = answer(case.selector, X.iloc[order].reset_index(drop=True), y[order])
    expect(case.rows, answer(case.selector, X, y), moved)


@pytest.mark.parametrize("case", CASES, ids=identify)
def test_order_of_columns_makes_no_difference(case):
    X, y = make(case.data)
    moved = answer(case.selector, X[X.columns[::-1]], y)
    expect(case.columns, answer(case.selector, X, y), moved)


def test_every_filter_is_here():
    public = {
        getattr(selectors, name)
        for name in selectors.__all__
        if name.endswith("Filter")
    }
    assert public == {type(case.selector) for case in CASES}
