"""Selectors that listen to a learner while it is built."""

from featsieve.embedded._forest import ForestSelector

__all__ = ["ForestSelector"]
