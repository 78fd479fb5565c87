"""Experts for some of many classes, trained on samples made for them, then combined."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from featsieve._checks import check_choice, check_sequence
from featsieve.ensembles._aggregate import BaseClassAggregate
from featsieve.ensembles._experts import confusion_groups
from featsieve.exceptions import DataError


class OneVersusAllClassifier(BaseClassAggregate):
    """One expert per class, each on a sample of its own; the surest one answers.

    The expert of a class learns it against all others, which are "other" to it. Its
    sample holds as many rows of its class as of the others together (`positive_share`),
    with more of those that a single model confuses with it (`boost`). Small classes
    are drawn with replacement, at most `bootstrap_cap` times their size.

    Answers "other" are dropped, and of the rest the one with the greatest score wins:
    the posterior of a tree's leaf, or the share of neighbours, ties by their
    reciprocal distances.

    See Also
    --------
    PositiveVersusNegativeClassifier : Fewer experts, for groups of classes.

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
    >>> from featsieve.ensembles import OneVersusAllClassifier
    >>> X = [[value] for value in range(30)]
    >>> y = ["low"] * 10 + ["middle"] * 10 + ["high"] * 10
    >>> model = OneVersusAllClassifier(random_state=0).fit(X, y)
    >>> len(model.experts_), model.predict([[3], [14], [25]]).tolist()
    (3, ['low', 'middle', 'high'])
    """

    def _needs_confusion(self) -> bool:
        return bool(self.boost > 0 and self.n_classes_ > 2)

    def _choose_groups(self) -> list[list[int]]:
        return [[c] for c in range(self.n_classes_)]


@dataclass(eq=False, repr=False)
class PositiveVersusNegativeClassifier(BaseClassAggregate):
    """Experts for groups of classes that are mistaken for each other.

    Each expert tells the classes of its group apart, and from all others, which are
    "other" to it. There are fewer experts than classes, and a class may belong to
    several. All else is as in `OneVersusAllClassifier`.

    Parameters
    ----------
    class_groups : "confusion" or list of lists, default="confusion"
        The classes of each expert. "confusion" joins classes that a single model
        confuses, most confused first, as long as they are more confused than usual.

    See Also
    --------
    OneVersusAllClassifier : One expert per class.

    Examples
    --------
    >>> from featsieve.ensembles import PositiveVersusNegativeClassifier
    >>> X = [[value] for value in range(40)]
    >>> y = ["a"] * 10 + ["b"] * 10 + ["c"] * 10 + ["d"] * 10
    >>> groups = [["a", "b"], ["c", "d"]]
    >>> model = PositiveVersusNegativeClassifier(class_groups=groups, random_state=0)
    >>> model.fit(X, y).predict([[3], [14], [25], [36]]).tolist()
    ['a', 'b', 'c', 'd']
    """

    class_groups: Any = "confusion"

    def _needs_confusion(self) -> bool:
        asked = isinstance(self.class_groups, str) or self.boost > 0
        return bool(asked and self.n_classes_ > 2)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if isinstance(self.class_groups, str):
            check_choice("class_groups", self.class_groups, ("confusion",), self)
        else:
            for group in check_sequence(
                "class_groups", self.class_groups, self, "lists of classes"
            ):
                check_sequence("class_groups", group, self, "lists of classes")

    def _choose_groups(self) -> list[list[int]]:
        if not isinstance(self.class_groups, str):
            return _given_groups(self.class_groups, self.classes_.tolist())
        if self.confusion_ is None:
            return [[c] for c in range(self.n_classes_)]
        return confusion_groups(self.confusion_)


def _given_groups(given: Any, classes: list[Any]) -> list[list[int]]:
    """Return groups as codes, or say what is wrong with them."""
    owner = "The 'class_groups' parameter of PositiveVersusNegativeClassifier"
    groups = []
    for group in given:
        unknown = [name for name in group if name not in classes]
        if unknown:
            known = ", ".join(map(repr, classes[:10])) + (", …" if classes[10:] else "")
            raise DataError(
                f"{owner} names {unknown[0]!r}, which is none of the classes: {known}."
            )
        codes = sorted({classes.index(name) for name in group})
        if not codes or len(codes) == len(classes):
            raise DataError(
                f"{owner} must hold some of the classes each, not none or all."
            )
        groups.append(codes)
    left_out = set(range(len(classes))) - {code for group in groups for code in group}
    if left_out:
        raise DataError(
            f"{owner} leaves out {classes[min(left_out)]!r}. Put it in a group."
        )
    return groups
