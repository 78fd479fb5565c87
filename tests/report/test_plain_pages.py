"""The page of published tables: every text escaped, every number beside its print."""

import xml.etree.ElementTree as ET

import pytest

from featsieve.report import critical_difference_svg
from featsieve.report.api import reproduction_page

EVIL = "<script>alert(1)</script>"


def cell(**changes):
    known = {
        "row": "wbc",
        "column": "error",
        "published": 0.03,
        "ours": 0.0312,
        "standard_error": 0.0021,
        "z": 0.57,
        "verdict": "within 2 s.e.",
        "n_runs": 10,
        "digits": 2,
        "note": "",
    }
    return known | changes


def page_of(*cells, **changes):
    verdicts = {"within 2 s.e.": len(cells)}
    table = {
        "name": "work-1",
        "title": "A table",
        "source": "A work",
        "known": [],
        "missing": [],
        "verdicts": verdicts,
        "cells": list(cells),
    }
    return reproduction_page(
        {
            "featsieve": "0.1",
            "repeats": 5,
            "seconds": 2.0,
            "verdicts": verdicts,
            "tables": [table | changes],
        }
    )


def test_numbers_stand_beside_print():
    page = page_of(cell())
    assert '<td class="figure">0.03</td><td class="figure">0.031</td>' in page
    assert '<td class="figure">+0.6</td>' in page
    assert "Not run for want of data" not in page


def test_every_text_is_escaped():
    texts = {"row": EVIL, "column": EVIL, "published": EVIL, "ours": EVIL}
    evil = cell(**texts, verdict="differs", note=EVIL)
    page = page_of(
        evil, title=EVIL, source=EVIL, known=[EVIL], missing=[EVIL], name=EVIL
    )
    assert "<script" not in page
    assert page.count("&lt;script&gt;") >= 10


def test_reasons_stand_with_what_differs():
    page = page_of(cell(verdict="differs", note="a misprint"), known=["Known."])
    assert "differs: a misprint" in page
    assert "<p>Known.</p>" in page
    assert "a misprint" not in page_of(cell(note="a misprint"))


def test_cells_that_were_not_run_are_left_out():
    page = page_of(cell(ours=None, row="lost"), missing=["lost-set"])
    assert "lost</th>" not in page
    assert "Not run for want of data: lost-set." in page


def test_tables_without_cells_say_why():
    page = page_of(known=["It needs another program."])
    assert "It needs another program." in page
    assert page.count("<table>") == 1


def test_what_must_be_known_of_data_stands_with_the_table():
    page = page_of(cell(), about_data={"zoo": f"other rows {EVIL}"})
    assert "zoo: other rows &lt;script&gt;" in page
    assert EVIL not in page


NAMESPACE = "{http://www.w3.org/2000/svg}"


def lines(svg):
    found = ET.fromstring(svg).iter(f"{NAMESPACE}line")
    corners = ("x1", "y1", "x2", "y2")
    return [
        {key: float(line.get(key)) for key in corners}
        | {"width": line.get("stroke-width")}
        for line in found
    ]


def test_bars_span_their_groups():
    svg = critical_difference_svg(
        ["a", "b", "c"], [1.0, 2.0, 3.0], 1.5, not_different=[[0, 1], [1, 2]]
    )
    bars = [line for line in lines(svg) if line["width"] == "4"]
    assert len(bars) == 2
    # The scale from rank 1 to 3 is 380 wide, from 190 on; bars reach 3 beyond.
    assert [(bar["x1"], bar["x2"]) for bar in bars] == [(187, 383), (377, 573)]
    assert len({bar["y1"] for bar in bars}) == 2


def test_names_are_shown_literally_and_shortened():
    svg = critical_difference_svg(["<b>", "x" * 100], [1, 2], 0.1)
    texts = [text.text for text in ET.fromstring(svg).iter(f"{NAMESPACE}text")]
    assert "<b> (1.00)" in texts
    assert f"{'x' * 13}…{'x' * 14} (2.00)" in texts


def test_many_names_stay_inside():
    n = 31
    svg = critical_difference_svg([f"s{k}" for k in range(n)], range(1, n + 1), 3.0)
    root = ET.fromstring(svg)
    height = float(root.get("height"))
    assert max(line["y2"] for line in lines(svg)) <= height


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="one rank per name"):
        critical_difference_svg(["a"], [1], 0.1)
