"""Plain dictionaries and lists in, pictures and pages out."""

from featsieve.report._comparison_page import comparison_page
from featsieve.report._critical_difference import (
    critical_difference_svg,
    save_critical_difference,
)
from featsieve.report._interaction_graph import (
    interaction_graph,
    interaction_graph_svg,
    save_interaction_graph,
)
from featsieve.report._tree_drawing import save_tree, tree_figure

__all__ = [
    "comparison_page",
    "critical_difference_svg",
    "interaction_graph",
    "interaction_graph_svg",
    "save_critical_difference",
    "save_interaction_graph",
    "save_tree",
    "tree_figure",
]
