"""The kappa-error diagram shows the points it is given."""

from __future__ import annotations

import numpy as np
import pytest

from featsieve.report import kappa_error_figure, save_figure
from featsieve.report._kappa_error import MOST_POINTS

CLOUD = (np.linspace(0, 1, 30), np.linspace(0.4, 0.1, 30))


def test_points_and_middles_are_drawn():
    figure = kappa_error_figure({"bagging": CLOUD, "boosting $x$": ([0.1], [0.3])})
    (axes,) = figure.axes
    drawn = [each.get_offsets() for each in axes.collections]
    assert [len(points) for points in drawn] == [30, 1, 1, 1, 1, 1]
    np.testing.assert_allclose(drawn[0], np.column_stack(CLOUD))
    np.testing.assert_allclose(drawn[1], [[0.5, 0.25]])
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    assert names == ["bagging", r"boosting \$x\$"]


def test_very_many_points_are_thinned():
    many = np.arange(10 * MOST_POINTS + 1) / 1e5
    figure = kappa_error_figure({"a": (many, many)})
    assert len(figure.axes[0].collections[0].get_offsets()) > MOST_POINTS / 2
    assert len(figure.axes[0].collections[0].get_offsets()) <= MOST_POINTS


@pytest.mark.parametrize("suffix", [".svg", ".png", ".pdf"])
def test_files_are_the_same_every_time(tmp_path, suffix):
    first = save_figure(tmp_path / f"a{suffix}", kappa_error_figure({"a": CLOUD}))
    second = save_figure(tmp_path / f"b{suffix}", kappa_error_figure({"a": CLOUD}))
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize(
    "clouds",
    [{}, None, {"a": ([1], [1, 2])}, {"a": 3}, {"a": ([], [])}, {"a": ("x", 1)}],
)
def test_bad_points_are_refused(clouds):
    with pytest.raises(ValueError, match="'clouds' parameter of kappa_error_figure"):
        kappa_error_figure(clouds)
