"""From a stream the same scores and p-values as from a table, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

from featsieve._kernels import PairCounts, best_instructions
from featsieve.data import (
    EqualFrequencyDiscretizer,
    EqualWidthDiscretizer,
    MDLDiscretizer,
    open_stream,
    read_table,
)
from featsieve.data.stream import _counting
from featsieve.datasets import make_mixed
from featsieve.exceptions import DataError
from featsieve.inference._permutation import Scoring, TalliedFeatures, permutation_test
from featsieve.measures import information_gain
from featsieve.selectors import CFSFilter, MeasureFilter
from featsieve.tallies import Tally


def purity(tally):
    """A measure of one's own: how much likelier equal levels have equal classes."""
    some = tally.level_totals > 0
    counts = tally.counts[some] / tally.total
    within = (counts**2 / counts.sum(axis=1, keepdims=True)).sum()
    return within - (counts.sum(axis=0) ** 2).sum()


@pytest.fixture(scope="module")
def frame():
    X, y = make_mixed(n_rows=900, random_state=1).table.to_pandas()
    return X.assign(target=y)


def split(frame, n_parts):
    rows = np.array_split(np.arange(len(frame)), n_parts)
    return [frame.iloc[part] for part in rows]


@pytest.mark.parametrize("missing", ["level", "ignore", "spread"])
@pytest.mark.parametrize(
    ("measure", "discretizer"),
    [
        ("information_gain", None),
        ("gain_ratio", MDLDiscretizer("better")),
        ("symmetrical_uncertainty", EqualWidthDiscretizer(4)),
        ("information_gain", EqualFrequencyDiscretizer(3)),
        (purity, EqualFrequencyDiscretizer(3)),
        (purity, None),
    ],
)
def test_the_same_bits_as_from_rows(frame, missing, measure, discretizer):
    settings = {
        "measure": measure,
        "fdr": 0.05,
        "missing": missing,
        "discretizer": discretizer,
    }
    whole = MeasureFilter(**settings)
    whole.fit(frame.drop(columns="target"), frame["target"])
    parts = MeasureFilter(**settings, n_jobs=2)
    parts.fit(open_stream(split(frame, 5)[::-1], "target"), None)
    assert np.array_equal(whole.scores_, parts.scores_)
    assert np.array_equal(whole.p_values_, parts.p_values_)
    assert np.array_equal(whole.support_, parts.support_)
    assert whole.steps_ == parts.steps_
    assert whole.classes_.tolist() == parts.classes_.tolist()
    assert list(whole.feature_names_in_) == list(parts.feature_names_in_)
    for one, other in zip(
        whole.discretizer_.cut_points_, parts.discretizer_.cut_points_, strict=True
    ):
        assert (one is None) == (other is None)
        assert one is None or np.array_equal(one, other)


def test_files_give_what_one_file_gives(frame, tmp_path):
    frame.to_csv(tmp_path / "all.csv", index=False)
    (tmp_path / "parts").mkdir()
    for k, part in enumerate(split(frame, 4)):
        part.to_csv(tmp_path / "parts" / f"{k}.csv", index=False)
    whole = MeasureFilter(fdr=0.05)
    whole.fit(read_table(tmp_path / "all.csv", "target"), None)
    parts = MeasureFilter(fdr=0.05)
    parts.fit(open_stream(tmp_path / "parts", "target"), None)
    assert np.array_equal(whole.scores_, parts.scores_)
    assert np.array_equal(whole.p_values_, parts.p_values_)


def test_a_numeric_target_is_cut_alike(frame):
    X = frame.drop(columns="monthly_bill")
    whole = MeasureFilter(target_bins=4).fit(X, frame["monthly_bill"])
    stream = open_stream(split(frame, 3), "monthly_bill")
    parts = MeasureFilter(target_bins=4).fit(stream, None)
    assert np.array_equal(whole.scores_, parts.scores_)
    assert whole.classes_.tolist() == parts.classes_.tolist()


def test_cuts_between_numbers_counted_as_one_need_another_pass(frame, monkeypatch):
    monkeypatch.setattr(_counting, "MOST_VALUES", 32)
    settings = {"discretizer": EqualWidthDiscretizer(5)}
    X, y = frame.drop(columns="target"), frame["target"]
    whole = MeasureFilter(**settings).fit(X, y)
    stream = open_stream(split(frame, 3), "target")
    assert any(column.dropped_bits for column in stream.count().columns)
    parts = MeasureFilter(**settings).fit(stream, None)
    assert np.array_equal(whole.scores_, parts.scores_)


def test_the_fitted_filter_transforms_frames(frame):
    stream = open_stream(split(frame, 3), "target")
    selector = MeasureFilter(n_features_to_select=2).fit(stream, None)
    X = frame.drop(columns="target")
    assert selector.set_output(transform="pandas").transform(X).shape == (900, 2)


def test_what_a_stream_cannot_do_is_said(frame):
    stream = open_stream(split(frame, 2), "target")
    with pytest.raises(DataError, match=r"CFSFilter needs rows.*stream.sample"):
        CFSFilter().fit(stream, None)
    with pytest.raises(DataError, match="takes the target from the stream"):
        MeasureFilter().fit(stream, frame["target"])


def test_gains_and_tests_take_counts_beyond_32_bits():
    table = np.array([[3, 1], [1, 3], [0, 0]], dtype=np.int64)
    huge = table * 2**33
    gain = information_gain(Tally(huge))
    assert gain == pytest.approx(information_gain(Tally(table)), rel=1e-12)
    pairs = PairCounts([2, 2], 2, best_instructions())
    xor = np.array([5, 1, 1, 5, 1, 5, 5, 1], dtype=np.int64)
    pairs.merge(xor)
    expected = pairs.gains()
    pairs.merge(xor * (2**33 - 1))
    assert pairs.gains()[1] == pytest.approx(expected[1], rel=1e-9)
    # A column of 2^34 rows: its own score is beyond chance, none is not.
    tally = Tally(huge)
    for runs in (None, tally.level_totals):
        price = None if runs is None else MDLDiscretizer().price
        scoring = Scoring("information_gain", "level", price)
        test = permutation_test(
            TalliedFeatures(
                [tally] * 2, tally.class_totals, lambda own=runs: [own] * 2
            ),
            scoring.scores([tally, Tally(huge * 0)]),
            scoring,
            alpha=0.05,
            seed=0,
        )
        assert test.p_values[0] < 0.01
        assert test.p_values[1] > 0.9


def test_own_measures_are_tested_on_as_many_rows_as_can_be_drawn():
    tally = Tally(np.array([[3, 1], [1, 3], [0, 0]]) * 2**33)
    features = TalliedFeatures([tally], tally.class_totals, lambda: [None])
    scoring = Scoring(purity, "level", None)
    scores = scoring.scores([tally])
    with pytest.raises(DataError, match=r"purity.*billion rows"):
        permutation_test(features, scores, scoring, alpha=0.05, seed=0)
