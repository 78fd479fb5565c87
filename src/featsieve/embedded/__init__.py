"""Selectors that listen to a learner while it is built."""

from featsieve.embedded._forest import ForestSelector
from featsieve.embedded._mdl_tree import MDLTreeSelector

__all__ = ["ForestSelector", "MDLTreeSelector"]
