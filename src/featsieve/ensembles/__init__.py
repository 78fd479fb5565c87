"""Make members differ, then let them vote."""

from featsieve.ensembles._adaboost import (
    AdaBoostEnsemble,
)
from featsieve.ensembles._arc_x4 import (
    ArcX4Ensemble,
)
from featsieve.ensembles._bagging import (
    BaggingEnsemble,
)
from featsieve.ensembles._class_aggregates import (
    OneVersusAllAggregate,
    PositiveVersusNegativeAggregate,
)
from featsieve.ensembles._divboost import (
    DivBoostEnsemble,
)
from featsieve.ensembles._outliers import (
    find_outliers,
)
from featsieve.ensembles._random_forest import (
    RandomForestEnsemble,
)
from featsieve.ensembles._random_forest_regression import (
    RandomForestRegressionEnsemble,
)
from featsieve.ensembles._random_subspace import (
    RandomSubspaceEnsemble,
)
from featsieve.ensembles._rotation import (
    PCARotationEnsemble,
    RandomRotationEnsemble,
)
from featsieve.ensembles._subset import (
    SubsetEnsemble,
)

__all__ = [
    "AdaBoostEnsemble",
    "ArcX4Ensemble",
    "BaggingEnsemble",
    "DivBoostEnsemble",
    "OneVersusAllAggregate",
    "PCARotationEnsemble",
    "PositiveVersusNegativeAggregate",
    "RandomForestEnsemble",
    "RandomForestRegressionEnsemble",
    "RandomRotationEnsemble",
    "RandomSubspaceEnsemble",
    "SubsetEnsemble",
    "find_outliers",
]
