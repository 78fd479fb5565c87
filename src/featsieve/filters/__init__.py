"""Score and keep features without training a model."""

from featsieve.filters._association import AssociationFilter
from featsieve.filters._bifs import BIFSFilter
from featsieve.filters._cfs import CFSFilter
from featsieve.filters._cumulative_gain import CumulativeGainFilter
from featsieve.filters._decision_rules import DecisionRuleFilter
from featsieve.filters._differential_prioritization import (
    DifferentialPrioritizationFilter,
)
from featsieve.filters._fcbf import FCBFFilter
from featsieve.filters._information_gain import InformationGainFilter
from featsieve.filters._interaction import Interaction
from featsieve.filters._mrmr import MRMRFilter
from featsieve.filters._multisurf import MultiSURFFilter
from featsieve.filters._relieff import ReliefFFilter
from featsieve.filters._stream_pairs import StreamInteractions, stream_interactions

__all__ = [
    "AssociationFilter",
    "BIFSFilter",
    "CFSFilter",
    "CumulativeGainFilter",
    "DecisionRuleFilter",
    "DifferentialPrioritizationFilter",
    "FCBFFilter",
    "InformationGainFilter",
    "Interaction",
    "MRMRFilter",
    "MultiSURFFilter",
    "ReliefFFilter",
    "StreamInteractions",
    "stream_interactions",
]
