"""The colours can be read, in light and in dark, also by those who see fewer."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from featsieve.report._palette import DARK, LIGHT, VERDICT_COLOURS, declarations
from featsieve.report._selection_summary import VERDICTS

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
