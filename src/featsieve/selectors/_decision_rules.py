"""Subset search by definitions of relevant and redundant instead of a merit.

P. E. N. Lutu and A. P. Engelbrecht's method; tables 5.9 and 5.10, figures 5.3 and 5.4
of the first author's thesis.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from featsieve._checks import check_choice, check_integer, check_real, check_unused
from featsieve._types import Floats, Ints, Mask, Positions
from featsieve.data import Table
from featsieve.data.api import Training
from featsieve.engine import derive_seed, root_seed
from featsieve.inference.api import check_probes, draw_values
from featsieve.measures.api import ASSOCIATIONS
from featsieve.selectors.associations._associations import (
    Associations,
    MeasuredAssociations,
    MeasuredFilter,
    SampledAssociations,
)

LEVEL_NAMES = ("insignificant", "low", "medium", "high")

#: Table 5.9: rows are the level of the association with the class, columns that of the
#: mean association with the chosen features.
CATEGORIES = np.array(
    [
        ["F", "F", "F", "F"],
        ["C", "C", "C", "F"],
        ["B", "B", "D", "E"],
        ["A", "A", "D", "E"],
    ]
)

MEANING = {
    "A": "strongly relevant",
    "B": "relevant",
    "C": "weakly relevant",
    "D": "weakly redundant",
    "E": "redundant",
    "F": "irrelevant",
}

#: In this order of preference; E and F are never chosen.
PREFERRED = "ABCD"

#: Associations that differ by less are equal.
TIE = 1e-12


class Verdict(NamedTuple):
    """What the search thought of a feature when it chose it, or at the end."""

    feature: int
    category: str
    with_class: float
    with_chosen: float


def choose_by_rules(
    associations: Associations,
    levels: Sequence[float] = (0.1, 0.3, 0.5),
    *,
    markers: Collection[int] = (),
    alike: Ints | None = None,
) -> tuple[list[Verdict], list[Verdict], int | None]:
    """Choose from the best category until only redundant and irrelevant ones are left.

    Returns verdicts on the chosen features, in order, and on the others, and the marker
    before which the search ended, if it did. First comes the feature nearest to the
    class. Then categories are assigned anew after every choice; within the best one
    that occurs the lowest mean association with the chosen features wins, then the
    highest with the class, then the first. Numbers that only rounding tells apart are
    equal. Features with the same number in `alike` are copies of each other: once one
    is chosen the others are redundant, whatever the mean.
    """
    with_class = np.abs(associations.with_class)
    near = _level_of(with_class, levels)
    free = np.ones(len(with_class), dtype=bool)
    shared = np.zeros(len(with_class))
    copied = np.zeros(len(with_class), dtype=bool)
    chosen: list[Verdict] = []

    def judge(j: int) -> Verdict:
        return Verdict(j, str(categories[j]), float(with_class[j]), float(mean[j]))

    while True:  # until a feature is the last one
        mean = shared / max(1, len(chosen))
        categories = CATEGORIES[near, _level_of(mean, levels)]
        categories[copied & (near > 0)] = "E"
        best = _best_of(categories, free, mean if chosen else None, with_class)
        if best is None or best in markers:
            others = [judge(j) for j in np.flatnonzero(free).tolist()]
            return chosen, others, best
        chosen.append(judge(best))
        free[best] = False
        shared = shared + np.abs(associations.row(best))
        if alike is not None:
            copied |= alike == alike[best]
            copied[best] = False


def _best_of(
    categories: NDArray[np.str_], free: Mask, mean: Floats | None, with_class: Floats
) -> int | None:
    for category in PREFERRED:
        candidates = np.flatnonzero(free & (categories == category))
        for values in (mean, -with_class):
            if len(candidates) and values is not None:
                own = values[candidates]
                candidates = candidates[own <= own.min() + TIE]
        if len(candidates):
            return int(candidates[0])
    return None


def _level_of(values: Floats, levels: Sequence[float]) -> Positions:
    """Return how many of the levels each value reaches."""
    return np.searchsorted(levels, values + TIE, side="right")


def draw_markers(kinds: Sequence[str], n_rows: int, seed: int) -> list[Floats]:
    """Return columns that know nothing of the class."""
    columns = []
    for position, kind in enumerate(kinds):
        random = np.random.default_rng(derive_seed(seed, "probe", kind, position))
        columns.append(draw_values(kind, random, n_rows))
    return columns


def number_copies(table: Table) -> Ints:
    """Return a number for each column, the same for columns that say the same.

    Numeric ones with equal values, nominal ones with equal groups of rows.
    """
    numbers: dict[tuple[bool, bytes], int] = {}
    found = []
    for column in table:
        values = column.values + 0.0  # -0.0 is 0.0
        if column.is_nominal:
            first, groups = np.unique(values, return_index=True, return_inverse=True)[
                1:
            ]
            values = np.where(column.missing, -1, np.argsort(np.argsort(first))[groups])
        key = (column.is_nominal, hashlib.sha256(values.tobytes()).digest())
        found.append(numbers.setdefault(key, len(numbers)))
    return np.array(found, dtype=np.int64)


@dataclass(eq=False, repr=False)
class DecisionRuleFilter(MeasuredFilter):
    """Choose features by rules that say what is relevant and what is redundant.

    The user says which associations are low, medium and high. A feature's association
    with the class and its mean association with the features chosen so far then put it
    into a category: A strongly relevant, B relevant, C weakly relevant, D weakly
    redundant, E redundant, F irrelevant. After the feature nearest to the class, the
    search takes one from the best category that occurs, assigns categories anew, and
    ends when only E and F are left.

    ============= ============= === ====== ====
    class         insignificant low medium high
    ============= ============= === ====== ====
    insignificant F             F   F      F
    low           C             C   C      F
    medium        B             B   D      E
    high          A             A   D      E
    ============= ============= === ====== ====

    Within a category the lowest mean association with the chosen features wins, then
    the highest with the class, then the first column.

    Parameters
    ----------
    levels : tuple of three floats, default=(0.1, 0.3, 0.5)
        Where low, medium and high associations begin; Cohen's by default.
    pair_association : str or None, default=None
        What two numeric features are compared by; None is `association`. The published
        results have ``association="gamma"``, which makes columns that exclude each
        other fully associated, so that ``"kendall"`` suits their pairs better.
    mixed : {"cut", "zero"}, default="cut"
        A nominal and a numeric feature: by symmetrical uncertainty after the numeric
        one is cut into levels; or they count as not associated, as in the published
        results.
    n_subsamples : int or None, default=None
        Decide by means over so many samples of rows, disjoint while rows last, as
        `AssociationFilter` does; None measures all rows at once.
    sample_size : int, default=1000
        Rows in a sample; at most half the table. Only with `n_subsamples`.
    correct_chance : bool, default=True
        Take from the symmetrical uncertainty of a feature and the class what luck gives
        a feature of such levels, as `AssociationFilter` does. False is what the
        published results have; then an identifier is strongly relevant.
    probes : sequence of {"gaussian", "uniform", "binary"}, default=()
        Columns of noise that compete with the features; the search ends before it would
        choose one.
    random_state : int, RandomState or None, default=0
        Seed of the probes and samples.

    Attributes
    ----------
    categories_ : ndarray of str of shape (n_features,)
        The category when chosen, or at the end.
    steps_ : list of dict
        Every feature, the chosen ones first and in order: category, reason,
        association with the class, mean association with those chosen before it.
    stopped_by_ : str or None
        The kind of the probe that ended the search.

    See Also
    --------
    CFSFilter : The same trade by a merit.

    Notes
    -----
    Only the pairs of chosen features are measured. If even the feature nearest to the
    class is insignificant, nothing is chosen. Redundancy is a mean over the chosen
    features, so that a noisy copy of one of many can pass; an exact copy, which the
    source does not speak of, is redundant at once. The printed rules contradict
    themselves for a feature with higher associations on both sides; its lower rival
    wins, as in the printed results.

    References
    ----------
    P. E. N. Lutu, A. P. Engelbrecht, "A decision rule-based method for feature
    selection in predictive data mining", Expert Systems with Applications 37, 2010. J.
    Cohen, "Statistical power analysis for the behavioral sciences", 1988.

    Examples
    --------
    >>> from featsieve.selectors import DecisionRuleFilter
    >>> X = [["a", "x", "a"], ["a", "y", "a"], ["b", "x", "b"], ["b", "y", "b"]] * 5
    >>> y = [0, 1, 1, 1] * 5
    >>> selector = DecisionRuleFilter().fit(X, y)
    >>> selector.selected_, selector.categories_
    (array([0, 1]), array(['B', 'B', 'E'], dtype='<U1'))
    >>> selector.steps_[2]["reason"]
    'redundant: medium association with the class, high with those chosen'
    """

    levels: tuple[float, float, float] = (0.1, 0.3, 0.5)
    _: KW_ONLY
    pair_association: str | None = None
    mixed: str = "cut"
    n_subsamples: int | None = None
    sample_size: int = 1000
    correct_chance: bool = True
    probes: Sequence[str] = ()
    random_state: Any = 0

    def _check_parameters(self) -> None:
        super()._check_parameters()
        bounds = list(self.levels) if isinstance(self.levels, (tuple, list)) else []
        for bound in bounds:
            check_real("levels", bound, self, above=0, most=1)
        if len(bounds) != 3 or bounds != sorted(set(bounds)):
            raise ValueError(
                "The 'levels' parameter of DecisionRuleFilter must be three ascending "
                f"numbers, where low, medium and high begin. Got {self.levels!r} "
                "instead."
            )
        check_probes(self.probes, self)
        choices = (None, *ASSOCIATIONS)
        check_choice("pair_association", self.pair_association, choices, self)
        check_choice("correct_chance", self.correct_chance, (True, False), self)
        check_choice("mixed", self.mixed, ("cut", "zero"), self)
        if self.n_subsamples is not None:
            check_integer("n_subsamples", self.n_subsamples, self, at_least=1)
        check_integer("sample_size", self.sample_size, self, at_least=2)
        if self.n_subsamples is None:
            way_out = "set n_subsamples"
            check_unused(["sample_size"], self, "n_subsamples=None", way_out)

    def _measure(
        self, training: Training, probes: list[Floats], seed: int
    ) -> Associations:
        settings: dict[str, Any] = {
            "extra": probes,
            "between": self.pair_association,
            "correct_chance": bool(self.correct_chance),
            "mixed": self.mixed,
        }
        common = (training, self.association, self.missing, self.n_jobs)
        if self.n_subsamples is None:
            return MeasuredAssociations(*common, **settings)
        return SampledAssociations(
            *common,
            n_subsamples=self.n_subsamples,
            sample_size=self.sample_size,
            seed=seed,
            **settings,
        )

    def _fit(self, training: Training) -> None:
        n_columns = training.table.n_columns
        seed = root_seed(self.random_state)
        probes = draw_markers(self.probes, training.table.n_rows, seed)
        associations = self._measure(training, probes, seed)
        markers = range(n_columns, n_columns + len(probes))
        alike = np.concatenate((number_copies(training.table), np.array(markers)))
        chosen, others, stopped_by = choose_by_rules(
            associations, self.levels, markers=markers, alike=alike
        )
        self.scores_ = associations.with_class[:n_columns]
        self._keep(verdict.feature for verdict in chosen)
        verdicts = [each for each in (*chosen, *others) if each.feature < n_columns]
        self.categories_ = np.full(n_columns, "F")
        for verdict in verdicts:
            self.categories_[verdict.feature] = verdict.category
        self.stopped_by_ = None
        if stopped_by is not None:
            self.stopped_by_ = self.probes[stopped_by - n_columns]
        self.steps_ = [
            self._tell(training.table.names, place, verdict, place < len(chosen))
            for place, verdict in enumerate(verdicts)
        ]

    def _tell(
        self, names: tuple[str, ...], place: int, verdict: Verdict, kept: bool
    ) -> dict[str, Any]:
        levels = np.searchsorted(self.levels, verdict[2:], side="right")
        with_class, with_chosen = (LEVEL_NAMES[level] for level in levels)
        reason = (
            f"{MEANING[verdict.category]}: {with_class} association with the class, "
            f"{with_chosen} with those chosen"
        )
        if kept and place == 0:
            reason = "highest association with the class"
        elif not kept and self.stopped_by_ and verdict.category in PREFERRED:
            reason = f"the search ended at a {self.stopped_by_} probe"
        return {
            "feature": names[verdict.feature],
            "category": verdict.category,
            "meaning": MEANING[verdict.category],
            "reason": reason,
            "score": verdict.with_class,
            "mean_association": verdict.with_chosen,
            "kept": kept,
        }
