"""Screening: what cannot help, whatever the order of rows."""

from __future__ import annotations

import numpy as np

from featsieve.data import read_table
from featsieve.sieve._screen import screen

N = 40
RANDOM = np.random.default_rng(0)
DATA = {
    "constant": [3] * N,
    "empty": [None] * N,
    "one or none": [1.0, None] * (N // 2),
    "number": RANDOM.permutation(N) + 100,
    "order id": RANDOM.permutation(N) * 7,
    "whole": RANDOM.permutation(N) * 7,
    "name": [f"n{k}" for k in range(N)],
    "x": RANDOM.normal(size=N),
    "gaps": [None] * 30 + list(range(10)),
    "y": [0, 1] * (N // 2),
}


def test_reasons():
    found = screen(read_table(DATA, "y"), {})
    assert set(found.unusable) == {"constant", "empty", "number", "order id", "name"}
    assert "'3'" in found.unusable["constant"]
    assert "no value" in found.unusable["empty"]
    assert "row number or an ID" in found.unusable["name"]
    assert found.usable(read_table(DATA, "y")) == ["one or none", "whole", "x", "gaps"]
    flagged = {name for name, _, _ in found.flags}
    assert "gaps" in flagged
    assert "one or none" not in flagged


def test_copies_name_the_cheaper_then_the_leftmost():
    x = RANDOM.normal(size=N)
    table = read_table({"a": x, "b": x, "c": x, "y": [0, 1] * (N // 2)}, "y")
    assert screen(table, {}).copies == {"b": "a", "c": "a"}
    assert screen(table, {"a": 2.0}).copies == {"a": "b", "c": "b"}


def test_many_levels_and_dates_are_flagged_not_dropped():
    n = 2600
    days = np.datetime64("2020-01-01") + np.arange(n)
    levels = [f"v{k // 2}" for k in range(n)]
    table = read_table({"day": days, "level": levels, "y": [0, 1] * (n // 2)}, "y")
    found = screen(table, {})
    assert not found.unusable
    assert {name for name, _, _ in found.flags} >= {"day", "level"}


def test_huge_numbers_are_no_ids():
    ends = [-1.7e308, 1.7e308] * (N // 2)
    distinct = 1.7e308 * np.linspace(-1, 1, N)
    table = read_table({"a": ends, "b": distinct, "y": [0, 1] * (N // 2)}, "y")
    assert not screen(table, {}).unusable
