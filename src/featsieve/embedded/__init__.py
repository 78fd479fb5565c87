"""Selectors that listen to a learner while it is built."""

from featsieve.embedded._feature_boosting import FeatureBoostingSelector

__all__ = ["FeatureBoostingSelector"]
