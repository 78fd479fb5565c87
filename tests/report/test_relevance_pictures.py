"""Pictures of relevance: what is shown is what was given."""

import numpy as np
import pytest

from featsieve.exceptions import DataError
from featsieve.report import (
    figure_svg,
    local_relevance_map,
    relevance_plot,
    relevance_profile,
    save_figure,
)

NAMES = ["a", "$b$", "<script>", "_d" + "x" * 40]
RELEVANCE = [0.1, 0.4, 0.02, 0.3]


def row_names(figure):
    return [label.get_text() for label in figure.axes[0].get_yticklabels()]


def test_features_are_ordered_and_red_only_above_the_band():
    interval = np.add.outer(RELEVANCE, [-0.01, 0.01])
    band = [[0.05, 0.095]] * 4
    figure = relevance_plot(NAMES, RELEVANCE, interval=interval, band=band)
    names = row_names(figure)
    assert names[0] == "$b$"
    assert names[1].startswith("\u200b_dxxx")
    assert names[2:] == ["a", "<script>"]
    dots = [line for line in figure.axes[0].lines if len(line.get_xdata()) == 1]
    assert [float(dot.get_xdata()[0]) for dot in dots] == sorted(RELEVANCE)[::-1]
    # The interval of "a" reaches from 0.09, into the band.
    assert [dot.get_color() == dots[0].get_color() for dot in dots] == [1, 1, 0, 0]
    bars = figure.axes[0].patches
    assert [bar.get_x() for bar in bars] == [0.05] * 4
    assert "grey" in figure.get_supxlabel()


def test_only_the_most_relevant_are_shown_if_there_are_many():
    figure = relevance_plot(NAMES, RELEVANCE, max_shown=2)
    assert len(row_names(figure)) == 2
    assert figure.get_supxlabel() == "2 of 4 features"


def test_rows_of_the_map_are_ordered_and_averaged():
    random = np.random.default_rng(0)
    values = random.normal(size=(1000, 4))
    key = random.permutation(1000).astype(float)
    key[:10] = np.nan
    figure = local_relevance_map(NAMES, values, key, order_name="$a$")
    image = figure.axes[0].images[0].get_array()
    assert image.shape == (4, 400)
    order = np.argsort(key)[:990]
    first = values[order][: -(-990 // 400)]
    np.testing.assert_allclose(image[:, 0], first.mean(axis=0))
    assert figure.axes[0].get_xlabel() == "990 rows by $a$"


def test_the_map_drops_the_faintest_features():
    values = np.outer(np.ones(5), [1.0, -3.0, 0.1, 2.0])
    figure = local_relevance_map(NAMES, values, np.arange(5), max_shown=2)
    np.testing.assert_array_equal(figure.axes[0].images[0].get_array()[:, 0], [-3, 2])


def test_profiles_are_means_of_regions():
    values = np.arange(24.0).reshape(6, 4)
    figure = relevance_profile(NAMES, values, [5, 4, 3, 2, 1, 0], n_regions=2)
    line = figure.axes[0].lines[0]  # the greatest, the last column
    np.testing.assert_allclose(line.get_xdata(), [1, 4])
    np.testing.assert_allclose(line.get_ydata(), [values[3:, 3].mean(), 7])
    assert len(figure.axes[0].get_legend().get_texts()) == 4


def test_files(tmp_path):
    figure = relevance_plot(NAMES, RELEVANCE)
    text = figure_svg(figure)
    assert text == figure_svg(relevance_plot(NAMES, RELEVANCE))
    assert "<script>" not in text
    assert "&lt;script&gt;" in text
    saved = save_figure(tmp_path / "a.svg", figure)
    assert saved.read_text(encoding="utf-8") == text
    png = save_figure(str(tmp_path / "a.png"), figure, dpi=40)
    assert png.read_bytes()[:4] == b"\x89PNG"


def test_odd_values_are_drawn():
    assert relevance_plot(["a"], [0.0])
    assert local_relevance_map(["a"], [[0.0]], [1.0])
    assert relevance_profile(["a"], [[0.0]], [1.0])


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: relevance_plot(["a"], [1, 2]), "one finite number per name: 1"),
        (lambda: relevance_plot([], []), "one finite number per name: 0"),
        (lambda: relevance_plot(["a"], [np.nan]), "one finite number"),
        (lambda: relevance_plot(["a"], [1], band=[[2, 1]]), "band must hold a lower"),
        (lambda: local_relevance_map(["a"], [[1, 2]], [1]), "one column per name"),
        (lambda: relevance_profile(["a"], [[1]], [np.nan]), "known in some row"),
    ],
)
def test_arrays_are_checked(draw, message):
    with pytest.raises(DataError, match=message):
        draw()
