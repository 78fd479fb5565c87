"""What all pictures share: settings, files, axes."""

import matplotlib as mpl
import pytest

from featsieve.report._style import (
    figure_svg,
    new_figure,
    plain_axes,
    save_figure,
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
