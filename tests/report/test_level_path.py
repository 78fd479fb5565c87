"""The picture of a path of levels: what is shown is what was given."""

import numpy as np
import pytest

from featsieve.datasets import make_friedman
from featsieve.exceptions import DataError
from featsieve.report import figure_svg, level_path_plot
from featsieve.selectors import ForestSelector

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
