"""Make members differ, then let them vote."""

from featsieve.ensembles._class_aggregates import (
    OneVersusAllAggregate,
    PositiveVersusNegativeAggregate,
)
from featsieve.ensembles._random_forest import RandomForestEnsemble
from featsieve.ensembles._random_forest_regression import (
    RandomForestRegressionEnsemble,
)

__all__ = [
    "OneVersusAllAggregate",
    "PositiveVersusNegativeAggregate",
    "RandomForestEnsemble",
    "RandomForestRegressionEnsemble",
]
