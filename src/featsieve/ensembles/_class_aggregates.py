"""Experts for some of many classes, trained on samples made for them, then combined."""

from __future__ import annotations

from typing import Any

from featsieve._checks import check_choice, check_sequence
from featsieve.ensembles._aggregate import BaseClassAggregate
from featsieve.ensembles._class_groups import confusion_groups
from featsieve.exceptions import DataError

__all__ = ["OneVersusAllAggregate", "PositiveVersusNegativeAggregate"]


class OneVersusAllAggregate(BaseClassAggregate):
    """One expert per class, each on a sample of its own; the surest one answers.

    The expert of a class learns it against all others, which are "other" to it. Its
    sample holds as many rows of its class as of the others together (`positive_share`),
    with more of those that a single model confuses with it (`boost`). Small classes
    are drawn with replacement, at most `bootstrap_cap` times their size.

    Answers "other" are dropped, and of the rest the one with the greatest score wins:
    the posterior of a tree's leaf, or the share of neighbours, ties by their
    reciprocal distances.

    Parameters
    ----------
    estimator : {"c4.5", "5-nn"} or classifier, default="c4.5"
        The learner of every expert. "c4.5" is `featsieve.trees.C45Tree`; "5-nn" has
        numeric columns scaled by their range, nominal values 0 or 1 apart, missing
        ones 1 from everything. A classifier of another library gets numbers: medians
        for gaps, one column per level; one with ``kneighbors`` breaks ties by distance.
    sample_size : int or None, default=None
        Rows of each expert's sample; None is the number of rows given, at most 10,000.
    positive_share : float, default=0.5
        Share of the sample that the expert's own classes have, equally.
    boost : float, default=0.5
        Share of the other rows that goes to classes by how much they are confused with
        the expert's; the rest is shared equally. 0 measures no confusion.
    bootstrap_cap : int, default=10
        How many times its size a class that is too small is drawn at most.
    selector : selector or None, default=None
        Chooses the features of each expert from its sample, for instance
        ``CFSFilter()``. Where it keeps nothing, all are kept.
    fallback : {"best", "none"}, default="best"
        Where every expert says "other": the class with the greatest posterior all the
        same, or `none_label`, as published.
    none_label : object, default="none"
        What stands for no class.
    ties : {"first", "random"}, default="first"
        Equal scores (and distances) go to the first expert, or by a lot that depends
        on the seed and on what the experts say of the row.
    nominal, numeric : sequence of str or int, "all" or None, default=None
        Columns whose kind is not the one of their type.
    n_jobs : int or None, default=None
        Experts at a time.
    random_state : int, RandomState or None, default=None
        Seed of samples and learners.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    groups_ : list of ndarray
        The classes of each expert: here one each.
    experts_ : list
        The experts; each has `positives`, `features`, `n_rows`, `n_different`, `model`.
    confusion_ : ndarray of shape (n_classes, n_classes) or None
        Share of each class that a single model takes for another.

    See Also
    --------
    PositiveVersusNegativeAggregate : Fewer experts, for groups of classes.

    Notes
    -----
    The confusion is measured on a third of each class, which a single model of the
    same kind has not seen; experts then learn from all rows.

    References
    ----------
    P. E. N. Lutu, doctoral thesis on the selection of data sets for aggregate models,
    University of Pretoria, chapter 6: samples (section 6.3), experts (6.4.1),
    combination (figures 6.3 and 6.4).

    Examples
    --------
    >>> from featsieve.ensembles import OneVersusAllAggregate
    >>> X = [[value] for value in range(30)]
    >>> y = ["low"] * 10 + ["middle"] * 10 + ["high"] * 10
    >>> model = OneVersusAllAggregate(random_state=0).fit(X, y)
    >>> len(model.experts_), model.predict([[3], [14], [25]]).tolist()
    (3, ['low', 'middle', 'high'])
    """

    def __init__(
        self,
        estimator: Any = "c4.5",
        *,
        sample_size: int | None = None,
        positive_share: float = 0.5,
        boost: float = 0.5,
        bootstrap_cap: int = 10,
        selector: Any = None,
        fallback: str = "best",
        none_label: Any = "none",
        ties: str = "first",
        nominal: Any = None,
        numeric: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.sample_size = sample_size
        self.positive_share = positive_share
        self.boost = boost
        self.bootstrap_cap = bootstrap_cap
        self.selector = selector
        self.fallback = fallback
        self.none_label = none_label
        self.ties = ties
        self.nominal = nominal
        self.numeric = numeric
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _needs_confusion(self) -> bool:
        return bool(self.boost > 0 and self.n_classes_ > 2)

    def _choose_groups(self) -> list[list[int]]:
        return [[c] for c in range(self.n_classes_)]


class PositiveVersusNegativeAggregate(BaseClassAggregate):
    """Experts for groups of classes that are mistaken for each other.

    Each expert tells the classes of its group apart, and from all others, which are
    "other" to it. There are fewer experts than classes, and a class may belong to
    several. All else is as in `OneVersusAllAggregate`.

    Parameters
    ----------
    estimator : {"c4.5", "5-nn"} or classifier, default="c4.5"
        The learner of every expert; see `OneVersusAllAggregate`.
    groups : "confusion" or list of lists, default="confusion"
        The classes of each expert. "confusion" joins classes that a single model
        confuses, most confused first, as long as they are more confused than usual.
    sample_size : int or None, default=None
        Rows of each expert's sample; None is the number of rows given, at most 10,000.
    positive_share : float, default=0.5
        Share of the sample that the expert's own classes have, equally.
    boost : float, default=0.5
        Share of the other rows that goes to classes by how much they are confused with
        the expert's.
    bootstrap_cap : int, default=10
        How many times its size a class that is too small is drawn at most.
    selector : selector or None, default=None
        Chooses the features of each expert from its sample.
    fallback : {"best", "none"}, default="best"
        Where every expert says "other": the class with the greatest posterior all the
        same, or `none_label`.
    none_label : object, default="none"
        What stands for no class.
    ties : {"first", "random"}, default="first"
        Equal scores go to the first expert, or by lot.
    nominal, numeric : sequence of str or int, "all" or None, default=None
        Columns whose kind is not the one of their type.
    n_jobs : int or None, default=None
        Experts at a time.
    random_state : int, RandomState or None, default=None
        Seed of samples and learners.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    groups_ : list of ndarray
        The classes of each expert.
    experts_ : list
        The experts; each has `positives`, `features`, `n_rows`, `n_different`, `model`.
    confusion_ : ndarray of shape (n_classes, n_classes) or None
        Share of each class that a single model takes for another.

    See Also
    --------
    OneVersusAllAggregate : One expert per class.

    Examples
    --------
    >>> from featsieve.ensembles import PositiveVersusNegativeAggregate
    >>> X = [[value] for value in range(40)]
    >>> y = ["a"] * 10 + ["b"] * 10 + ["c"] * 10 + ["d"] * 10
    >>> groups = [["a", "b"], ["c", "d"]]
    >>> model = PositiveVersusNegativeAggregate(groups=groups, random_state=0)
    >>> model.fit(X, y).predict([[3], [14], [25], [36]]).tolist()
    ['a', 'b', 'c', 'd']
    """

    def __init__(
        self,
        estimator: Any = "c4.5",
        groups: Any = "confusion",
        *,
        sample_size: int | None = None,
        positive_share: float = 0.5,
        boost: float = 0.5,
        bootstrap_cap: int = 10,
        selector: Any = None,
        fallback: str = "best",
        none_label: Any = "none",
        ties: str = "first",
        nominal: Any = None,
        numeric: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.groups = groups
        self.sample_size = sample_size
        self.positive_share = positive_share
        self.boost = boost
        self.bootstrap_cap = bootstrap_cap
        self.selector = selector
        self.fallback = fallback
        self.none_label = none_label
        self.ties = ties
        self.nominal = nominal
        self.numeric = numeric
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _needs_confusion(self) -> bool:
        asked = isinstance(self.groups, str) or self.boost > 0
        return bool(asked and self.n_classes_ > 2)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if isinstance(self.groups, str):
            check_choice("groups", self.groups, ("confusion",), self)
        else:
            for group in check_sequence(
                "groups", self.groups, self, "lists of classes"
            ):
                check_sequence("groups", group, self, "lists of classes")

    def _choose_groups(self) -> list[list[int]]:
        if not isinstance(self.groups, str):
            return _given_groups(self.groups, self.classes_.tolist())
        if self.confusion_ is None:
            return [[c] for c in range(self.n_classes_)]
        return confusion_groups(self.confusion_)


def _given_groups(given: Any, classes: list[Any]) -> list[list[int]]:
    """Return groups as codes, or say what is wrong with them."""
    owner = "The 'groups' parameter of PositiveVersusNegativeAggregate"
    groups = []
    for group in given:
        unknown = [name for name in group if name not in classes]
        if unknown:
            known = ", ".join(map(repr, classes[:10])) + (", …" if classes[10:] else "")
            message = (
                f"{owner} names {unknown[0]!r}, which is none of the classes: {known}."
            )
            raise DataError(message)
        codes = sorted({classes.index(name) for name in group})
        if not codes or len(codes) == len(classes):
            message = f"{owner} must hold some of the classes each, not none or all."
            raise DataError(message)
        groups.append(codes)
    left_out = set(range(len(classes))) - {code for group in groups for code in group}
    if left_out:
        message = f"{owner} leaves out {classes[min(left_out)]!r}. Put it in a group."
        raise DataError(message)
    return groups
