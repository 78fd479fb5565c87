"""Honest numbers about any estimator, and whether a difference is more than luck."""

from featsieve.evaluation._cross_validation import (
    BootstrapError,
    bootstrap_632,
    equal_class_samples,
    forward_folds,
    repeated_cross_validation,
    repeated_folds,
)
from featsieve.evaluation._paired_tests import (
    Verdict,
    corrected_resampled_t_test,
    holm_adjusted,
    independent_t_test,
    mcnemar_test,
    paired_t_test,
    wilcoxon_test,
)
from featsieve.evaluation._rank_tests import (
    RankVerdict,
    critical_difference,
    friedman_test,
    nemenyi_p_values,
    not_different_groups,
)
from featsieve.evaluation._rates import (
    Gain,
    Rate,
    accuracy,
    class_rates,
    roc_area,
    roc_points,
    score_gain,
    score_ratio,
)
from featsieve.evaluation._stability import (
    Stability,
    selection_stability,
    stability_difference,
)

__all__ = [
    "BootstrapError",
    "Gain",
    "RankVerdict",
    "Rate",
    "Stability",
    "Verdict",
    "accuracy",
    "bootstrap_632",
    "class_rates",
    "corrected_resampled_t_test",
    "critical_difference",
    "equal_class_samples",
    "forward_folds",
    "friedman_test",
    "holm_adjusted",
    "independent_t_test",
    "mcnemar_test",
    "nemenyi_p_values",
    "not_different_groups",
    "paired_t_test",
    "repeated_cross_validation",
    "repeated_folds",
    "roc_area",
    "roc_points",
    "score_gain",
    "score_ratio",
    "selection_stability",
    "stability_difference",
    "wilcoxon_test",
]
