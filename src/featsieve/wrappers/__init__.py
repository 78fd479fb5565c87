"""Search subsets of features by asking an estimator."""

from featsieve.wrappers._forward_selection import ForwardSelectionWrapper

__all__ = ["ForwardSelectionWrapper"]
