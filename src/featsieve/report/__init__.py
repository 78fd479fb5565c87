"""Plain dictionaries and lists in, pictures and pages out."""

from featsieve.report._interaction_graph import (
    interaction_graph,
    interaction_graph_svg,
    save_interaction_graph,
)

__all__ = ["interaction_graph", "interaction_graph_svg", "save_interaction_graph"]
