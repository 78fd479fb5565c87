"""How numbers and names read on a page."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from featsieve.report._page_text import (
    count_of,
    format_number,
    format_p_value,
    format_seconds,
    format_share,
    json_for_script,
    listed,
    plain_value,
    shown_name,
    shown_text,
)


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (None, "–"),
        (0.0, "0"),
        (-0.0, "0"),
        (0.32, "0.320"),
        (-0.0456789, "−0.0457"),
        (0.001, "0.00100"),
        (0.00071, "0.00071"),
        (0.0000412, "4.1e−5"),
        (-1e-12, "−1.0e−12"),
        (12.0, "12.0"),
        (123.4, "123"),
        (999.6, "1,000"),
        (1234567.8, "1,234,568"),
    ],
)
def test_numbers_have_three_digits(value, told):
    assert format_number(value) == told


@pytest.mark.parametrize(
    ("value", "told"),
    [(None, "–"), (0.0, "< 0.001"), (0.0009, "< 0.001"), (0.05, "0.050"), (1, "1.000")],
)
def test_p_values(value, told):
    assert format_p_value(value) == told


@pytest.mark.parametrize(
    ("value", "told"),
    [(None, "–"), (0, "0 %"), (1, "100 %"), (0.0004, "< 0.1 %"), (0.125, "12.5 %")],
)
def test_shares(value, told):
    assert format_share(value) == told


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (0, "0 ms"),
        (0.0214, "21 ms"),
        (1.44, "1.4 s"),
        (61, "61.0 s"),
        (200, "3 min 20 s"),
    ],
)
def test_seconds(value, told):
    assert format_seconds(value) == told


def test_counts_and_lists():
    assert count_of(1, "row") == "1 row"
    assert count_of(12_000, "row") == "12,000 rows"
    assert [listed(list("abc")[:n]) for n in range(4)] == [
        "",
        "a",
        "a and b",
        "a, b and c",
    ]


def test_names_can_be_seen():
    assert shown_name("") == shown_name(" ") == "(no name)"
    assert shown_name("a\nb\u202e") == "a\\nb\\u202e"
    assert shown_name("\u2028") == "\\u2028"
    assert shown_name("سن") == "سن"
    assert shown_name(3) == "3"
    assert shown_text("one\ntwo\x00") == "one\ntwo\\x00"
    assert plain_value(["a"]) == "['a']"
    assert plain_value("auto") == "auto"
    assert plain_value("x" * 900) == "x" * 399 + "…"


@given(
    st.recursive(
        st.none() | st.integers() | st.text(st.characters(exclude_categories=["Cs"])),
        lambda inner: st.lists(inner) | st.dictionaries(st.text("<>&ab"), inner),
    )
)
def test_json_comes_back_and_cannot_end_a_script(value):
    text = json_for_script(value)
    assert json.loads(text) == value
    assert not set("<>&\u2028\u2029") & set(text)
