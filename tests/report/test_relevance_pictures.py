"""Pictures of relevance: what they show, and what they refuse."""

import numpy as np
import pytest

from featsieve.datasets import make_friedman
from featsieve.exceptions import DataError
from featsieve.report import (
    figure_svg,
    level_path_plot,
    local_relevance_map,
    relevance_plot,
    relevance_profile,
    save_figure,
)
from featsieve.selectors import ForestSelector

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


PATH = [
    {"level": 0.05, "n_features": 40, "oob_error": 0.31},
    {"level": 0.001, "n_features": 12, "oob_error": 0.18},
    {"level": 1e-6, "n_features": 5, "oob_error": 0.24},
]


def points(axes, number=0):
    line = axes.lines[number]
    return list(zip(line.get_xdata(), line.get_ydata(), strict=True))


def test_counts_and_errors_have_a_panel_each_with_the_widest_level_first():
    figure = level_path_plot(PATH[::-1], level=0.001)
    counts, errors = figure.axes
    assert points(counts) == [(0, 40), (1, 12), (2, 5)]
    assert points(errors) == [(0, 0.31), (1, 0.18), (2, 0.24)]
    labels = [label.get_text() for label in errors.get_xticklabels()]
    assert labels == ["0.05", "0.001", "1e-06"]
    assert [text.get_text() for text in counts.texts] == ["40", "12", "5"]
    assert [text.get_text() for text in errors.texts] == ["0.31", "0.18", "0.24"]


def test_the_level_that_was_taken_is_marked_in_both_panels():
    for axes, value in zip(
        level_path_plot(PATH, level=0.001).axes, (12, 0.18), strict=True
    ):
        assert list(axes.lines[1].get_xdata()) == [1, 1]
        assert points(axes, 2) == [(1, value)]
        assert axes.lines[2].get_color() != axes.lines[0].get_color()
    between = level_path_plot(PATH, level=(0.05 * 0.001) ** 0.5).axes[0]
    assert len(between.lines) == 2  # no dot of its own
    np.testing.assert_allclose(between.lines[1].get_xdata(), 0.5)
    unmarked = level_path_plot(PATH).axes
    assert [len(axes.lines) for axes in unmarked] == [1, 1]
    assert "taken" not in unmarked[-1].get_xlabel()


def test_without_errors_there_is_one_panel():
    path = [{"level": step["level"], "n_features": 0} for step in PATH]
    figure = level_path_plot(path, title="$a$ <b>")
    assert len(figure.axes) == 1
    assert figure.axes[0].get_ylim()[0] == 0
    text = figure_svg(figure)
    assert "$a$ &lt;b&gt;" in text
    assert text == figure_svg(level_path_plot(path, title="$a$ <b>"))


def test_the_path_of_a_selector_is_drawn():
    table, _ = make_friedman(120, n_noise=5, random_state=0)
    selector = ForestSelector("t", alpha="oob", n_estimators=40).fit(table, None)
    figure = level_path_plot(selector.path_, level=selector.level_)
    errors = [error for _, error in points(figure.axes[1])]
    levels = [step["level"] for step in selector.path_]
    marked = points(figure.axes[1], 2)
    assert marked == [(levels.index(selector.level_), min(errors))]
    kept = [n for _, n in points(figure.axes[0])]
    assert kept == sorted(kept, reverse=True)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ([], "must have a level"),
        ([{"level": 0.05}], "must be the path_"),
        ([{"level": 0, "n_features": 1}], "levels above 0"),
        ([{"level": 0.1, "n_features": np.nan}], "finite numbers"),
        ([{"level": "a", "n_features": 1}], "must be the path_"),
        ([PATH[0], {"level": 0.01, "n_features": 3}], "for all of them or for none"),
        (None, "must be the path_"),
    ],
)
def test_paths_are_checked(path, message):
    with pytest.raises(DataError, match=message):
        level_path_plot(path)


def test_the_level_is_checked():
    with pytest.raises(ValueError, match="'level' parameter of level_path_plot"):
        level_path_plot(PATH, level=0)
