"""Rank features one by one by what they tell about the class."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from featsieve._checks import check_choice, check_integer, check_real, check_unused
from featsieve.data import TableStream
from featsieve.data.api import Training, read_small_numbers, read_target
from featsieve.engine import root_seed
from featsieve.inference.api import (
    FREE,
    Exchange,
    Scoring,
    TalliedFeatures,
    code_columns,
    exchange_of,
    permutation_test,
    tally_rows,
    tally_small_numbers,
    tally_stream,
)
from featsieve.measures.api import check_measure
from featsieve.selectors._base import RowOptionsSelector, best_features, count_wanted
from featsieve.tallies import Tally


@dataclass(eq=False, repr=False)
class MeasureFilter(RowOptionsSelector):
    """Keep the features that tell most about the class, each taken alone.

    Every feature is scored by its information gain H(y) − H(y | x) in bits, or by a
    relative of it; numeric features are cut into levels first. With `fdr`, scores
    are tested against permutations of the class, numeric features being cut anew in
    every permutation, and the share of false discoveries is held at `fdr` by
    Benjamini and Hochberg's procedure.

    Parameters
    ----------
    measure : str or callable, default="information_gain"
        ``"information_gain"``; ``"gain_ratio"``, gain divided by the feature's own
        entropy; ``"symmetrical_uncertainty"``, twice the gain divided by the sum of
        both entropies; ``"gini_gain"``, the drop in Gini's impurity. Ratio and
        uncertainty are fairer to features of few levels. Or a function that takes a
        `featsieve.tallies.Tally`, none of whose values is missing any more, and
        returns a number, the greater the better.
    n_features_to_select : int, float or None, default=None
        Keep at most so many features, or this share of them.
    threshold : float or None, default=None
        Keep features with a score above this. Without any criterion (number, threshold,
        `fdr`) features with a score above 0 are kept.
    fdr : float or None, default=None
        Keep features that stand out from chance, at this false discovery rate.
    missing : {"level", "ignore", "spread"}, default="level"
        What becomes of missing values: one more level; rows left out, feature by
        feature; or shared out over the levels, as Weka does.
    discretizer : discretizer or None, default=None
        How numeric features are cut: None is ``MDLDiscretizer()``; also
        `EqualFrequencyDiscretizer` and `EqualWidthDiscretizer`. Cuts are learnt from
        the rows given to `fit`.
    max_permutations : int or None, default=None
        Bound on the permutations of one feature; None is enough for a single feature
        to be found among all others.
    random_state : int, RandomState or None, default=0
        Seed of the permutations.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The measure of every feature.
    p_values_, q_values_ : ndarray of shape (n_features,)
        Permutation p-value, and the same adjusted for the number of features; only
        with `fdr`.
    n_permutations_ : ndarray of int of shape (n_features,)
        Permutations that were needed; only with `fdr`.
    steps_ : list of dict
        Features from best to worst with score, p-values and whether kept.
    discretizer_ : discretizer
        The fitted discretizer, with `cut_points_`.

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
    >>> from featsieve.selectors import MeasureFilter
    >>> table, truth = make_corral()
    >>> selector = MeasureFilter(n_features_to_select=1).fit(table, None)
    >>> selector.get_feature_names_out().tolist()
    ['Correlated']
    >>> selector.scores_.round(6).tolist()
    [0.105843, 0.105843, 0.105843, 0.105843, 0.0, 0.181219]

    By a measure of one's own, a function of rows per level and class:

    >>> def hits(tally):
    ...     return tally.counts.max(axis=1).sum() / tally.total
    >>> MeasureFilter(hits).fit(table, None).scores_.round(4).tolist()
    [0.6875, 0.6875, 0.6875, 0.6875, 0.5625, 0.75]
    """

    measure: str | Callable[[Tally], float] = "information_gain"
    _: KW_ONLY
    n_features_to_select: int | float | None = None
    threshold: float | None = None
    fdr: float | None = None
    missing: str = "level"
    discretizer: Any = None
    target_bins: int | None = None
    max_permutations: int | None = None
    n_jobs: int | None = None
    random_state: Any = 0

    def _check_parameters(self) -> None:
        check_measure(self.measure, self)
        check_choice("missing", self.missing, ("level", "ignore", "spread"), self)
        if self.threshold is not None:
            check_real("threshold", self.threshold, self)
        if self.fdr is not None:
            check_real("fdr", self.fdr, self, above=0, below=1)
        if self.max_permutations is not None:
            check_integer("max_permutations", self.max_permutations, self, at_least=1)
        if self.fdr is None:
            way_out = "set fdr, for example to 0.05"
            check_unused(["max_permutations"], self, "fdr=None", way_out)

    def _fit(self, training: Training) -> None:
        columns, self.discretizer_, _ = code_columns(training, self.discretizer)
        exchange = exchange_of(training.design)
        self._choose(tally_rows(columns, training.table.names), exchange)

    def _tests(self) -> bool:
        return self.fdr is not None

    def _fit_small(self, X: Any, y: Any) -> bool:
        nominal = isinstance(self.nominal, str) and self.nominal == "all"
        if self.numeric is not None or not (nominal or self.nominal is None):
            return False
        if self._rows.given or (self._rows.is_auto and self._tests()):
            return False
        small = read_small_numbers(self, X)
        if small is None:
            return False
        names, numbers = small
        target = read_target(self, y, len(numbers), n_bins=self.target_bins)
        if target.rows is not None:  # some are to be left out, with a warning
            return False
        self.classes_ = np.fromiter(target.classes, object, len(target.classes))
        features, self.discretizer_ = tally_small_numbers(
            numbers, names, target, self.discretizer, nominal=nominal
        )
        self._choose(features)
        return True

    def _fit_stream(self, stream: TableStream) -> None:
        features, self.discretizer_, counted = tally_stream(
            stream,
            self.discretizer,
            target_bins=self.target_bins,
            n_jobs=self.n_jobs,
        )
        self.classes_ = np.fromiter(counted.classes, object, len(counted.classes))
        self._choose(features)

    def _choose(self, features: TalliedFeatures, exchange: Exchange = FREE) -> None:
        """Score the features and keep those that fulfil all criteria."""
        names = features.names
        assert names is not None  # both producers know them
        price = getattr(self.discretizer_, "price", None)
        scoring = Scoring(self.measure, self.missing, price)
        self.scores_ = scoring.scores(features.tallies, names)
        most = count_wanted(self.n_features_to_select, len(names), self)
        keep = best_features(self.scores_, most)
        if self.threshold is not None:
            keep &= self.scores_ > self.threshold
        elif most is None and self.fdr is None:
            keep &= self.scores_ > 0
        tested = {}
        if self.fdr is not None:
            test = permutation_test(
                features,
                self.scores_,
                scoring,
                alpha=self.fdr,
                seed=root_seed(self.random_state),
                n_jobs=self.n_jobs,
                max_draws=self.max_permutations,
                exchange=exchange,
            )
            self.p_values_, self.q_values_ = test.p_values, test.q_values
            self.n_permutations_ = test.draws
            keep &= test.q_values <= self.fdr
            tested = {"p_value": test.p_values, "q_value": test.q_values}
        self.support_ = keep
        self.steps_ = self._ranked_steps(names, **tested)
