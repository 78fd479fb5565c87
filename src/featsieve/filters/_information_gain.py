"""Rank features one by one by what they tell about the class."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from featsieve._checks import check_choice, check_integer, check_real
from featsieve.data import TableStream
from featsieve.engine import root_seed
from featsieve.filters._base import BaseFilter, Training, best_features, count_wanted
from featsieve.filters._coding import check_discretizer, code_columns
from featsieve.filters._counted import count_features
from featsieve.filters._significance import (
    MEASURES,
    PermutationTest,
    Scoring,
    counted_test,
    permutation_test,
)

__all__ = ["InformationGainFilter"]

TEST_ATTRIBUTES = ("p_values_", "q_values_", "n_permutations_")


class InformationGainFilter(BaseFilter):
    """Keep the features that tell most about the class, each taken alone.

    Every feature is scored by its information gain H(y) − H(y | x) in bits, or by a
    relative of it; numeric features are cut into levels first. With `alpha`, scores
    are tested against permutations of the class, numeric features being cut anew in
    every permutation, and the share of false discoveries is held at `alpha` by
    Benjamini and Hochberg's procedure.

    Parameters
    ----------
    measure : str, default="information_gain"
        ``"information_gain"``; ``"gain_ratio"``, gain divided by the feature's own
        entropy; or ``"symmetrical_uncertainty"``, twice the gain divided by the sum of
        both entropies. The last two are fairer to features of few levels.
    n_features_to_select : int, float or None, default=None
        Keep at most so many features, or this share of them.
    threshold : float or None, default=None
        Keep features with a score above this. Without any criterion (number, threshold,
        `alpha`) features with a score above 0 are kept.
    alpha : float or None, default=None
        Keep features that stand out from chance, at this false discovery rate.
    missing : {"level", "ignore", "spread"}, default="level"
        What becomes of missing values: one more level; rows left out, feature by
        feature; or shared out over the levels, as Weka does.
    discretizer : discretizer or None, default=None
        How numeric features are cut: None is ``MDLDiscretizer()``; also
        `EqualFrequencyDiscretizer` and `EqualWidthDiscretizer`. Cuts are learnt from
        the rows given to `fit`.
    nominal, numeric : sequence of str or int, "all" or None, default=None
        Columns whose kind is not the one of their type.
    target_bins : int or None, default=None
        Cut a numeric target into so many classes of about equal size.
    max_permutations : int or None, default=None
        Bound on the permutations of one feature; None is enough for a single feature
        to be found among all others.
    n_jobs : int or None, default=None
        Threads for the permutation test; any number gives the same answer.
    random_state : int, RandomState or None, default=0
        Seed of the permutations.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The measure of every feature.
    ranking_ : ndarray of int of shape (n_features,)
        1 for the best feature; of equal ones the first is better.
    support_ : ndarray of bool of shape (n_features,)
        Which features are kept.
    p_values_, q_values_ : ndarray of shape (n_features,)
        Permutation p-value, and the same adjusted for the number of features; only
        with `alpha`.
    n_permutations_ : ndarray of int of shape (n_features,)
        Permutations that were needed; only with `alpha`.
    steps_ : list of dict
        Features from best to worst with score, p-values and whether kept.
    discretizer_ : discretizer
        The fitted discretizer, with `cut_points_`.
    classes_ : ndarray
        The classes.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of str
        Their names, when all are strings.

    See Also
    --------
    featsieve.measures.information_gain : The measure on integer codes.

    Notes
    -----
    Cost: one pass over the codes, plus a sort per numeric feature. A permutation of a
    nominal feature costs levels × classes, whatever the number of rows, because the
    permuted table is drawn directly; one of an MDL-cut feature costs a pass over its
    distinct values, and features without ties share it. Features without promise are
    given up after a few dozen permutations (Besag and Clifford). With `sample_weight`
    rows are permuted one by one, which is slower.

    References
    ----------
    J. R. Quinlan, "Induction of decision trees", Machine Learning 1, 1986. J. Besag,
    P. Clifford, "Sequential Monte Carlo p-values", Biometrika 78, 1991. Y. Benjamini,
    Y. Hochberg, "Controlling the false discovery rate", JRSS B 57, 1995.

    Examples
    --------
    >>> from featsieve.datasets import make_corral
    >>> from featsieve.filters import InformationGainFilter
    >>> table, truth = make_corral()
    >>> selector = InformationGainFilter(n_features_to_select=1).fit(table, None)
    >>> selector.get_feature_names_out().tolist()
    ['Correlated']
    >>> selector.scores_.round(6).tolist()
    [0.105843, 0.105843, 0.105843, 0.105843, 0.0, 0.181219]
    """

    def __init__(
        self,
        measure: str = "information_gain",
        *,
        n_features_to_select: int | float | None = None,
        threshold: float | None = None,
        alpha: float | None = None,
        missing: str = "level",
        discretizer: Any = None,
        nominal: Any = None,
        numeric: Any = None,
        target_bins: int | None = None,
        max_permutations: int | None = None,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.measure = measure
        self.n_features_to_select = n_features_to_select
        self.threshold = threshold
        self.alpha = alpha
        self.missing = missing
        self.discretizer = discretizer
        self.nominal = nominal
        self.numeric = numeric
        self.target_bins = target_bins
        self.max_permutations = max_permutations
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _check_parameters(self) -> None:
        check_choice("measure", self.measure, tuple(MEASURES), self)
        check_choice("missing", self.missing, ("level", "ignore", "spread"), self)
        if self.threshold is not None:
            check_real("threshold", self.threshold, self)
        if self.alpha is not None:
            check_real("alpha", self.alpha, self, above=0, below=1)
        if self.target_bins is not None:
            check_integer("target_bins", self.target_bins, self, at_least=2)
        if self.max_permutations is not None:
            check_integer("max_permutations", self.max_permutations, self, at_least=1)
        check_discretizer(self.discretizer, self)

    def _fit(self, training: Training) -> None:
        columns, self.discretizer_, price = code_columns(training, self.discretizer)
        scoring = Scoring(self.measure, self.missing, price)
        self.scores_ = scoring.scores(columns.codes, columns.classes, columns.weights)
        test = partial(permutation_test, columns)
        self._choose(training.table.names, scoring, test)

    def _fit_stream(self, stream: TableStream) -> None:
        features = count_features(
            stream,
            self.discretizer,
            target_bins=self.target_bins,
            n_jobs=self.n_jobs,
        )
        counted = features.counted
        self.discretizer_ = features.discretizer
        self.classes_ = np.fromiter(counted.classes, object, len(counted.classes))
        scoring = Scoring(self.measure, self.missing, features.price)
        self.scores_ = features.scores(self.measure, self.missing)
        test = partial(counted_test, features.laws(), counted.class_totals)
        self._choose(counted.names, scoring, test)

    def _choose(
        self,
        names: tuple[str, ...],
        scoring: Scoring,
        run_test: Callable[..., PermutationTest],
    ) -> None:
        """Keep the features that fulfil all criteria, testing them if asked."""
        most = count_wanted(self.n_features_to_select, len(names), self)
        keep = best_features(self.scores_, most)
        if self.threshold is not None:
            keep &= self.scores_ > self.threshold
        elif most is None and self.alpha is None:
            keep &= self.scores_ > 0
        for name in TEST_ATTRIBUTES:  # an earlier fit may have left them
            if hasattr(self, name):
                delattr(self, name)
        if self.alpha is not None:
            test = run_test(
                self.scores_,
                scoring,
                alpha=self.alpha,
                seed=root_seed(self.random_state),
                n_jobs=self.n_jobs,
                max_draws=self.max_permutations,
            )
            self.p_values_, self.q_values_ = test.p_values, test.q_values
            self.n_permutations_ = test.draws
            keep &= test.q_values <= self.alpha
        self.support_ = keep
        self.steps_ = self._tell(names)

    def _tell(self, names: tuple[str, ...]) -> list[dict[str, Any]]:
        order = np.argsort(-self.scores_, kind="stable")
        steps = []
        for rank, j in enumerate(order.tolist(), start=1):
            step = {
                "feature": names[j],
                "rank": rank,
                "score": float(self.scores_[j]),
                "kept": bool(self.support_[j]),
            }
            if self.alpha is not None:
                step["p_value"] = float(self.p_values_[j])
                step["q_value"] = float(self.q_values_[j])
            steps.append(step)
        return steps
