"""Pictures of a selection: axes, matrices, heat maps, and the graph."""

import re
from xml.etree import ElementTree

import pytest

from featsieve.report._selection_figures import (
    MOST_IN_HEAT_MAP,
    MOST_IN_MATRIX,
    MOST_POINTS,
    graph_for_page,
    heat_map,
    interaction_matrix,
    relevance_plot,
    ticks,
)
from featsieve.report._selection_summary import checked
from featsieve.report._selection_view import Ledger
from report import example_summary as example


def prepared(summary):
    answer = checked(summary)
    return answer, Ledger(answer)


@pytest.mark.parametrize(
    ("low", "high", "wanted"),
    [
        (0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (0, 0.23, [0, 0.05, 0.1, 0.15, 0.2]),
        (-0.3, 0.3, [-0.2, 0, 0.2]),
        (0, 3e-7, [0, 1e-7, 2e-7, 3e-7]),
        (0, 0, [0]),
    ],
)
def test_ticks_are_round(low, high, wanted):
    assert ticks(low, high) == pytest.approx(wanted)


def test_kept_features_are_always_drawn():
    summary, ledger = prepared(example.many(1000))
    plot = relevance_plot(summary, ledger)
    assert len(plot["points"]) == MOST_POINTS
    drawn = {point["feature"]["name"] for point in plot["points"]}
    assert set(summary["features"]) <= drawn
    scores = [point["bar"]["score"] for point in plot["points"]]
    assert scores == sorted(scores, reverse=True)
    scored = sum(row["score"] is not None for row in summary["ledger"])
    assert plot["n_left_out"] == scored - MOST_POINTS


def test_points_stand_where_their_scores_are():
    summary, ledger = prepared(example.customers())
    plot = relevance_plot(summary, ledger)
    axis = ledger.axis
    rows = {row["feature"]: row for row in summary["ledger"]}
    for point in plot["points"]:
        row = rows[point["feature"]["name"]]
        for key in ("score", "low", "high", "probe"):
            share = (row[key] - axis.low) / (axis.high - axis.low)
            assert point["bar"][key] == pytest.approx(100 * share, abs=0.01)
    together = next(p for p in plot["points"] if p["verdict"] == "relevant together")
    assert together["alone"] < together["bar"]["score"]
    assert plot["has_probe"]


def test_matrix_is_symmetric_and_says_each_pair_once():
    summary, ledger = prepared(example.customers())
    matrix = interaction_matrix(summary, ledger)
    places = {(cell["x"], cell["y"]): cell for cell in matrix["cells"]}
    assert len(places) == 8
    for (x, y), cell in places.items():
        other = places[y, x]
        assert cell["tip"] == other["tip"]
        assert cell["mirrored"] != other["mirrored"]
    strongest = max(matrix["cells"], key=lambda cell: cell["size"])
    assert "tenure_months and total_paid: 0.192 bits told by both" in strongest["tip"]
    assert not strongest["positive"]
    assert strongest["opacity"] == 1


def test_matrix_of_many_shows_the_most_involved():
    summary = example.smallest()
    summary["interactions"] = [
        example._interaction([f"a{k}", f"b{k}"], 0.001 * (k + 1), 0.2)
        for k in range(MOST_IN_MATRIX)
    ]
    matrix = interaction_matrix(*prepared(summary))
    assert len(matrix["features"]) == MOST_IN_MATRIX
    assert matrix["n_left_out"] == MOST_IN_MATRIX
    assert matrix["features"][0]["name"] == f"a{MOST_IN_MATRIX - 1}"
    assert matrix["n_pairs"] == f"{MOST_IN_MATRIX // 2} pairs"


def test_without_pairs_there_is_no_matrix():
    summary = example.smallest()
    assert interaction_matrix(*prepared(summary)) is None
    summary["interactions"] = [example._interaction(list("abc"), 0.1, 0.2)]
    assert interaction_matrix(*prepared(summary)) is None


def test_every_cell_of_the_heat_map_has_its_shade():
    summary, ledger = prepared(example.customers())
    heat = heat_map(summary, ledger)
    values = summary["local_relevance"]["values"]
    drawn = {}
    for shade in heat["shades"]:
        for x, y in re.findall(r"M(\d+) (\d+)h", shade["path"]):
            cell = int(y) // heat["row_height"], int(x) // heat["column_width"]
            assert cell not in drawn
            drawn[cell] = shade["opacity"]
    most = max(map(max, values))
    for k, row in enumerate(values):
        for j, value in enumerate(row):
            assert drawn.get((k, j), 0) == pytest.approx(value / most, abs=0.5 / 12)
    assert heat["peaks"][0] == {"name": "age", "place": "13.5", "value": "0.0800"}
    assert heat["data"]["values"][0][4] == 0.08


def test_heat_map_with_what_misleads():
    heat = heat_map(*prepared(example.houses()))
    assert heat["has_negative"]
    assert {shade["negative"] for shade in heat["shades"]} == {True, False}
    assert heat["least"] == "−0.0600"


def test_heat_map_of_many_and_of_nothing():
    heat = heat_map(*prepared(example.many(100)))
    assert len(heat["features"]) == len(heat["data"]["names"]) == MOST_IN_HEAT_MAP
    assert heat["n_left_out"] == 20
    summary = example.customers()
    for key in ("features", "values"):
        summary["local_relevance"][key] = []
    assert heat_map(*prepared(summary)) is None
    summary = example.customers()
    summary["local_relevance"]["values"] = [[0.0] * 24] * 4
    assert heat_map(*prepared(summary))["shades"] == []


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
