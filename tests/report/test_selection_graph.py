"""The graph of the page: its colours are the page's, its names are untouched."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from featsieve.report._selection_graph import graph_for_page
from featsieve.report._selection_ledger import Ledger
from featsieve.report._selection_summary import checked
from report import example_summary as example

SVG = "{http://www.w3.org/2000/svg}"


def graph(summary):
    answer = checked(summary)
    return graph_for_page(answer, Ledger(answer))


def test_no_colour_or_font_of_its_own():
    svg = graph(example.customers())
    assert svg.startswith("<svg")
    assert "<style" not in svg
    assert "<metadata" not in svg
    colours = re.findall(r"(?:fill|stroke): ([^;\"]+)", svg)
    assert set(colours) <= {"none", *(c for c in colours if c.startswith("var(--"))}
    assert "font:" not in svg


def test_what_it_tells():
    root = ElementTree.fromstring(graph(example.customers()))
    told = [title.text for title in root.iter(f"{SVG}title") if title.text]
    assert "line_type and router_model: 0.138 bits more together" in told
    assert "tenure_months and total_paid: 0.192 bits told by both" in told
    assert "age and monthly_fee: 0.034 bits more together" in told  # of a triple
    assert root.get("role") == "group"
    ids = [part.get("id") for part in root.iter(f"{SVG}g")]
    assert "group-0" in ids


def test_names_that_look_like_styles_stay_names():
    name = 'x style="fill: #ffffff; font: 12px a" 1.23456789 &lt;g id="node-0"&gt;'
    summary = example.smallest()
    summary["interactions"] = [example._interaction([name, "b"], 0.1, 0.2)]
    root = ElementTree.fromstring(graph(summary))
    told = [title.text for title in root.iter(f"{SVG}title") if title.text]
    assert f"{name}: 0 bits alone" in told


def test_names_without_letters_can_be_seen():
    summary = example.smallest()
    summary["interactions"] = [example._interaction(["  ", "b"], 0.1, 0.2)]
    root = ElementTree.fromstring(graph(summary))
    assert "(no name)" in ["".join(e.itertext()) for e in root.iter(f"{SVG}text")]


def test_nothing_to_draw():
    summary = example.smallest()
    assert graph(summary) is None
    summary["interactions"] = [example._interaction(["a", "b"], 0.0, 0.2)]
    assert graph(summary) is None


def test_hundreds_of_pairs_are_cut_to_the_strongest():
    summary = example.smallest()
    summary["interactions"] = [
        example._interaction([f"a{k}", f"b{k}"], 0.001 * (k + 1), 0.2)
        for k in range(300)
    ]
    svg = graph(summary)
    assert svg.count('id="node-') == 30
    assert "a299 and b299" in svg
