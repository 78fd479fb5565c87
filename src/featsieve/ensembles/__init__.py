"""Make members differ, then let them vote."""

from featsieve.ensembles._bagging import (
    BaggingEnsembleClassifier,
    RandomSubspaceEnsembleClassifier,
)
from featsieve.ensembles._boosting import (
    AdaBoostEnsembleClassifier,
    ArcX4EnsembleClassifier,
    DivBoostEnsembleClassifier,
)
from featsieve.ensembles._class_aggregates import (
    OneVersusAllClassifier,
    PositiveVersusNegativeClassifier,
)
from featsieve.ensembles._outliers import find_outliers
from featsieve.ensembles._random_forest import (
    RandomForestEnsembleClassifier,
    RandomForestEnsembleRegressor,
)
from featsieve.ensembles._rotation import (
    PCARotationEnsembleClassifier,
    RandomRotationEnsembleClassifier,
)
from featsieve.ensembles._subset import SubsetEnsembleClassifier

__all__ = [
    "AdaBoostEnsembleClassifier",
    "ArcX4EnsembleClassifier",
    "BaggingEnsembleClassifier",
    "DivBoostEnsembleClassifier",
    "OneVersusAllClassifier",
    "PCARotationEnsembleClassifier",
    "PositiveVersusNegativeClassifier",
    "RandomForestEnsembleClassifier",
    "RandomForestEnsembleRegressor",
    "RandomRotationEnsembleClassifier",
    "RandomSubspaceEnsembleClassifier",
    "SubsetEnsembleClassifier",
    "find_outliers",
]
