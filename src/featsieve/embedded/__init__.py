"""Selectors that listen to a learner while it is built."""

from featsieve.embedded._feature_boosting import (
    FeatureBoostingSelector,
)
from featsieve.embedded._forest import (
    ForestSelector,
)
from featsieve.embedded._mdl_tree import (
    MDLTreeSelector,
)

__all__ = [
    "FeatureBoostingSelector",
    "ForestSelector",
    "MDLTreeSelector",
]
