"""Plain dictionaries and lists in, pictures and pages out."""

from featsieve.report._model_pictures import kappa_error_figure, tree_figure
from featsieve.report._plain_pages import critical_difference_svg
from featsieve.report._relevance_pictures import (
    level_path_plot,
    local_relevance_map,
    relevance_plot,
    relevance_profile,
)
from featsieve.report._selection_figures import interaction_graph
from featsieve.report._selection_page import (
    selection_card,
    selection_page,
)
from featsieve.report._style import figure_svg, save_figure

__all__ = [
    "critical_difference_svg",
    "figure_svg",
    "interaction_graph",
    "kappa_error_figure",
    "level_path_plot",
    "local_relevance_map",
    "relevance_plot",
    "relevance_profile",
    "save_figure",
    "selection_card",
    "selection_page",
    "tree_figure",
]
