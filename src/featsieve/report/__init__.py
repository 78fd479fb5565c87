"""Plain dictionaries and lists in, pictures and pages out."""

from featsieve.report._interaction_graph import (
    interaction_graph,
    interaction_graph_svg,
    save_interaction_graph,
)
from featsieve.report._kappa_error import kappa_error_figure, save_kappa_error
from featsieve.report._tree_drawing import save_tree, tree_figure

__all__ = [
    "interaction_graph",
    "interaction_graph_svg",
    "kappa_error_figure",
    "save_interaction_graph",
    "save_kappa_error",
    "save_tree",
    "tree_figure",
]
