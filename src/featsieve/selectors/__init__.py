"""Estimators that choose features: one file each, on one base class."""

from featsieve.selectors._association import AssociationFilter
from featsieve.selectors._bifs import BIFSFilter
from featsieve.selectors._cfs import CFSFilter
from featsieve.selectors._cumulative_gain import CumulativeGainFilter
from featsieve.selectors._decision_rules import DecisionRuleFilter
from featsieve.selectors._differential_prioritization import (
    DifferentialPrioritizationFilter,
)
from featsieve.selectors._fcbf import FCBFFilter
from featsieve.selectors._feature_boosting_selector import FeatureBoostingSelector
from featsieve.selectors._forest_selector import ForestSelector
from featsieve.selectors._forward import ForwardSelector
from featsieve.selectors._mdl_tree import MDLTreeSelector
from featsieve.selectors._measure import MeasureFilter
from featsieve.selectors._mrmr import MRMRFilter
from featsieve.selectors._relief import MultiSURFFilter, ReliefFFilter
from featsieve.selectors.interactions._groups import Interaction
from featsieve.selectors.interactions._stream_pairs import (
    StreamInteractions,
    stream_interactions,
)

__all__ = [
    "AssociationFilter",
    "BIFSFilter",
    "CFSFilter",
    "CumulativeGainFilter",
    "DecisionRuleFilter",
    "DifferentialPrioritizationFilter",
    "FCBFFilter",
    "FeatureBoostingSelector",
    "ForestSelector",
    "ForwardSelector",
    "Interaction",
    "MDLTreeSelector",
    "MRMRFilter",
    "MeasureFilter",
    "MultiSURFFilter",
    "ReliefFFilter",
    "StreamInteractions",
    "stream_interactions",
]
