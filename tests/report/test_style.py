"""What all pictures and pages share: settings, files, axes, colours, numbers."""

import itertools
import json
import sys

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import UndefinedError

from featsieve.report._style import (
    DARK,
    LIGHT,
    TEMPLATES,
    VERDICT_COLOURS,
    VERDICTS,
    count_of,
    declarations,
    figure_svg,
    format_number,
    format_p_value,
    format_seconds,
    format_share,
    json_for_script,
    listed,
    new_environment,
    new_figure,
    plain_axes,
    plain_value,
    save_figure,
    shown_name,
    shown_text,
    steady_style,
)


def drawn():
    figure = new_figure(figsize=(2, 2))
    plain_axes(figure.add_subplot(), "costs $5")
    return figure


def test_what_the_user_has_set_does_not_matter():
    with steady_style():
        before = figure_svg(drawn())
    with mpl.rc_context({"axes.titlesize": 40, "svg.fonttype": "path"}), steady_style():
        assert figure_svg(drawn()) == before
    assert "costs $5" in before  # text stays text, and dollars stay dollars


@pytest.mark.parametrize("suffix", [".png", ".pdf", ".svg"])
def test_the_same_picture_gives_the_same_file(tmp_path, suffix):
    files = []
    for number in range(2):
        with steady_style():
            figure = drawn()
        files.append(save_figure(tmp_path / f"{number}{suffix}", figure, dpi=50))
    assert files[0].read_bytes() == files[1].read_bytes()


def test_what_cannot_be_written_is_named(tmp_path):
    assert save_figure(str(tmp_path / "a.PNG"), drawn(), dpi=20).suffix == ".PNG"
    with pytest.raises(
        ValueError, match=r"'path' parameter of save_figure must end in .svg, .png or"
    ):
        save_figure("a.gif", drawn())
    with pytest.raises(ValueError, match="'dpi' parameter of save_figure"):
        save_figure(tmp_path / "a.png", drawn(), dpi=0)


def test_axes_have_two_sides_and_a_title_if_any():
    axes = drawn().axes[0]
    assert [side for side, spine in axes.spines.items() if spine.get_visible()] == [
        "left",
        "bottom",
    ]
    other = new_figure().add_subplot()
    plain_axes(other)
    assert other.get_title(loc="left") == ""


def test_foreign_text_is_escaped_and_gaps_are_errors():
    template = new_environment().from_string("<b>{{ name }}</b>")
    assert template.render(name="<i>&") == "<b>&lt;i&gt;&amp;</b>"
    with pytest.raises(UndefinedError, match="name"):
        template.render()


def test_every_template_is_found_and_can_be_read():
    environment = new_environment()
    environment.globals["source"] = str
    names = [path.name for path in TEMPLATES.glob("*.html")]
    assert len(names) >= 3
    for name in names:
        environment.parse((TEMPLATES / name).read_text(encoding="utf-8"), name)


def test_without_jinja_the_way_out_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=r"pip install featsieve\[report\]"):
        new_environment()


PALETTES = {"light": LIGHT, "dark": DARK}
GROUNDS = ("page", "surface", "raised")
# Machado, Oliveira and Fernandes (2009), severity 1.0, on linear RGB.
BLINDNESS = {
    "none": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}


def linear(code):
    parts = np.array([int(code[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def contrast(first, second):
    """Return the contrast ratio of WCAG 2."""
    lights = sorted(linear(code) @ [0.2126, 0.7152, 0.0722] for code in (first, second))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def lab(rgb):
    """Return CIE Lab of linear RGB."""
    matrix = [
        [0.4124, 0.3576, 0.1805],
        [0.2126, 0.7152, 0.0722],
        [0.0193, 0.1192, 0.9505],
    ]
    ratio = np.array(matrix) @ np.clip(rgb, 0, 1) / [0.9505, 1.0, 1.089]
    f = np.where(ratio > 216 / 24389, np.cbrt(ratio), (24389 / 27 * ratio + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def test_both_palettes_have_the_same_names():
    assert list(LIGHT) == list(DARK)
    assert tuple(VERDICT_COLOURS) == VERDICTS
    assert set(VERDICT_COLOURS.values()) <= set(LIGHT)


@pytest.mark.parametrize("theme", PALETTES)
@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("name", ["ink", "quiet", "accent"])
def test_text_can_be_read(theme, ground, name):
    assert contrast(PALETTES[theme][name], PALETTES[theme][ground]) >= 4.5


@pytest.mark.parametrize("theme", PALETTES)
def test_warnings_and_tooltips_can_be_read(theme):
    palette = PALETTES[theme]
    for name in ("warning", "ink", "accent", "quiet"):
        assert contrast(palette[name], palette["warning-ground"]) >= 4.5
    assert contrast(palette["ink"], palette["code"]) >= 4.5
    assert contrast(palette["surface"], palette["ink"]) >= 4.5


@pytest.mark.parametrize("theme", PALETTES)
@pytest.mark.parametrize("name", VERDICT_COLOURS.values())
def test_marks_can_be_seen(theme, name):
    for ground in GROUNDS:
        assert contrast(PALETTES[theme][name], PALETTES[theme][ground]) >= 3


@pytest.mark.parametrize("theme", PALETTES)
@pytest.mark.parametrize("blindness", BLINDNESS)
def test_kept_verdicts_and_both_kinds_of_lines_can_be_told_apart(theme, blindness):
    names = ["strong", "together", "local", "redundant"]
    matrix = np.array(BLINDNESS[blindness])
    seen = {name: lab(matrix @ linear(PALETTES[theme][name])) for name in names}
    for a, b in itertools.combinations(names, 2):
        # Those kept are filled, redundant ones hollow; and a word is always beside.
        least = 10 if "redundant" in (a, b) and "together" not in (a, b) else 20
        assert np.linalg.norm(seen[a] - seen[b]) > least, (a, b)


def test_declarations():
    assert declarations({"ink": "#000000"}, "fs-") == "--fs-ink: #000000;"


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
