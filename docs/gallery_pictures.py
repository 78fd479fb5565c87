"""Find the pictures of gallery examples; ours are unknown to pyplot, on purpose."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from sphinx_gallery.scrapers import figure_rst

from featsieve.report import figure_svg
from featsieve.trees import TreePicture


def scrape(_block: Any, block_vars: dict[str, Any], gallery: dict[str, Any]) -> str:
    """Save what the block has drawn: figures, pictures of trees, and SVG texts."""
    names = block_vars["example_globals"]
    shown = names.setdefault("__shown__", set())
    paths = []
    for value in list(names.values()):
        text = _as_svg(value)
        if text is None or id(value) in shown:
            continue
        shown.add(id(value))
        path = Path(next(block_vars["image_path_iterator"])).with_suffix(".svg")
        path.write_text(text, encoding="utf-8")
        paths.append(str(path))
    return figure_rst(paths, gallery["src_dir"])


def _as_svg(value: Any) -> str | None:
    if isinstance(value, Figure):
        return figure_svg(value)
    if isinstance(value, TreePicture):
        return value.to_svg()
    if isinstance(value, str) and value.lstrip().startswith(("<svg", "<?xml")):
        return value
    return None
