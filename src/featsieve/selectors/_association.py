"""Keep features whose association with the class, over many samples, is no accident."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from featsieve._types import Positions
from featsieve.data import Table
from featsieve.data.api import Training
from featsieve.engine import derive_seed, root_seed
from featsieve.exceptions import DataError
from featsieve.inference.api import (
    PROBE_KINDS,
    Measuring,
    Thresholds,
    asymptotic_p_values,
    benjamini_hochberg,
    exchange_of,
    fisher_z,
    n_known,
    permutation_p_values,
)
from featsieve.measures.api import UNWEIGHTED, own_name
from featsieve.selectors._base import RowOptionsSelector
from featsieve.selectors.associations._association_parameters import (
    POOLED,
    check_association_parameters,
)
from featsieve.selectors.associations._association_samples import (
    Decision,
    Fakes,
    SampledTable,
    SampleMeans,
    SamplePlan,
    decide_by_probes,
    decide_by_test,
    plan_samples,
    race,
)
from featsieve.selectors.associations._local_association import (
    find_rescued,
    local_record,
    tell_place,
)
from featsieve.tallies import Tally

#: Of a race, when rows allow no more.
FEWEST_BUDGET = 12

#: Where rows belong together and no law is known.
LEAST_PERMUTATIONS = 1000


@dataclass(eq=False, repr=False)
class AssociationFilter(RowOptionsSelector):
    """Keep the features whose association with the class holds over many samples.

    A correlation measured once is one draw of a random variable. Here every feature is
    measured on several samples of rows without replacement, disjoint while rows last,
    and kept if its mean and confidence interval pass a rule: they beat those of fake
    columns (probes), or the mean lies above what matters in practice (Student's t). Two
    rules look at all sampled rows at once instead: Fisher's z of the association
    against what matters, and tests of independence at a false discovery rate.

    A numeric feature is compared with each class versus the rest, absolute values
    weighted by the shares of the classes; a nominal one by symmetrical uncertainty. A
    numeric target is compared directly.

    Parameters
    ----------
    association : str or callable, default="auto"
        What numeric features are compared by: ``"kendall"`` (tau-b), ``"gamma"``,
        ``"spearman"``, ``"pearson"``, ``"winsorised_pearson"`` or
        ``"symmetrical_uncertainty"`` of five levels of equal frequency. ``"auto"`` is
        tau-b, or Pearson's with `sample_weight`, for which tau-b has no form. Or a
        function of a `featsieve.tallies.Tally`, as in `MeasureFilter`, for features of
        both kinds, with ``rule="probe"``; numeric ones are cut into five levels.
    n_subsamples : int or "race", default=10
        Samples; ``"race"`` keeps sampling until every feature is decided or
        `max_subsamples` or the rows are used up.
    sample_size : int, default=1000
        Rows in a sample; at most half the table, so that samples can differ.
    rule : {"probe", "t_test", "z_test", "fdr"}, default="probe"
        ``"probe"``: both ends of the interval lie above those of every probe of the
        same kind. ``"t_test"``: the mean exceeds `practical`, one-sided, at level
        `alpha`. ``"z_test"``: the same by Fisher's z, the samples taken as one.
        ``"fdr"``: not independent of the target, the samples taken as one, at false
        discovery rate `fdr` (Benjamini and Hochberg).
    probes : sequence of {"gaussian", "uniform", "binary"}, default=all three
        Laws of the fake columns that numbers without ties (gaussian, uniform) and those
        of two frequent values (binary) are held against; they have about as many
        missing values as the feature. Features of any other shape, nominal ones among
        them, are held against copies of themselves in another order of rows.
    n_probes : int, default=10
        Probes of each law, or copies. A feature that knows nothing beats all ``m`` that
        it is held against with a probability of at most ``1 / (m + 1)``.
    practical : float, default=0.1
        The association that matters: the threshold of both tests.
    alpha : float, default=0.01
        Level of the tests, of the looks of a race, and of what is found in clusters.
    fdr : float, default=0.01
        False discovery rate of ``rule="fdr"``: at most this share of the kept features
        is expected to be noise.
    confidence : float, default=0.95
        Of the intervals.
    correct_chance : bool, default=True
        Take from symmetrical uncertainty its mean over all permutations of the target,
        which is high where levels have few rows; raise the threshold of the tests by
        what absolute values gain on few rows. False is what the published tables do.
    correct_overlap : bool, default=True
        Widen intervals where samples share rows, which makes their means look surer
        than they are. False is what the published tables do.
    n_clusters : int or None, default=None
        Also look for features that are predictive only in some of so many clusters of
        rows, or only for one class, and keep those with an effect of at least
        `practical` at level `alpha`, adjusted for all comparisons. What is found
        in a cluster must be found again in clusters made without the feature and
        without those strongly associated with it.
    min_untied : int, default=1
        With fewer untied pairs of rows gamma counts as 0.
    missing : {"ignore", "level"}, default="ignore"
        Leave out rows whose value is missing, feature by feature; or, in nominal
        features, take missing as one more level.
    n_permutations : int or None, default=None
        For ``rule="fdr"``: permutations of the target; None uses the known laws of
        Kruskal and Wallis' test, analysis of variance and, for levels, χ² and the
        G-test, whichever is more cautious. These take levels of fewer than 5 rows
        together. One feature of p passes only with p / `fdr` permutations.
    max_subsamples : int, default=100
        Bound of a race.
    target_bins : int or None, default=None
        Cut a numeric target into so many classes; None compares with it directly.
    random_state : int, RandomState or None, default=0
        Seed of samples, probes, permutations and clusters.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Mean association over the samples. With `correct_chance` symmetrical
        uncertainty may be a little below 0.
    interval_ : ndarray of shape (n_features, 2)
        Its confidence interval.
    presence_ : ndarray of shape (n_features,)
        Share of samples in which the feature takes more than one value. A feature
        counts 0 where it does not.
    class_presence_ : ndarray of shape (n_classes,)
        Share of samples in which the class occurs; empty for a numeric target.
    probes_ : list of dict
        Kind, feature that it is a copy of, share missing, mean and interval of every
        probe, and how many features beat it; only of ``rule="probe"``.
    p_values_, q_values_ : ndarray of shape (n_features,)
        Of the tests; q-values only of ``rule="fdr"``.
    n_subsamples_ : ndarray of int of shape (n_features,)
        Samples each feature was measured on.
    n_rows_ : int
        Different rows that were looked at.
    sample_size_ : int
        Rows in a sample.
    decided_ : ndarray of bool of shape (n_features,)
        Whether a race settled the feature before rows were used up; all True else.
    local_ : list of dict
        Features kept for what they tell in a cluster or about one class; only with
        `n_clusters`.
    steps_ : list of dict
        Features from best to worst with mean, interval, decision and its reason.

    See Also
    --------
    featsieve.measures.class_association : The measure itself.

    Notes
    -----
    Cost: a sort of each feature in each sample, whatever the size of the table; the
    probe rule also sorts `n_probes` copies of features that follow no law.

    A feature that knows nothing is kept by both tests with a probability of at most
    `alpha`, by the probe rule of ``1 / (m + 1)``; of what ``"fdr"`` keeps such ones
    make up at most `fdr` on average. The guide has measured rates. A
    feature whose association is exactly `practical` passes as seldom if it lies equally
    in all classes; if in one of many, absolute values of the others add luck.

    `sample_weight` needs Pearson's correlation or symmetrical uncertainty, and with
    ``rule="fdr"`` also `n_permutations`.

    References
    ----------
    M. Hollander, D. A. Wolfe, "Nonparametric Statistical Methods", 1999, for tau and
    gamma. Y. Benjamini, Y. Hochberg, "Controlling the false discovery rate", JRSS B 57,
    1995. C. Nadeau, Y. Bengio, "Inference for the generalization error", Machine
    Learning 52, 2003, for means over samples that overlap.

    Examples
    --------
    >>> import numpy as np
    >>> from featsieve.selectors import AssociationFilter
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(5000, 4))
    >>> y = (X[:, 1] + rng.normal(size=5000) > 0).astype(int)
    >>> selector = AssociationFilter(sample_size=500, rule="t_test").fit(X, y)
    >>> selector.support_.tolist()
    [False, True, False, False]
    >>> selector.n_rows_
    5000
    """

    _takes_quantities = True
    _collapses = True

    association: str | Callable[[Tally], float] = "auto"
    _: KW_ONLY
    n_subsamples: int | str = 10
    sample_size: int = 1000
    rule: str = "probe"
    probes: Any = PROBE_KINDS
    n_probes: int = 10
    practical: float = 0.1
    alpha: float = 0.01
    fdr: float = 0.01
    confidence: float = 0.95
    correct_chance: bool = True
    correct_overlap: bool = True
    n_clusters: int | None = None
    min_untied: int = 1
    missing: str = "ignore"
    n_permutations: int | None = None
    max_subsamples: int = 100
    target_bins: int | None = None
    n_jobs: int | None = None
    random_state: Any = 0

    def _check_parameters(self) -> None:
        check_association_parameters(self)

    def _check_weights(self) -> None:
        if self.association in UNWEIGHTED:
            message = (
                f"association={self.association!r} has no weighted form. Fit without "
                "sample_weight, or use association='pearson', 'winsorised_pearson' or "
                "'symmetrical_uncertainty'."
            )
            raise ValueError(message)
        if self.rule == "fdr" and self.n_permutations is None:
            message = (
                "rule='fdr' has no asymptotic law with sample_weight. Set "
                "n_permutations, for example to 1000."
            )
            raise ValueError(message)

    def _check_design(self) -> None:
        """Raise if a rule is asked that has no form for rows that belong together."""
        idle = self.rule if self.rule in ("t_test", "z_test") else None
        told = f"rule={idle!r}" if idle else f"n_clusters={self.n_clusters!r}"
        if idle is None and self.n_clusters is None:
            return
        message = (
            f"{told} of AssociationFilter takes rows for independent, and groups "
            "within which the target varies, or strata, say that they are not. Use "
            "rule='fdr' or 'probe', and no clusters."
        )
        raise DataError(message)

    def _fit(self, training: Training) -> None:
        if training.weights is not None:
            self._check_weights()
        if not training.design.is_free:
            self._check_design()
        seed = root_seed(self.random_state)
        name = own_name(self.association, weighted=training.weights is not None)
        measuring = Measuring(
            name, self.missing, self.min_untied, 5, bool(self.correct_chance)
        )
        if self.rule in POOLED:
            decision = self._decide_pooled(training, measuring, seed)
        else:
            decision = self._decide_by_samples(training, measuring, seed)
        self.support_ = decision.kept
        reasons = decision.reasons
        if self.n_clusters is not None:
            reasons = self._rescue(training, reasons, seed)
        self.steps_ = self._tell(training.table.names, reasons)

    def _decide_by_samples(
        self, training: Training, measuring: Measuring, seed: int
    ) -> Decision:
        """Measure features, and probes if the rule needs them, sample by sample."""
        table = training.table
        racing = self.n_subsamples == "race"
        n_subsamples = self._budget(table.n_rows) if racing else int(self.n_subsamples)
        plan = self._plan(table.n_rows, n_subsamples, seed)
        fakes = None
        if self.rule == "probe":
            kinds = tuple(dict.fromkeys(self.probes))
            fakes = Fakes.draw(
                *(table, plan, measuring.association, kinds, self.n_probes, seed),
                exchange_of(training.design),
            )
        codes, weights = training.target.values, training.weights
        sampled = SampledTable(
            *(table, codes, weights, plan, measuring, fakes),
            correct_overlap=self.correct_overlap,
        )
        rows = plan.rows_of(n_subsamples)
        raised = self._thresholds(training, measuring, rows, plan.size).raised
        settled = np.ones(table.n_columns, dtype=np.int64)
        if racing:
            settled = race(
                sampled,
                thresholds=raised,
                significance=self.alpha,
                n_jobs=self.n_jobs,
            )
        else:
            sampled.measure(range(n_subsamples), self.n_jobs)
        means = sampled.means()
        self._describe(sampled, means)
        if self.rule == "t_test":
            self.p_values_ = means.p_values(raised)
            # Of a race the looks on the way have spent half of the level.
            level = self.alpha / 2 if racing else self.alpha
            decision = decide_by_test(self.p_values_, raised, level, "mean")
        else:
            decision, self.probes_ = decide_by_probes(
                sampled, self.interval_, self.confidence
            )
        self.decided_ = settled != 0
        if racing:  # what was settled on the way stays settled
            against = "every probe" if self.rule == "probe" else "practical"
            decision.kept[self.decided_] = settled[self.decided_] > 0
            for j in np.flatnonzero(self.decided_).tolist():
                side = "above" if settled[j] > 0 else "not above"
                n = int(self.n_subsamples_[j])
                decision.reasons[j] = f"settled after {n} samples: {side} {against}"
        return decision

    def _thresholds(
        self,
        training: Training,
        measuring: Measuring,
        rows: Positions,
        size: int,
    ) -> Thresholds:
        """Return what each feature's mean over samples of a size must exceed."""
        weights = None if training.weights is None else training.weights[rows]
        part, target = training.table.take(rows), training.target.values[rows]
        if not self.correct_chance:
            return Thresholds.plain(self.practical, part.n_columns)
        return Thresholds.of(
            part, target, weights, measuring, practical=self.practical, size=size
        )

    def _plan(self, n_rows: int, n_subsamples: int, seed: int) -> SamplePlan:
        return plan_samples(n_rows, n_subsamples, self.sample_size, seed)

    def _budget(self, n_rows: int) -> int:
        fitting = n_rows // self.sample_size
        return min(self.max_subsamples, max(fitting, FEWEST_BUDGET))

    def _describe(self, sampled: SampledTable, means: SampleMeans) -> None:
        self.scores_ = means.mean
        self.interval_ = means.interval(self.confidence)
        self.presence_ = sampled.presence()
        self.class_presence_ = sampled.class_presence(len(self.classes_))
        self.n_subsamples_ = sampled.n_subsamples
        most = int(sampled.n_subsamples.max(initial=1))
        self.n_rows_ = len(sampled.plan.rows_of(most))
        self.sample_size_ = sampled.plan.size

    def _decide_pooled(
        self, training: Training, measuring: Measuring, seed: int
    ) -> Decision:
        """Take all samples as one."""
        size = min(training.table.n_rows, int(self.n_subsamples) * self.sample_size)
        plan = plan_samples(training.table.n_rows, 1, size, seed)
        codes, weights = training.target.values, training.weights
        sampled = SampledTable(training.table, codes, weights, plan, measuring)
        sampled.measure(range(1), self.n_jobs)
        self._describe(sampled, sampled.means())
        self.decided_ = np.ones(training.table.n_columns, dtype=bool)
        rows = plan.rows(0)
        some = None if weights is None else weights[rows]
        part, target = training.table.take(rows), codes[rows]
        thresholds = self._thresholds(training, measuring, rows, len(rows))
        p_values, self.interval_ = fisher_z(
            self.scores_,
            [n_known(column, some, self.missing) for column in part],
            thresholds.raised,
            self.confidence,
            thresholds.deviation,
        )
        if self.rule == "z_test":
            self.p_values_ = p_values
            raised = thresholds.raised
            return decide_by_test(p_values, raised, self.alpha, "z")
        exchange = exchange_of(training.design).take(rows)
        if self.n_permutations is None and exchange.is_free:
            self.p_values_ = asymptotic_p_values(part, target, measuring)
        else:
            self.p_values_ = permutation_p_values(
                part,
                target,
                self.scores_,
                measuring,
                weights=some,
                n_permutations=self.n_permutations or self._enough(part),
                seed=seed,
                n_jobs=self.n_jobs,
                exchange=exchange,
            )
        self.q_values_ = benjamini_hochberg(self.p_values_)
        return decide_by_test(self.q_values_, None, self.fdr, "q")

    def _enough(self, part: Table) -> int:
        """Return the permutations by which one feature can be found among all."""
        return max(LEAST_PERMUTATIONS, math.ceil(part.n_columns / self.fdr))

    def _rescue(self, training: Training, reasons: list[str], seed: int) -> list[str]:
        """Keep features that are predictive only locally, and say where."""
        assert self.n_clusters is not None  # the caller asks only then
        table, codes = training.table, training.target.values
        most = self.sample_size * (
            self.max_subsamples
            if self.n_subsamples == "race"
            else int(self.n_subsamples)
        )
        plan = plan_samples(table.n_rows, 1, min(table.n_rows, most), seed)
        rows = np.sort(plan.rows(0))
        part = table.take(rows)
        self.local_ = []
        told = list(reasons)
        rescued = find_rescued(
            part,
            codes[rows],
            ~self.support_,
            n_clusters=self.n_clusters,
            seed=derive_seed(seed, "clusters"),
            practical=self.practical,
            significance=self.alpha,
            n_jobs=self.n_jobs,
        )
        for finding, labels in rescued:
            self.support_[finding.feature] = True
            record = local_record(finding, table.names, self.classes_, labels)
            self.local_.append(record)
            told[finding.feature] = f"rescued: {tell_place(record)}"
        return told

    def _tell(self, names: tuple[str, ...], reasons: list[str]) -> list[dict[str, Any]]:
        tested = {
            name[:-2]: getattr(self, name)
            for name in ("p_values_", "q_values_")
            if hasattr(self, name)
        }
        return self._ranked_steps(
            names,
            lower=self.interval_[:, 0],
            upper=self.interval_[:, 1],
            presence=self.presence_,
            reason=reasons,
            **tested,
        )
