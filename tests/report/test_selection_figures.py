"""Pictures of a selection: axes, matrices, heat maps, and the graph."""

from __future__ import annotations

import builtins
import re
import sys
from xml.etree import ElementTree

import numpy as np
import pytest

from featsieve.report import figure_svg, interaction_graph, save_figure
from featsieve.report._graph_drawing import REDUNDANCY, SYNERGY
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
from featsieve.report._selection_page import checked
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


NAMES = ["router", "line", "city", "dialling code", "age"]
GAINS = [0.0, 0.01, 0.17, 0.16, 0.02]
EDGES = [(0, 1, 0.14), (3, 2, -0.17)]


def interaction_graph_svg(*given, **options):
    return figure_svg(interaction_graph(*given, **options))


def save_interaction_graph(path, *given, dpi=150, **options):
    return save_figure(path, interaction_graph(*given, **options), dpi=dpi)


def parse(svg):
    """Return the root, and the groups of nodes and edges by their ids."""
    root = ElementTree.fromstring(svg)
    parts = {
        part.get("id"): part
        for part in root.iter(f"{SVG}g")
        if re.match(r"(node|edge|group)-", part.get("id", ""))
    }
    return root, parts


def texts(root):
    return ["".join(part.itertext()) for part in root.iter(f"{SVG}text")]


def style_of(part):
    return part.find(f"{SVG}path").get("style")


def test_nodes_edges_and_colours():
    root, parts = parse(interaction_graph_svg(NAMES, GAINS, EDGES))
    assert sorted(parts) == ["edge-0-1", "edge-2-3", *(f"node-{i}" for i in range(5))]
    assert f"stroke: {SYNERGY}" in style_of(parts["edge-0-1"])
    assert "dasharray" not in style_of(parts["edge-0-1"])
    assert f"stroke: {REDUNDANCY}" in style_of(parts["edge-2-3"])
    assert "dasharray" in style_of(parts["edge-2-3"])
    assert set(NAMES) <= set(texts(root))


def test_area_of_a_dot_is_its_gain():
    figure = interaction_graph(NAMES, [0.04, 0.01, 0.16, 0.0, 0.0], EDGES)
    radii = {patch.get_gid(): patch.radius for patch in figure.axes[0].patches}
    assert radii["node-2"] / radii["node-0"] == pytest.approx(2)
    assert radii["node-3"] == radii["node-4"] > 0  # still to be seen


def test_width_of_a_line_is_its_synergy():
    edges = [(0, 1, 0.2), (1, 2, -0.1), (2, 3, 1e-9)]
    lines = interaction_graph(NAMES, GAINS, edges).axes[0].lines
    widths = {line.get_gid(): line.get_linewidth() for line in lines}
    assert widths["edge-0-1"] / widths["edge-1-2"] == pytest.approx(2)
    assert widths["edge-2-3"] > 0.5


def test_legend_tells_bits():
    root, _ = parse(
        interaction_graph_svg(NAMES, GAINS, EDGES, selected=[1, 1, 1, 0, 0])
    )
    shown = texts(root)
    assert {"0.14 bits more together", "0.17 bits told by both", "not kept"} <= {*shown}
    assert any(text.endswith("bits alone") for text in shown)
    root, _ = parse(interaction_graph_svg(NAMES, GAINS, EDGES[:1]))
    assert not any("told by both" in text for text in texts(root))


def test_a_long_unit_fits_the_legend():
    bits = interaction_graph(NAMES, GAINS, EDGES, selected=[1, 1, 1, 0, 0])
    figure = interaction_graph(
        NAMES, GAINS, EDGES, selected=[1, 1, 1, 0, 0], unit="shares of the variance"
    )
    legend = figure.legends[0].get_window_extent()
    assert legend.x0 > 0
    assert legend.x1 < figure.bbox.width > bits.bbox.width
    # Circles stay circles, of the same size.
    scales = [
        (one.axes[0].bbox.width, one.axes[0].bbox.height) for one in (bits, figure)
    ]
    assert scales[0] == pytest.approx(scales[1])
    svg = interaction_graph_svg(NAMES, GAINS, EDGES, unit="<units>")
    assert "city: 0.17 &lt;units&gt; alone" in svg
    assert "0.17 &lt;units&gt; told by both" in svg


def test_selected_are_filled():
    figure = interaction_graph(NAMES, GAINS, EDGES, selected=[1, 1, 1, 0, 0])
    colours = [patch.get_facecolor() for patch in figure.axes[0].patches]
    assert colours[0] == colours[1] == colours[2]
    assert colours[3] == colours[4] == (1, 1, 1, 1)


def test_groups_of_three_get_a_ground():
    groups = [(0, 1), (0, 1, 2)]
    _, parts = parse(interaction_graph_svg(NAMES, GAINS, EDGES, feature_groups=groups))
    assert [name for name in parts if name.startswith("group")] == ["group-1"]


def test_title_and_description_for_those_who_do_not_see():
    svg = interaction_graph_svg(NAMES, GAINS, EDGES, title="Why <they> leave")
    root, parts = parse(svg)
    assert root.get("role") == "img"
    assert root.find(f"{SVG}title").text == "Why <they> leave"
    told = root.find(f"{SVG}desc").text
    assert told.startswith("5 of 5 features; 1 pair that tell more together")
    assert "city and dialling code: -0.17 bits; router and line: +0.14 bits" in told
    assert root.get("aria-labelledby").split() == [
        root.find(f"{SVG}title").get("id"),
        root.find(f"{SVG}desc").get("id"),
    ]
    assert parts["node-2"].find(f"{SVG}title").text == "city: 0.17 bits alone"
    tip = parts["edge-2-3"].find(f"{SVG}title").text
    assert tip == "city and dialling code: 0.17 bits told by both"


def test_same_input_same_bytes():
    first = interaction_graph_svg(NAMES, GAINS, EDGES, feature_groups=[(0, 1, 2)])
    assert first == interaction_graph_svg(
        NAMES, GAINS, EDGES, feature_groups=[(0, 1, 2)]
    )
    assert "<dc:date>" not in first
    assert "matplotlib.org" not in first.split("<metadata>")[-1].split("</metadata>")[0]


def test_settings_of_the_user_do_not_matter():
    import matplotlib as mpl

    wanted = interaction_graph_svg(NAMES, GAINS, EDGES)
    mine = {"text.usetex": True, "font.size": 30, "svg.fonttype": "path"}
    with mpl.rc_context(mine):
        assert interaction_graph_svg(NAMES, GAINS, EDGES) == wanted
        assert mpl.rcParams["svg.fonttype"] == "path"


def test_pyplot_is_left_alone():
    before = "matplotlib.pyplot" in sys.modules
    interaction_graph(NAMES, GAINS, EDGES)
    assert ("matplotlib.pyplot" in sys.modules) == before


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("$x_1$ and $\\bad{", "$x_1$ and $\\bad{"),
        ("<script>alert()</script>", "<script>alert()</script>"),
        ("]]> & \"quoted\" 'too'", "]]> & \"quoted\" 'too'"),
        ("two\nlines\t", "two\\nlines\\t"),
        ("🙂 日本", "🙂 日本"),
        ("a\u202eb\x00", "a\\u202eb\\x00"),
        ("\ud800\uffff", "\\ud800\\uffff"),
        ("-->", "-->"),
        ("", "(no name)"),
        ("{braces} %s \\N", "{braces} %s \\N"),
    ],
)
def test_any_name_is_shown_literally(name, shown, tmp_path):
    names = [name, *NAMES[1:]]
    root, parts = parse(interaction_graph_svg(names, GAINS, EDGES, title=name))
    assert shown in texts(root)
    assert len(parts) == 7
    assert not list(root.iter(f"{SVG}script"))
    save_interaction_graph(tmp_path / "graph.png", names, GAINS, EDGES, title=name)


def test_long_names_are_shortened_and_told_in_full():
    name = "begin_" + "x" * 200 + "_end"
    root, parts = parse(interaction_graph_svg([name, "b"], [0, 0], [(0, 1, 0.1)]))
    label = next(text for text in texts(root) if text.startswith("begin_"))
    assert len(label) == 24
    assert label.endswith("_end")
    assert parts["node-0"].find(f"{SVG}title").text.startswith(name)


def test_only_the_most_important_are_shown():
    n = 100
    gains = np.linspace(0.1, 0, n)
    edges = [(98, 99, 0.5), (97, 1, -0.001)]
    root, parts = parse(
        interaction_graph_svg([f"f{i}" for i in range(n)], gains, edges)
    )
    nodes = {int(part[5:]) for part in parts if part.startswith("node")}
    assert nodes == {*range(38), 98, 99}
    assert [part for part in parts if part.startswith("edge")] == ["edge-98-99"]
    assert "40 of 100 features shown; 60 of less importance left out" in texts(root)
    _, parts = parse(
        interaction_graph_svg([f"f{i}" for i in range(n)], gains, edges, max_shown=1)
    )
    assert list(parts) == ["node-98"]


def test_isolated_features_can_be_left_out():
    root, parts = parse(
        interaction_graph_svg(
            NAMES, GAINS, EDGES[:1], selected=[1, 1, 1, 0, 0], show_isolated=False
        )
    )
    assert sorted(parts) == ["edge-0-1", "node-0", "node-1", "node-2"]
    assert "3 of 5 features shown; 2 of less importance left out" in texts(root)


def test_labels_of_forty_do_not_overlap():
    random = np.random.default_rng(0)
    names = [f"a_rather_long_name_{i}" for i in range(40)]
    edges = [(int(i), int(i + 20), 0.1) for i in range(20)]
    figure = interaction_graph(names, random.gamma(0.5, 0.1, 40), edges)
    boxes = [text.get_window_extent() for text in figure.axes[0].texts]
    assert len(boxes) == 40
    hits = [(a, b) for a in range(40) for b in range(a) if boxes[a].overlaps(boxes[b])]
    assert hits == []


@pytest.mark.parametrize("n", [0, 1])
def test_hardly_anything_to_draw(n):
    _, parts = parse(interaction_graph_svg(NAMES[:n], [0.0] * n, []))
    assert len(parts) == n


def test_png_is_written(tmp_path):
    path = save_interaction_graph(tmp_path / "graph.PNG", NAMES, GAINS, EDGES, dpi=50)
    assert path.read_bytes().startswith(b"\x89PNG\r\n")
    other = save_interaction_graph(tmp_path / "again.png", NAMES, GAINS, EDGES, dpi=50)
    assert path.read_bytes() == other.read_bytes()


def test_svg_is_written(tmp_path):
    path = save_interaction_graph(str(tmp_path / "graph.svg"), NAMES, GAINS, EDGES)
    text = interaction_graph_svg(NAMES, GAINS, EDGES)
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("transparent", [False, True])
def test_background(transparent, tmp_path):
    from matplotlib.image import imread

    path = tmp_path / "graph.png"
    save_interaction_graph(path, NAMES, GAINS, EDGES, transparent=transparent)
    assert imread(path)[0, 0, 3] == (0 if transparent else 1)
    svg = interaction_graph_svg(NAMES, GAINS, EDGES, transparent=transparent)
    _, parts = parse(svg)
    assert len(parts) == 7
    background = re.search(r'<g id="patch_1">\s*<path .*?style="(.*?)"', svg, re.S)
    assert background is None or ("fill: #ffffff" in background[1]) != transparent


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"gains": [0.1]}, "'gains' parameter of interaction_graph must be 5 finite"),
        ({"gains": [np.nan] * 5}, "must be 5 finite numbers"),
        ({"selected": [True]}, "'selected' parameter of interaction_graph must be 5"),
        ({"edges": [(0, 5, 0.1)]}, r"features from 0 to 4 .* Got \(0, 5, 0.1\)"),
        ({"edges": [(1, 1, 0.1)]}, "two different features"),
        ({"edges": [(0, 1, np.inf)]}, "a finite number"),
        ({"max_shown": 0}, "'max_shown' parameter of interaction_graph must be an int"),
    ],
)
def test_wrong_input_is_told(change, told):
    given = {"gains": GAINS, "edges": EDGES} | change
    with pytest.raises(ValueError, match=told):
        interaction_graph(NAMES, **given)


def test_other_suffixes_are_told(tmp_path):
    with pytest.raises(ValueError, match=r"must end in .svg, .png or .*graph.gif'"):
        save_interaction_graph(tmp_path / "graph.gif", NAMES, GAINS, EDGES)


def test_without_matplotlib_the_way_out_is_told(monkeypatch):
    real = builtins.__import__

    def fail(name, *rest, **options):
        if name.partition(".")[0] == "matplotlib":
            raise ImportError(name)
        return real(name, *rest, **options)

    monkeypatch.setattr(builtins, "__import__", fail)
    with pytest.raises(ImportError, match=r"pip install featsieve\[report\]"):
        interaction_graph(NAMES, GAINS, EDGES)


def test_importing_the_room_does_not_import_matplotlib():
    import subprocess

    code = "import sys, featsieve.report; assert 'matplotlib' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
