"""Arrays in, numbers out: how much columns tell about a class."""

from featsieve.measures._contingency import contingency_table, joint_codes
from featsieve.measures._entropy import (
    conditional_entropy,
    conditional_mutual_information,
    entropy,
    gain_ratio,
    information_gain,
    interaction_information,
    joint_entropy,
    joint_information_gain,
    split_information,
    symmetrical_uncertainty,
)

__all__ = [
    "conditional_entropy",
    "conditional_mutual_information",
    "contingency_table",
    "entropy",
    "gain_ratio",
    "information_gain",
    "interaction_information",
    "joint_codes",
    "joint_entropy",
    "joint_information_gain",
    "split_information",
    "symmetrical_uncertainty",
]
