"""What holds for every selector, because one base class does it."""

from __future__ import annotations

import inspect
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from featsieve.data import Table, open_stream, read_table
from featsieve.exceptions import (
    DataError,
    DroppedRowsWarning,
    NoFeatureSelectedWarning,
)
from featsieve.selection import SieveSelector
from featsieve.selectors import (
    AssociationFilter,
    CFSFilter,
    CumulativeGainFilter,
    DecisionRuleFilter,
    DifferentialPrioritizationFilter,
    FCBFFilter,
    ForestSelector,
    ForwardSelector,
    MDLTreeSelector,
    MeasureFilter,
    MRMRFilter,
    MultiSURFFilter,
    ReliefFFilter,
)
from featsieve.selectors._base import best_features, count_wanted, rank_scores

#: Those that answer at once, with what makes them keep something.
SELECTORS = [
    AssociationFilter(rule="z_test"),
    CFSFilter(),
    CumulativeGainFilter(1),
    DecisionRuleFilter(),
    DifferentialPrioritizationFilter(n_features_to_select=1),
    FCBFFilter(),
    ForestSelector(n_estimators=20),
    ForwardSelector(),
    MDLTreeSelector(),
    MeasureFilter(),
    MRMRFilter(1),
    MultiSURFFilter(),
    ReliefFFilter(),
    SieveSelector(),
]


WEIGHTED = [
    s for s in SELECTORS if "sample_weight" in inspect.signature(s.fit).parameters
]


RNG = np.random.default_rng(0)


X = RNG.normal(size=(120, 3))


Y = np.where(X[:, 1] > 0, "a", "b")


def name_of(selector):
    return type(selector).__name__


@pytest.mark.parametrize("selector", WEIGHTED, ids=name_of)
def test_rows_of_no_weight_are_not_there(selector):
    kept = np.arange(120) % 3 > 0
    other = X.copy()
    other[~kept] = 1e6
    weighted = selector.fit(other, Y, kept.astype(float))
    scores, support = weighted.scores_, weighted.support_
    selector.fit(X[kept], Y[kept])
    np.testing.assert_array_equal(scores, selector.scores_)
    np.testing.assert_array_equal(support, selector.support_)


@pytest.mark.parametrize("selector", SELECTORS, ids=name_of)
def test_rows_without_target_are_named_where_fit_was_called(selector):
    y = Y.astype(object)
    y[:5] = None
    with pytest.warns(DroppedRowsWarning, match="5 of 120") as caught:
        selector.fit(X, y)
    dropped = next(w for w in caught if w.category is DroppedRowsWarning)
    assert dropped.filename == __file__
    alone = selector.scores_
    np.testing.assert_array_equal(alone, selector.fit(X[5:], Y[5:]).scores_)


@pytest.mark.parametrize("selector", SELECTORS, ids=name_of)
def test_a_second_fit_forgets_the_first(selector):
    selector.fit(X, Y).left_over_ = "of an earlier fit"
    assert not hasattr(selector.fit(X[:, :2], Y), "left_over_")
    assert len(selector.ranking_) == 2


@pytest.mark.parametrize("selector", SELECTORS, ids=name_of)
def test_ranks_are_a_permutation_with_the_best_first(selector):
    ranking = selector.fit(X, Y).ranking_
    assert sorted(ranking) == [1, 2, 3]
    assert ranking[1] == 1


def test_keeping_nothing_is_a_warning_where_fit_was_called():
    with pytest.warns(NoFeatureSelectedWarning, match="MeasureFilter kept no") as found:
        MeasureFilter(threshold=5).fit(X, Y)
    assert found[0].filename == __file__


@pytest.mark.parametrize("selector", [CFSFilter(), ForwardSelector()], ids=name_of)
def test_a_stream_says_what_to_do_where_rows_are_needed(selector, tmp_path):
    path = tmp_path / "few.csv"
    path.write_text("x,y\n1,a\n2,b\n3,a\n4,b\n")
    stream = open_stream(path, "y")
    with pytest.raises(DataError, match=r"needs rows.*stream.sample\(2\)"):
        selector.fit(stream, None)


def test_a_target_inside_the_table_is_taken():
    table = read_table({"x": X[:, 1], "y": Y}, target="y")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert MeasureFilter().fit(table, None).support_.all()


SCORES = st.lists(st.sampled_from([0.0, 0.5, 1.0, -1.0]), max_size=8)


@given(SCORES, st.integers(1, 9))
def test_ranks_go_to_the_greatest_then_to_the_first(scores, most):
    ranks = rank_scores(np.array(scores, dtype=float))
    order = sorted(range(len(scores)), key=lambda j: (-scores[j], j))
    assert [order.index(j) + 1 for j in range(len(scores))] == ranks.tolist()
    kept = best_features(np.array(scores, dtype=float), most)
    assert np.flatnonzero(kept).tolist() == sorted(order[:most])
    assert best_features(np.array(scores, dtype=float), None).all()


@pytest.mark.parametrize(
    ("wanted", "count"),
    [(None, None), (3, 3), (99, 10), (0.25, 2), (0.01, 1), (1.0, 10)],
)
def test_numbers_and_shares_of_features(wanted, count):
    assert count_wanted(wanted, 10, "me") == count


@pytest.mark.parametrize("bad", [0, 0.0, 1.1, -1, "all"])
def test_what_is_no_number_of_features(bad):
    with pytest.raises((ValueError, TypeError), match="n_features_to_select"):
        count_wanted(bad, 10, "me")


def columns_of():
    y = np.tile([0, 1], 20)
    return {
        "noise": [f"v{k // 2 % 2}" for k in range(40)],
        "good": [f"v{v}" for v in y],
        "other": [f"v{k // 4 % 2}" for k in range(40)],
    }, y


def test_kept_columns_of_any_table():
    columns, y = columns_of()
    fitted = MeasureFilter(n_features_to_select=1).fit(pd.DataFrame(columns), y)
    assert fitted.ranking_[1] == 1
    assert fitted.get_support().tolist() == [False, True, False]
    assert list(fitted.feature_names_in_) == list(columns)
    kept = fitted.transform(read_table(columns))
    assert isinstance(kept, Table | np.ndarray)
    fitted.set_output(transform="pandas")
    frame = fitted.transform(pd.DataFrame(columns))
    assert list(frame.columns) == ["good"]


def test_streams_bring_their_target_and_no_weights():
    columns, y = columns_of()
    stream = open_stream([columns | {"y": y}], "y")
    with pytest.raises(DataError, match="takes the target from the stream"):
        MeasureFilter().fit(stream, y)
    with pytest.raises(DataError, match=r"CFSFilter needs rows.*stream.sample\(20\)"):
        CFSFilter().fit(stream, None)
