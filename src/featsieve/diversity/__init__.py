"""How differently the members of an ensemble decide."""

from featsieve.diversity._diversity_report import DiversityReport, diversity_report
from featsieve.diversity._margins import (
    breiman_bound,
    margins,
    raw_margin_correlation,
    raw_margins,
    strength,
)
from featsieve.diversity._pairs import (
    agreement,
    disagreement,
    double_fault,
    error_correlation,
    kappa,
    kappa_error,
    pairwise_diversity,
    q_statistic,
)
from featsieve.diversity._votes import (
    ambiguity,
    coincident_failure,
    coincident_failure_diversity,
    correctness_entropy,
    kohavi_wolpert_variance,
    member_ambiguity,
    sharkey_type,
    vote_entropy,
)

__all__ = [
    "DiversityReport",
    "agreement",
    "ambiguity",
    "breiman_bound",
    "coincident_failure",
    "coincident_failure_diversity",
    "correctness_entropy",
    "disagreement",
    "diversity_report",
    "double_fault",
    "error_correlation",
    "kappa",
    "kappa_error",
    "kohavi_wolpert_variance",
    "margins",
    "member_ambiguity",
    "pairwise_diversity",
    "q_statistic",
    "raw_margin_correlation",
    "raw_margins",
    "sharkey_type",
    "strength",
    "vote_entropy",
]
