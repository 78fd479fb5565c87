"""C4.5 (Quinlan 1993, release 8), and the same as Weka's J48 has it."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from featsieve._checks import check_choice, check_flag, check_real, check_unused
from featsieve._kernels import GrowthRules, MissingCases, PruneRules, SplitScore
from featsieve.data import Table
from featsieve.exceptions import DroppedRowsWarning
from featsieve.trees._base import ClassificationTree

#: Neighbouring values must differ by more than this for a cut between them.
LEAST_GAP = 1e-5
#: J48 takes class shares that differ by less for equal.
SHARE_TIE = 1e-6
#: Quinlan's table of the normal distribution: confidences and deviates.
CONFIDENCES = (0.0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00)
DEVIATES = (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.00)
#: Parameters that are either true or false.
FLAGS = (
    "prune",
    "subtree_raising",
    "collapse",
    "gain_ratio",
    "release8_penalty",
    "actual_thresholds",
)


@dataclass(kw_only=True, eq=False, repr=False)
class C45Classifier(ClassificationTree):
    """A C4.5 decision tree: gain ratio, fractional cases, pessimistic pruning.

    A nominal feature is split into one branch per declared level, a numeric one in two
    at a value that occurs in the training data. Among the tests of at least average
    information gain the one of greatest gain ratio is taken. The tree is then cut back
    where a leaf, or the heaviest branch, is estimated to err no more than the subtree.

    A case whose value is missing goes to every branch with a part of its weight, in
    training and in prediction; a level that is not declared counts as missing, and so
    does any other value a nominal feature has not had. A branch without training cases
    answers the class of its parent.

    Parameters
    ----------
    min_cases : float, default=2
        Least weight of at least two branches of a test.
    pruning_confidence : float, default=0.25
        Confidence of the pessimistic estimate of errors, below 1; less prunes more.
    prune : bool, default=True
        Cut the tree back.
    subtree_raising : bool, default=True
        When cutting back, also try to put the heaviest branch in place of its parent.
    collapse : bool, default=True
        Make leaves of subtrees that do not err less on the training data, pruned or
        not.
    gain_ratio : bool, default=True
        Choose by gain ratio among tests of at least average gain; else by gain.
    release8_penalty : bool, default=True
        A numeric test pays log2(cuts tried) / N of its gain, as in release 8.
    actual_thresholds : bool, default=True
        Thresholds are values of the training data; else midpoints between them.
    compatibility : {None, "j48"}, default=None
        None is Quinlan's release 8 in double precision; like J48 it takes values that
        differ by no more than 1e-5 for one, so scale columns of small units. "j48" is
        Weka's J48: its tolerances, its deviate (the exact quantile instead of a coarse
        table), its estimate for leaves that are mostly wrong, collapsing top down, and
        class shares of the parent for a branch without cases. We default to release 8,
        which the literature means by C4.5.

    See Also
    --------
    MDLTreeClassifier : Stops growing by description length.
    RandomTreeClassifier : For forests.

    Notes
    -----
    Growing costs O(p n log n) for balanced trees and memory O(p n). Equal worth: the
    feature that comes first, the lowest cut.

    References
    ----------
    J. R. Quinlan, C4.5: Programs for Machine Learning, 1993; Improved use of continuous
    attributes in C4.5, Journal of Artificial Intelligence Research 4, 1996.

    Examples
    --------
    >>> from featsieve.trees import C45Classifier
    >>> X = {"tears": ["reduced", "normal"] * 6, "age": [21, 25, 30, 33, 41, 47] * 2}
    >>> y = ["none", "soft"] * 6
    >>> tree = C45Classifier().fit(X, y)
    >>> print(tree.export_text())
    tears = normal: soft (6.0)
    tears = reduced: none (6.0)
    >>> tree.predict({"tears": ["normal", None], "age": [30, 30]}).tolist()
    ['soft', 'none']
    """

    min_cases: float = 2
    pruning_confidence: float = 0.25
    prune: bool = True
    subtree_raising: bool = True
    collapse: bool = True
    gain_ratio: bool = True
    release8_penalty: bool = True
    actual_thresholds: bool = True
    compatibility: str | None = None

    @property
    def _j48(self) -> bool:
        return self.compatibility == "j48"

    @property
    def _tie(self) -> float:  # type: ignore[override]
        # Sums of fractional cases round; without slack that would choose the class.
        return SHARE_TIE if self._j48 else 0.0

    @property
    def _empty(self) -> str:  # type: ignore[override]
        return "parent_shares" if self._j48 else "parent_class"

    def _check_parameters(self) -> None:
        check_real("min_cases", self.min_cases, self, above=0)
        check_real(
            "pruning_confidence", self.pruning_confidence, self, above=0, below=1
        )
        check_choice("compatibility", self.compatibility, (None, "j48"), self)
        for name in FLAGS:
            check_flag(name, getattr(self, name), self)
        if not self.prune:
            unused = ("pruning_confidence", "subtree_raising")
            check_unused(unused, self, "prune=False", "let the tree be pruned")

    def _read_target(self, y: Any, table: Table) -> tuple[dict[str, Any], Any]:
        arguments, rows = super()._read_target(y, table)
        if rows is None or not self._j48:
            return arguments, rows
        # J48 leaves such rows out too, but counts them among all rows.
        codes = np.full(len(rows), -1, dtype=np.int32)
        codes[rows] = arguments["classes"]
        arguments["classes"] = codes
        dropped = len(rows) - np.count_nonzero(rows)
        message = f"{dropped} of {len(rows)} rows have no target and are left out."
        warnings.warn(message, DroppedRowsWarning, stacklevel=3)
        return arguments, None

    def _rules(self, table: Table) -> GrowthRules:
        rules = GrowthRules()
        rules.score = SplitScore.GAIN_RATIO
        rules.use_ratio = bool(self.gain_ratio)
        rules.minimum_share = True
        rules.min_cases = float(self.min_cases)
        rules.min_weight = 2.0 * self.min_cases
        rules.min_gap = LEAST_GAP
        rules.penalty = bool(self.release8_penalty)
        rules.actual_value = bool(self.actual_thresholds)
        rules.missing = MissingCases.FRACTIONAL
        rules.all_levels = True
        rules.j48 = self._j48
        if self._j48:
            rules.n_all_rows = table.n_rows
        return rules

    def _growth_options(self, table: Table) -> dict[str, Any]:  # noqa: ARG002  (random trees ask it)
        options: dict[str, Any] = {"collapse": bool(self.collapse)}
        if not self.prune:
            return options
        rules = PruneRules()
        rules.j48 = self._j48
        rules.subtree_raising = bool(self.subtree_raising)
        rules.confidence = float(self.pruning_confidence)
        rules.deviate = float(np.interp(self.pruning_confidence, CONFIDENCES, DEVIATES))
        if self._j48:
            from scipy.special import ndtri  # noqa: PLC0415  (slow to import)

            rules.confidence = float(np.float32(self.pruning_confidence))
            rules.deviate = float(ndtri(1 - rules.confidence))
        return {"prune": rules, **options}
