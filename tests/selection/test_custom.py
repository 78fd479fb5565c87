"""The record of a selection by somebody else's selector."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin

from featsieve.data import Column, ColumnKind, Table, read_table
from featsieve.selection._custom import as_numbers, select_with
from featsieve.selection._settings import Question, Settings
from featsieve.selectors import BIFSFilter

N = 40
Y = np.tile(["n", "y"], N // 2)


class Given(SelectorMixin, BaseEstimator):
    """Says what it is told to; remembers what it was given."""

    def __init__(self, support=(), found=None, takes_gaps=True):
        self.support = support
        self.found = found
        self.takes_gaps = takes_gaps

    def fit(self, X, y):
        self.X_, self.y_ = X, y
        seen.update(X=X, y=y, copy=self)
        for name, values in (self.found or {}).items():
            setattr(self, name, np.array(values))
        return self

    def _get_support_mask(self):
        return np.array(self.support)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.takes_gaps
        return tags


seen: dict = {}


def table_of():
    random = np.random.default_rng(0)
    gaps = random.normal(size=N)
    gaps[:4] = np.nan
    return read_table(
        {
            "same": [1] * N,
            "a": random.normal(size=N),
            "word": random.choice(["u", "v", None], N),
            "gaps": gaps,
            "b": np.arange(N) % 7 + 0.5,
            "copy": np.arange(N) % 7 + 0.5,
        },
        Y,
    )


def record(selector, **settings):
    given = Settings(method=selector, **settings)
    return select_with(table_of(), given, Question({"asked": 1}, "x.csv", "code"), None)


def rows_of(found):
    return {row["feature"]: row for row in found["ledger"]}


def test_the_record_says_what_the_selector_said():
    selector = Given(
        [True, False, True, True],
        {"scores_": [1.0, 9.0, 3.0, 2.0], "pvalues_": [0.1, 0.2, np.nan, 0.4]},
    )
    found = record(selector, seed=5)
    assert found["features"] == ["gaps", "b", "a"]  # by score
    rows = rows_of(found)
    assert {name: row["verdict"] for name, row in rows.items()} == {
        "same": "unusable",
        "a": "strongly relevant",
        "word": "irrelevant",
        "gaps": "strongly relevant",
        "b": "strongly relevant",
        "copy": "redundant",
    }
    assert [row["kept"] for row in rows.values()] == [
        False,
        True,
        False,
        True,
        True,
        False,
    ]
    stages = ["screen", "alone", "alone", "alone", "alone", "screen"]
    assert [row["stage"] for row in rows.values()] == stages
    assert rows["copy"]["displaced_by"] == ["b"]
    assert "identical to" in rows["copy"]["note"]
    assert rows["word"]["note"] == "not kept by Given"
    assert rows["a"]["note"] == "kept by Given"
    assert (rows["a"]["score"], rows["a"]["p_value"]) == (1.0, 0.1)
    assert rows["gaps"]["p_value"] is None
    assert found["title"] == "x.csv → target"
    computation = found["computation"]
    assert computation["method"] == "Given"
    assert computation["random_state"] == 5
    assert (computation["parameters"], computation["code"]) == ({"asked": 1}, "code")
    assert computation["n_rows_used"] == N
    assert found["measure"] == {"name": "score of Given", "unit": ""}
    assert seen["copy"] is not selector
    assert not hasattr(selector, "X_")


def test_ranks_order_what_has_no_scores():
    found = record(Given([True] * 4, {"ranking_": [2, 1, 4, 1]}))
    assert found["features"] == ["word", "b", "a", "gaps"]
    assert rows_of(found)["gaps"]["note"] == "kept by Given, rank 4"
    assert rows_of(found)["gaps"]["score"] is None
    found = record(Given([True] * 4))
    assert found["features"] == ["a", "word", "gaps", "b"]


def test_what_is_over_the_limit():
    selector = Given([True] * 4, {"importances_": [1.0, 4.0, np.nan, 2.0]})
    found = record(selector, max_selected=2)
    assert found["features"] == ["word", "b"]
    row = rows_of(found)["a"]
    assert (row["verdict"], row["stage"], row["kept"]) == (
        "over the limit",
        "limit",
        False,
    )
    assert rows_of(found)["gaps"]["score"] is None  # and comes last


def test_numbers_of_another_length_are_not_those_of_columns():
    found = record(Given([True] * 4, {"scores_": [3.0, 2.0]}))
    assert found["features"] == ["a", "word", "gaps", "b"]


@pytest.mark.parametrize("takes_gaps", [True, False])
def test_others_see_numbers(takes_gaps):
    found = record(Given([True] * 4, takes_gaps=takes_gaps))
    X = seen["X"]
    table = table_of()
    assert X.shape == (N, 4)
    np.testing.assert_array_equal(seen["y"], table.target.values)
    missing = table["word"].missing
    assert missing.any()
    np.testing.assert_array_equal(X[~missing, 1], table["word"].values[~missing])
    if takes_gaps:
        assert np.isnan(X[missing, 1]).all()
        assert np.isnan(X[:4, 2]).all()
    else:
        assert (X[missing, 1] == 2).all()  # one more level
        assert (X[:4, 2] == np.median(X[4:, 2])).all()
    texts = [note["text"] for note in found["notes"] if note["feature"] is None]
    filled = ["Missing values of 2 columns were filled in."]
    assert texts == ["1 nominal columns were given as numbers of levels."] + (
        [] if takes_gaps else filled
    )
    assert all(
        note["severity"] == "note" for note in found["notes"] if not note["feature"]
    )


def test_numbers_that_need_no_change():
    x = np.array([1.0, 2.0, 4.0])
    X, told = as_numbers(Table((Column("x", ColumnKind.NUMERIC, x),)), takes_gaps=False)
    assert (X[:, 0].tolist(), told) == ([1, 2, 4], [])


def test_our_own_selectors_see_the_table_and_tell_interactions():
    random = np.random.default_rng(0)
    a, b, c = random.integers(0, 2, (3, 200))
    table = read_table(
        {"a": a.astype(str), "b": b.astype(str), "c": c.astype(str)}, a ^ b
    )
    found = select_with(
        table, Settings(method=BIFSFilter()), Question({}, None, ""), None
    )
    assert sorted(found["features"]) == ["a", "b"]
    assert found["title"].startswith("table → ")
    (interaction,) = found["interactions"]
    assert sorted(interaction["members"]) == ["a", "b"]
    assert interaction["kind"] == "synergy"
    assert interaction["kept"] is True
    assert interaction["joint_gain"] > 0.9
    assert not any(note["feature"] is None for note in found["notes"])
