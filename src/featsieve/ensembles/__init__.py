"""Make members differ, then let them vote."""

from featsieve.ensembles._class_aggregates import (
    OneVersusAllAggregate,
    PositiveVersusNegativeAggregate,
)

__all__ = ["OneVersusAllAggregate", "PositiveVersusNegativeAggregate"]
