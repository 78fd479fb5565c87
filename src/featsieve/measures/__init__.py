"""Arrays in, numbers out: how much columns tell about a class."""

from featsieve.measures._contingency import contingency_table, joint_codes
from featsieve.measures._entropy import (
    conditional_entropy,
    conditional_mutual_information,
    entropy,
    joint_entropy,
)
from featsieve.measures._gain import (
    gain_ratio,
    information_gain,
    interaction_information,
    joint_information_gain,
    split_information,
    symmetrical_uncertainty,
)
from featsieve.measures._pairs import PairGains, pairwise_gain, pairwise_gain_blocks
from featsieve.measures._triples import TripleGains, triple_gain, triple_gain_blocks
from featsieve.measures._tuples import gains_of_tuples

__all__ = [
    "PairGains",
    "TripleGains",
    "conditional_entropy",
    "conditional_mutual_information",
    "contingency_table",
    "entropy",
    "gain_ratio",
    "gains_of_tuples",
    "information_gain",
    "interaction_information",
    "joint_codes",
    "joint_entropy",
    "joint_information_gain",
    "pairwise_gain",
    "pairwise_gain_blocks",
    "split_information",
    "symmetrical_uncertainty",
    "triple_gain",
    "triple_gain_blocks",
]
