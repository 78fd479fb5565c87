import xml.etree.ElementTree as ET

import pytest

from featsieve.report import critical_difference_svg

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
