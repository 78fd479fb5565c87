"""Arrays in, numbers out: how much columns tell about a class."""

from featsieve.measures._boosting import (
    BoostingRounds,
    boosting_rounds,
    boosting_z,
    least_boosting_z,
)
from featsieve.measures._class_association import (
    Concordance,
    class_association,
    concordance,
    goodman_kruskal_gamma,
    kendall_tau,
    target_association,
)
from featsieve.measures._codes import contingency_table, joint_codes
from featsieve.measures._correlation import (
    pearson_correlation,
    spearman_correlation,
    winsorise,
)
from featsieve.measures._entropy import (
    conditional_entropy,
    conditional_mutual_information,
    entropy,
    joint_entropy,
    node_complexity,
)
from featsieve.measures._pair_gains import (
    PairGains,
    pairwise_gain,
    pairwise_gain_blocks,
    pairwise_uncertainty,
)
from featsieve.measures._pairwise_association import (
    PairAssociations,
    pairwise_association,
)
from featsieve.measures._scores import (
    gain_ratio,
    gini_gain,
    information_gain,
    interaction_information,
    joint_information_gain,
    split_information,
    symmetrical_uncertainty,
)
from featsieve.measures._triples import (
    TripleGains,
    gains_of_tuples,
    triple_gain,
    triple_gain_blocks,
)

__all__ = [
    "BoostingRounds",
    "Concordance",
    "PairAssociations",
    "PairGains",
    "TripleGains",
    "boosting_rounds",
    "boosting_z",
    "class_association",
    "concordance",
    "conditional_entropy",
    "conditional_mutual_information",
    "contingency_table",
    "entropy",
    "gain_ratio",
    "gains_of_tuples",
    "gini_gain",
    "goodman_kruskal_gamma",
    "information_gain",
    "interaction_information",
    "joint_codes",
    "joint_entropy",
    "joint_information_gain",
    "kendall_tau",
    "least_boosting_z",
    "node_complexity",
    "pairwise_association",
    "pairwise_gain",
    "pairwise_gain_blocks",
    "pairwise_uncertainty",
    "pearson_correlation",
    "spearman_correlation",
    "split_information",
    "symmetrical_uncertainty",
    "target_association",
    "triple_gain",
    "triple_gain_blocks",
    "winsorise",
]
