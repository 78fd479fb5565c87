"""Plain dictionaries and lists in, pictures and pages out."""

from featsieve.report._interaction_graph import (
    interaction_graph,
    interaction_graph_svg,
    save_interaction_graph,
)
from featsieve.report._selection_page import (
    selection_card,
    selection_page,
    write_selection_page,
)
from featsieve.report._tree_drawing import save_tree, tree_figure

__all__ = [
    "interaction_graph",
    "interaction_graph_svg",
    "save_interaction_graph",
    "save_tree",
    "selection_card",
    "selection_page",
    "tree_figure",
    "write_selection_page",
]
