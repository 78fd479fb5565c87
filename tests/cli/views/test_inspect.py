"""Columns described for people and for programs."""

from __future__ import annotations

import numpy as np
import pytest

from cli.showing import shown
from featsieve.cli._options import Source
from featsieve.cli.views.inspect import (
    SHAPE_WIDTH,
    SHOWN_OF_MANY,
    _date,
    _histogram,
    _values,
    inspect_table,
    print_inspection,
)


def told(found, **options):
    return shown(
        print_inspection, found, **{"show_all": False, "quiet": False} | options
    )


def test_columns_are_described(churn):
    found = inspect_table(Source([churn]), "churn", quiet=True)
    columns = {row["name"]: row for row in found["columns"]}
    assert (found["n_rows"], found["n_columns"]) == (12, 6)
    assert columns["usage"]["n_missing"] == 1
    assert (columns["usage"]["min"], columns["usage"]["max"]) == (1.0, 9.5)
    assert columns["plan"]["levels"][0] == {
        "value": "basic",
        "count": 6,
        "share": pytest.approx(6 / 11),
    }
    text = told(found)
    assert "12 rows, 6 features and a target" in text
    assert "Target 'churn': 2 classes" in text
    assert "Next:" not in text


def test_without_a_target_the_next_step_is_named(churn):
    found = inspect_table(Source([churn]), None, quiet=True)
    assert "Next: `featsieve select DATA --target NAME`" in told(found)
    assert "Next:" not in told(found, quiet=True)


def test_wide_tables_are_cut_short(write):
    names = ",".join(f"c{k}" for k in range(250))
    rows = "\n".join(",".join(str((k * j) % 7) for k in range(250)) for j in range(9))
    found = inspect_table(Source([write(f"{names}\n{rows}\n")]), None, quiet=True)
    assert f"… and {250 - SHOWN_OF_MANY} columns more" in told(found)
    assert "columns more" not in told(found, show_all=True)


def test_no_rows(write):
    found = inspect_table(Source([write("a,b\n")]), None, quiet=True)
    found["notes"] = []
    assert "There are no rows to look at." in told(found)


def test_histograms_leave_outliers_at_the_ends():
    ordered = np.sort(np.r_[np.arange(800.0) / 100, 1e9])
    counts = _histogram(ordered)
    assert len(counts) == SHAPE_WIDTH
    assert sum(counts) == 801
    assert min(counts) > 90
    assert sum(_histogram(np.full(5, 2.0))) == 5
    assert sum(_histogram(np.array([-1.7e308, 1.7e308]))) == 2


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ({"levels": [], "n_levels": 0}, "no value"),
        ({"levels": [{"value": "a", "count": 3, "share": 1.0}]}, "a 100 %"),
        (
            {"levels": [{"value": c, "count": 1, "share": 0.2} for c in "abcde"]},
            "all differ: a, b, c, …",
        ),
    ],
)
def test_levels_in_words(row, text):
    whole = {"kind": "nominal", "n_levels": len(row["levels"])} | row
    assert _values(whole) == text


def test_numbers_and_dates_in_words():
    row = {"kind": "numeric", "min": 0.0, "median": 31.0, "max": 365.0}
    assert _values(row) == "0 … 31 … 365"
    assert _values(row | {"date": True}) == "1970-01-01 … 1970-02-01 … 1971-01-01"
    assert _values(row | {"min": None}) == "no value"
    assert _values(row | {"min": 2.0, "median": 2.0, "max": 2.0}) == "2"
    assert "e" in _date(1e12) or _date(1e12)  # beyond the calendar, still a number
