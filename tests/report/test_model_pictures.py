"""Pictures of ensembles and trees: what they show, and what they refuse."""

from __future__ import annotations

import builtins

import numpy as np
import pytest

from featsieve.report import kappa_error_figure, save_figure, tree_figure
from featsieve.report._model_pictures import MOST_POINTS
from featsieve.trees import plot_tree
from trees.hand_made import chain, golf_tree, make_tree, nominal, regression_tree

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


@pytest.fixture
def golf():
    return plot_tree(golf_tree()).to_dict()


def texts(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def test_all_words_are_there(golf):
    shown = texts(tree_figure(golf))
    assert {"outlook", "(14.0)", "= sunny", "≤ 75", "yes", "(4.0)", "no"} <= {*shown}
    assert len(shown) == 2 + 7 + 2 * 8  # legend, lines, titles and details


def test_boxes_and_bars_are_where_the_layout_has_them(golf):
    figure = tree_figure(golf)
    bars = [p for p in figure.axes[0].patches if hasattr(p, "get_x") and p.get_width()]
    box = golf["boxes"][0]
    shares = [share for _, share in box["bar"]]
    room = box["width"] - 16
    widths = [bar.get_width() for bar in bars if abs(bar.get_x() - box["x"] - 8) < 1e-6]
    assert pytest.approx(room) in widths
    assert pytest.approx(room * shares[0]) in widths


@pytest.mark.parametrize("suffix", [".png", ".pdf"])
def test_files_are_written_and_repeat(golf, tmp_path, suffix):
    one = save_figure(tmp_path / f"one{suffix}", tree_figure(golf), dpi=50)
    two = save_figure(str(tmp_path / f"two{suffix}"), tree_figure(golf), dpi=50)
    assert one.read_bytes() == two.read_bytes()
    assert one.read_bytes()[:4] in (b"\x89PNG", b"%PDF")


def test_regression_cut_branches_and_odd_names(tmp_path):
    odd = ["$x^2$", "<b>", "a\nb", "漢字", "\ud800", ""]
    leaves = [{"value": [1.0, 0.0], "level": k} for k in range(len(odd))]
    root = {"feature": 0, "value": [6.0, 0.0], "children": leaves}
    tree = make_tree(root, [nominal("$a_1$", *odd)], odd[:2])
    figure = tree_figure(plot_tree(tree).to_dict())
    assert "= $x^2$" in texts(figure)
    for number, drawn in enumerate((tree, regression_tree(), chain(1000))):
        figure = tree_figure(plot_tree(drawn, max_nodes=9).to_dict())
        assert save_figure(tmp_path / f"{number}.png", figure, dpi=40).stat().st_size


def test_pictures_that_are_too_large(tmp_path):
    picture = plot_tree(chain(3000), max_nodes=9999).to_dict()
    with pytest.raises(ValueError, match=r"less than 65536 dots.*max_depth"):
        save_figure(tmp_path / "tree.png", tree_figure(picture))


def test_wrong_input_is_told():
    for wrong in (golf_tree(), {"boxes": []}):
        with pytest.raises(ValueError, match=r"plot_tree\(tree\).to_dict\(\)"):
            tree_figure(wrong)


def test_without_matplotlib_the_way_out_is_told(golf, monkeypatch):
    real = builtins.__import__

    def refuse(name, *arguments, **options):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(ImportError, match=r"pip install featsieve\[report\]"):
        tree_figure(golf)
