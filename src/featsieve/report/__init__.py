"""Plain dictionaries and lists in, pictures and pages out."""

from featsieve.report._comparison_page import comparison_page
from featsieve.report._critical_difference import (
    critical_difference_svg,
    save_critical_difference,
)
from featsieve.report._gamma_path import gamma_path_plot
from featsieve.report._interaction_graph import (
    interaction_graph,
    interaction_graph_svg,
    save_interaction_graph,
)
from featsieve.report._kappa_error import (
    kappa_error_figure,
    save_kappa_error,
)
from featsieve.report._relevance_pictures import (
    figure_svg,
    local_relevance_map,
    relevance_plot,
    relevance_profile,
    save_figure,
)
from featsieve.report._reproduction_page import reproduction_page
from featsieve.report._selection_page import (
    selection_card,
    selection_page,
    write_selection_page,
)
from featsieve.report._tree_drawing import (
    save_tree,
    tree_figure,
)

__all__ = [
    "comparison_page",
    "critical_difference_svg",
    "figure_svg",
    "gamma_path_plot",
    "interaction_graph",
    "interaction_graph_svg",
    "kappa_error_figure",
    "local_relevance_map",
    "relevance_plot",
    "relevance_profile",
    "reproduction_page",
    "save_critical_difference",
    "save_figure",
    "save_interaction_graph",
    "save_kappa_error",
    "save_tree",
    "selection_card",
    "selection_page",
    "tree_figure",
    "write_selection_page",
]
