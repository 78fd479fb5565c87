"""All measures of diversity of one ensemble on one table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from featsieve._types import Array, Codes, Floats, Mask
from featsieve.diversity._margins import breiman_bound, mean_correlation, raw_margins
from featsieve.diversity._pairs import MEASURES, kappa_error, pair_count_blocks
from featsieve.diversity._predictions import check_predictions, class_codes
from featsieve.diversity._votes import (
    coincident_failure,
    coincident_failure_diversity,
    correctness_entropy,
    count_votes,
    entropy_of_votes,
    kohavi_wolpert_variance,
    sharkey_type,
)
from featsieve.exceptions import DataError

#: What a number means, in the order in which it is shown.
MEANINGS = {
    "n_members": "members",
    "n_rows": "rows",
    "ensemble_error": "share of rows the ensemble gets wrong",
    "member_error": "the same, mean of the members",
    "tie_share": "rows in which two classes have most votes",
    "q_statistic": "mean of pairs; 0 if they fail independently",
    "q_undefined": "pairs whose Q is 0/0, counted as 0",
    "kappa": "mean of pairs; agreement in being right beyond chance",
    "error_correlation": "mean of pairs; Pearson's r of being right",
    "disagreement": "mean of pairs; one is right, one wrong",
    "double_fault": "mean of pairs; both are wrong",
    "coincident_failure": "mean of pairs; failures that are shared",
    "coincident_failure_of_all": "failures that all members share",
    "coincident_failure_diversity": "1 if no two fail together",
    "kohavi_wolpert_variance": "variance of being right, over members",
    "vote_entropy": "mean of rows, bits",
    "correctness_entropy": "mean of rows; 1 if members are evenly split",
    "ambiguity": "mean squared distance of votes from their mean",
    "member_ambiguity": "mean share of rows a member is outvoted in",
    "strength": "mean margin of the vote",
    "raw_margin_correlation": "mean of pairs",
    "breiman_bound": "on the error of the vote; often above 1",
    "sharkey_type": "1: never two wrong together … 4: some rows fail all",
}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DiversityReport:
    """How accurate the members of an ensemble are, and how differently they decide.

    ``print(report)`` shows every number with what it means.

    Parameters
    ----------
    n_members, n_rows : int
        How many members and rows.
    ensemble_error, member_error : float
        Error of the ensemble, and mean error of its members.
    tie_share : float
        Share of rows in which two classes have most votes.
    q_statistic, kappa, error_correlation, disagreement, double_fault, \
coincident_failure : float
        Means over pairs of members; NaN for a single member.
    q_undefined : float
        Share of pairs whose Q is 0/0 and counts as 0.
    coincident_failure_of_all, coincident_failure_diversity : float
        Of all members together.
    kohavi_wolpert_variance, vote_entropy, correctness_entropy, ambiguity : float
        Means over rows. The ambiguity is that of one-hot votes.
    member_ambiguity : float
        Mean share of rows in which a member is outvoted.
    strength, raw_margin_correlation, breiman_bound : float
        Of Breiman's bound.
    sharkey_type : int
        From 1 to 4.
    member_errors : ndarray of shape (n_members,)
        Error of every member.
    predictions : ndarray of shape (n_members, n_rows)
        What every member predicts, as positions of classes.
    y : ndarray of shape (n_rows,)
        The true classes, as positions.

    Examples
    --------
    >>> from featsieve.datasets import make_friedman
    >>> from featsieve.diversity import diversity_report
    >>> from featsieve.ensembles import BaggingEnsembleClassifier
    >>> X, y = make_friedman(random_state=0).table.to_pandas()
    >>> bagging = BaggingEnsembleClassifier(n_estimators=10, random_state=0)
    >>> bagging = bagging.fit(X[:100], y[:100])
    >>> report = diversity_report(bagging, X[100:], y[100:])
    >>> report.n_members, report.ensemble_error < report.member_error
    (10, True)
    """

    n_members: int
    n_rows: int
    ensemble_error: float
    member_error: float
    tie_share: float
    q_statistic: float
    q_undefined: float
    kappa: float
    error_correlation: float
    disagreement: float
    double_fault: float
    coincident_failure: float
    coincident_failure_of_all: float
    coincident_failure_diversity: float
    kohavi_wolpert_variance: float
    vote_entropy: float
    correctness_entropy: float
    ambiguity: float
    member_ambiguity: float
    strength: float
    raw_margin_correlation: float
    breiman_bound: float
    sharkey_type: int
    member_errors: Floats
    predictions: Codes
    y: Codes

    def to_dict(self) -> dict[str, float]:
        """Return the numbers by name; not those of single members.

        Returns
        -------
        dict
            Plain numbers, ready for JSON or a row of a data frame.
        """
        return {name: getattr(self, name) for name in MEANINGS}

    @property
    def table(self) -> list[tuple[str, float, str]]:
        """Name, value and meaning of every number."""
        return [(name, getattr(self, name), told) for name, told in MEANINGS.items()]

    def kappa_error(self) -> tuple[Floats, Floats]:
        """Return the points of the kappa-error diagram.

        Returns
        -------
        kappa, error : ndarray of shape (n_pairs,)
            For ``featsieve.report.kappa_error_figure``.
        """
        return kappa_error(self.predictions, self.y)

    def __str__(self) -> str:
        width = max(map(len, MEANINGS))
        return "\n".join(
            f"{name.replace('_', ' '):<{width}}  {_number(value):>8}  {told}"
            for name, value, told in self.table
        )

    def __repr__(self) -> str:
        return (
            f"DiversityReport({self.n_members} members, {self.n_rows} rows, error "
            f"{self.ensemble_error:.4f} of members {self.member_error:.4f}, "
            f"Q {self.q_statistic:.4f})"
        )

    def _repr_html_(self) -> str:
        cells = (
            f"<tr><td>{name.replace('_', ' ')}</td><td>{_number(value)}</td>"
            f"<td>{told}</td></tr>"
            for name, value, told in self.table
        )
        return f"<table>{''.join(cells)}</table>"


def _number(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.4f}"


def diversity_report(
    ensemble: Any, X: Any, y: Any, *, n_jobs: int | None = None
) -> DiversityReport:
    """Measure how accurate the members of an ensemble are, and how they differ.

    Use rows that the ensemble has not been trained on: members agree on what they have
    learnt by heart.

    Parameters
    ----------
    ensemble : fitted ensemble
        One of ours, or any object with ``classes_``, ``predict`` and either
        ``member_predict(X)`` (positions in ``classes_``, one row per member) or
        scikit-learn's ``estimators_``.
    X : table of shape (n_rows, n_features)
        Columns as in `fit`.
    y : array-like of shape (n_rows,)
        The true classes; each must be known to the ensemble.
    n_jobs : int or None, default=None
        Jobs at a time, for the pairs.

    Returns
    -------
    DiversityReport
        The numbers; print it.

    Notes
    -----
    Cost: prediction, and O(T² N / 64) for T members and N rows. No matrix of pairs is
    kept, so that thousands of members fit into memory.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from featsieve.diversity import diversity_report
    >>> from featsieve.ensembles import AdaBoostEnsembleClassifier
    >>> from featsieve.ensembles import BaggingEnsembleClassifier
    >>> X, y = make_classification(400, 10, n_informative=4, random_state=0)
    >>> for kind in (BaggingEnsembleClassifier, AdaBoostEnsembleClassifier):
    ...     ensemble = kind(n_estimators=20, random_state=0).fit(X[:200], y[:200])
    ...     report = diversity_report(ensemble, X[200:], y[200:])
    ...     print(f"{kind.__name__:<16} Q {report.q_statistic:.2f}")
    BaggingEnsembleClassifier  Q 0.36
    AdaBoostEnsembleClassifier Q 0.03
    """
    if not hasattr(ensemble, "classes_"):
        raise TypeError(
            "ensemble must be a fitted ensemble of classifiers. Got "
            f"{type(ensemble).__name__} without classes_; fit it first."
        )
    classes = np.asarray(ensemble.classes_)
    predictions = _member_predictions(ensemble, X)
    truth = _positions(y, classes)
    combined = _positions(ensemble.predict(X), classes)
    return report_of(predictions, truth, combined, n_jobs=n_jobs)


def report_of(
    predictions: Any, y: Any, combined: Any, *, n_jobs: int | None = None
) -> DiversityReport:
    """Return the report of what members predict and what the ensemble does."""
    check_predictions(predictions, y)
    codes, truth, n_classes = class_codes(predictions, y)
    n_members, n_rows = codes.shape
    correct = codes == truth
    votes = count_votes(codes, n_classes)
    majority = votes.argmax(axis=1)
    ties = np.count_nonzero(votes == votes.max(axis=1, keepdims=True), axis=1) > 1
    raw = raw_margins(codes, truth)
    correlation, strong = mean_correlation(raw), float(raw.mean(dtype=np.float64))
    shares = votes / n_members
    errors: Floats = 1 - np.mean(correct, axis=1)
    many = n_members > 1
    return DiversityReport(
        n_members=n_members,
        n_rows=n_rows,
        ensemble_error=float(np.mean(np.asarray(combined) != truth)),
        member_error=float(errors.mean()),
        tie_share=float(ties.mean()),
        **_pair_means(correct, n_jobs),
        coincident_failure_of_all=coincident_failure(correct),
        coincident_failure_diversity=(
            coincident_failure_diversity(correct) if many else float("nan")
        ),
        kohavi_wolpert_variance=kohavi_wolpert_variance(correct),
        vote_entropy=float(entropy_of_votes(votes).mean()),
        correctness_entropy=float(correctness_entropy(correct).mean()),
        ambiguity=float(np.mean(np.sum(shares * (1 - shares), axis=1))),
        member_ambiguity=float(np.mean(codes != majority)),
        strength=strong,
        raw_margin_correlation=correlation,
        breiman_bound=breiman_bound(strong, correlation),
        sharkey_type=sharkey_type(correct),
        member_errors=errors,
        predictions=codes,
        y=truth,
    )


def _pair_means(correct: Mask, n_jobs: int | None) -> dict[str, float]:
    """Return means over unordered pairs, by blocks that are forgotten."""
    wanted = [name for name in MEASURES if name in MEANINGS]
    sums = dict.fromkeys((*wanted, "q_undefined"), 0.0)
    n_pairs = len(correct) * (len(correct) - 1) // 2
    if not n_pairs:
        return dict.fromkeys(sums, float("nan"))
    for counts, pairs in pair_count_blocks(correct, n_jobs):
        for name in wanted:
            sums[name] += float(MEASURES[name](*counts)[pairs].sum())
        both, first, second, neither = counts
        undefined = both * neither + first * second == 0
        sums["q_undefined"] += float(np.count_nonzero(undefined & pairs))
    return {name: total / n_pairs for name, total in sums.items()}


def _member_predictions(ensemble: Any, X: Any) -> Array:
    if hasattr(ensemble, "member_predict"):
        codes = np.asarray(ensemble.member_predict(X))
        if codes.min(initial=0) < 0:
            raise DataError(
                f"The members of this {type(ensemble).__name__} tell one class from "
                "the rest and do not predict classes, so that they cannot be compared."
            )
        return codes
    members = getattr(ensemble, "estimators_", None)
    if members is None:
        raise DataError(
            f"{type(ensemble).__name__} has neither member_predict nor estimators_. "
            "Fit an ensemble, or pass predictions to the functions of diversity."
        )
    rows = np.asarray(X)
    subsets = getattr(ensemble, "estimators_features_", None) or [slice(None)] * len(
        members
    )
    answers = [
        _positions(member.predict(rows[:, subset]), np.asarray(member.classes_))
        for member, subset in zip(members, subsets, strict=True)
    ]
    return np.array(answers)


def _positions(labels: Any, classes: Array) -> Codes:
    """Return where labels stand among the classes."""
    known = {label: code for code, label in enumerate(classes.tolist())}
    values = np.asarray(labels).tolist()
    try:
        return np.fromiter((known[value] for value in values), np.int32, len(values))
    except KeyError as error:
        raise DataError(
            f"y holds the class {error.args[0]!r}, which the ensemble has not learnt. "
            "Leave such rows out."
        ) from None
