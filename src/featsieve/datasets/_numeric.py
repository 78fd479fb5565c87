"""Numeric problems: curves, Gaussian clusters, copies, pure noise.

References: J. H. Friedman, "Multivariate adaptive regression splines", Annals of
Statistics 19, 1991, equation 61; I. Guyon, "Design of experiments for the NIPS 2003
variable selection benchmark", 2003 (madelon).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from featsieve._checks import check_choice, check_integer, check_real, check_that
from featsieve._docs import described_like
from featsieve.data import Column
from featsieve.datasets._problem import (
    BITS,
    COMMON,
    Draft,
    NoiseMaker,
    Problem,
    gaussian_noise,
    noise_in_turn,
    nominal_noise,
    numbered,
    numeric_column,
    numeric_columns,
    uniform_noise,
)

_FRIEDMAN_THRESHOLD = 14.0
_XOR_CENTRES = (1.0, 8.0)


@described_like(COMMON)
def make_friedman(
    n_rows: int = 200,
    *,
    target_kind: str = "nominal",
    n_noise: int = 0,
    label_noise: float = 0.0,
    random_state: Any = None,
) -> Problem:
    """Five features that matter in different ways, five that do not.

    The features x1 to x10 are uniform on [0, 1) and y = 10 sin(π x1 x2) +
    20 (x3 − ½)² + 10 x4 + 5 x5 + N(0, 1). The class is 1 where y > 14.

    Parameters
    ----------
    target_kind : {"nominal", "numeric"}, default="nominal"
        Whether the target is the class or y itself.
    n_noise : int, default=0
        Extra uniform features, after x6 to x10, which are such already.
    label_noise : float, default=0.0
        Share of the rows that get the wrong class; must be 0 for a numeric target.

    Returns
    -------
    Problem
        The table and the truth; x1 and x2 interact.

    Examples
    --------
    >>> y = make_friedman(target_kind="numeric", random_state=0).table["class"].values
    >>> labels = make_friedman(random_state=0).table["class"].values
    >>> bool(((y > 14) == labels).all())
    True
    """
    draft = Draft("make_friedman", n_noise, label_noise, random_state)
    n_rows = draft.rows(n_rows)
    check_choice("target_kind", target_kind, ("nominal", "numeric"), draft.owner)
    good = target_kind == "nominal" or not draft.label_noise
    must_be = "0 for target_kind='numeric', which has no classes"
    check_that(good, "label_noise", label_noise, draft.owner, must_be)
    x = draft.rng.random((n_rows, 10))
    x1, x2, x3, x4, x5 = x[:, :5].T
    y = 10 * np.sin(np.pi * x1 * x2) + 20 * (x3 - 0.5) ** 2 + 10 * x4 + 5 * x5
    y += draft.rng.standard_normal(n_rows)
    names = numbered("x", 10)
    return draft.problem(
        numeric_columns(names, x) + draft.noise(n_rows, uniform_noise),
        numeric_column("class", y)
        if target_kind == "numeric"
        else draft.classes(y > _FRIEDMAN_THRESHOLD),
        relevant=names[:5],
        interactions=(names[:2],),
    )


@described_like(COMMON)
def make_simple(
    n_rows: int = 300,
    *,
    n_noise: int = 0,
    label_noise: float = 0.0,
    random_state: Any = None,
) -> Problem:
    """Two features that add up, seven that do not matter.

    The features x1 to x9 are uniform on [0, 1) and y = x1² + 2 x2. The class is 1
    where y is above its median in the sample.

    Parameters
    ----------
    n_noise : int, default=0
        Extra uniform features, after x3 to x9, which are such already.

    Examples
    --------
    >>> table, truth = make_simple(random_state=0)
    >>> int(table["class"].values.sum()), truth.relevant
    (150, ('x1', 'x2'))
    """
    draft = Draft("make_simple", n_noise, label_noise, random_state)
    n_rows = draft.rows(n_rows)
    x = draft.rng.random((n_rows, 9))
    y = x[:, 0] ** 2 + 2 * x[:, 1]
    names = numbered("x", 9)
    return draft.problem(
        numeric_columns(names, x) + draft.noise(n_rows, uniform_noise),
        draft.classes(y > np.median(y)),
        relevant=names[:2],
    )


@described_like(COMMON)
def make_gaussian_xor(
    n_rows: int = 500,
    *,
    n_noise: int = 0,
    label_noise: float = 0.0,
    random_state: Any = None,
) -> Problem:
    """Four Gaussian clusters on a square, classes alternating round it.

    Clusters of unit variance lie at (1, 1), (1, 8), (8, 8) and (8, 1) with equal
    chance; the first and third are class 0, the others class 1. Neither feature alone
    tells anything about the class.

    Parameters
    ----------
    n_noise : int, default=0
        Extra features with the distribution of the two: around 1 or around 8.

    Examples
    --------
    >>> table, truth = make_gaussian_xor(random_state=0)
    >>> far = [table[name].values > 4.5 for name in truth.relevant]
    >>> bool(((far[0] != far[1]) == table["class"].values).mean() > 0.99)
    True
    """
    draft = Draft("make_gaussian_xor", n_noise, label_noise, random_state)
    n_rows = draft.rows(n_rows)
    corners = draft.rng.integers(2, size=(n_rows, 2))
    x = np.take(_XOR_CENTRES, corners) + draft.rng.standard_normal((n_rows, 2))
    names = numbered("x", 2)
    return draft.problem(
        numeric_columns(names, x) + draft.noise(n_rows, _two_humps),
        draft.classes(corners[:, 0] ^ corners[:, 1]),
        relevant=names,
        interactions=(names,),
    )


def _two_humps(name: str, _: int, n_rows: int, rng: np.random.Generator) -> Column:
    centres = np.take(_XOR_CENTRES, rng.integers(2, size=n_rows))
    return numeric_column(name, centres + rng.standard_normal(n_rows))


@described_like(COMMON)
def make_local_line(
    n_rows: int = 500,
    *,
    n_noise: int = 0,
    label_noise: float = 0.0,
    random_state: Any = None,
) -> Problem:
    """Let a feature matter only where another one leaves the class open.

    Two features, uniform on [0, 1); the class is 1 where x2 > 2.5 x1 − 0.75. For x1
    below 0.3 the class is 1 and for x1 above 0.7 it is 0, whatever x2.

    Parameters
    ----------
    n_noise : int, default=0
        Extra uniform features.

    Examples
    --------
    >>> table, truth = make_local_line(random_state=0)
    >>> bool(table["class"].values[table["x1"].values < 0.3].all())
    True
    """
    draft = Draft("make_local_line", n_noise, label_noise, random_state)
    n_rows = draft.rows(n_rows)
    x = draft.rng.random((n_rows, 2))
    names = numbered("x", 2)
    return draft.problem(
        numeric_columns(names, x) + draft.noise(n_rows, uniform_noise),
        draft.classes(x[:, 1] > 2.5 * x[:, 0] - 0.75),
        relevant=names,
        interactions=(names,),
    )


@described_like(COMMON)
def make_copies(
    n_rows: int = 500,
    *,
    n_informative: int = 5,
    n_copies: int = 3,
    correlation: float = 0.95,
    n_noise: int = 0,
    label_noise: float = 0.0,
    random_state: Any = None,
) -> Problem:
    """Informative features, each with noisy copies of itself.

    The originals x1, x2, … are independent standard Gaussians and the class is 1 where
    their sum is positive. A copy is ρ x + √(1 − ρ²) e with standard Gaussian e. An
    original and its copies form one group: a good selection takes one of each.

    Parameters
    ----------
    n_informative : int, default=5
        How many originals.
    n_copies : int, default=3
        How many copies of each, named x1_copy_1 and so on.
    correlation : float, default=0.95
        The correlation ρ of a copy with its original.
    n_noise : int, default=0
        Extra independent Gaussians.

    Examples
    --------
    >>> truth = make_copies(n_informative=2, n_copies=1, random_state=0).truth
    >>> truth.groups
    (('x1', 'x1_copy_1'), ('x2', 'x2_copy_1'))
    """
    draft = Draft("make_copies", n_noise, label_noise, random_state)
    owner, n_rows = draft.owner, draft.rows(n_rows)
    n_informative = check_integer("n_informative", n_informative, owner, at_least=1)
    n_copies = check_integer("n_copies", n_copies, owner, at_least=1)
    correlation = check_real("correlation", correlation, owner, above=0, most=1)
    x = draft.rng.standard_normal((n_rows, n_informative))
    residual = np.sqrt(1 - correlation**2)
    columns: list[Column] = []
    groups: list[tuple[str, ...]] = []
    for name, original in zip(numbered("x", n_informative), x.T, strict=True):
        noise = draft.rng.standard_normal((n_rows, n_copies))
        copies = correlation * original[:, np.newaxis] + residual * noise
        groups.append((name, *numbered(f"{name}_copy_", n_copies)))
        columns += numeric_columns(groups[-1], np.column_stack([original, copies]))
    return draft.problem(
        columns + draft.noise(n_rows, gaussian_noise),
        draft.classes(x.sum(axis=1) > 0),
        relevant=[name for group in groups for name in group],
        redundant=groups,
    )


@described_like(COMMON)
def make_class_mixture(
    n_rows: int = 1000,
    *,
    n_classes: int = 5,
    separation: float = 2.5,
    n_noise: int = 0,
    label_noise: float = 0.0,
    random_state: Any = None,
) -> Problem:
    """Several classes, each recognised by a feature of its own.

    The classes 1, 2, … are equally likely. Feature xk is a unit Gaussian around
    `separation` in class k and around 0 in all others: it tells class k from the rest
    and nothing about the rest.

    Parameters
    ----------
    n_classes : int, default=5
        Number of classes, and of relevant features.
    separation : float, default=2.5
        Distance of the own class, in standard deviations.
    n_noise : int, default=0
        Extra standard Gaussians.

    Returns
    -------
    Problem
        The table and the truth; ``details["own_feature"]`` maps class to feature.

    Examples
    --------
    >>> problem = make_class_mixture(n_classes=3, random_state=0)
    >>> problem.details["own_feature"]
    {1: 'x1', 2: 'x2', 3: 'x3'}
    """
    draft = Draft("make_class_mixture", n_noise, label_noise, random_state)
    n_rows = draft.rows(n_rows)
    n_classes = check_integer("n_classes", n_classes, draft.owner, at_least=2)
    separation = check_real("separation", separation, draft.owner, above=0)
    labels = draft.rng.integers(n_classes, size=n_rows)
    x = draft.rng.standard_normal((n_rows, n_classes))
    x[np.arange(n_rows), labels] += separation
    names = numbered("x", n_classes)
    levels = range(1, n_classes + 1)
    return draft.problem(
        numeric_columns(names, x) + draft.noise(n_rows, gaussian_noise),
        draft.classes(labels, levels),
        relevant=names,
        details={"own_feature": dict(zip(levels, names, strict=True))},
    )


@described_like(COMMON)
def make_rare_class(
    n_rows: int = 3000,
    *,
    rare_share: float = 0.03,
    separation: float = 2.5,
    n_noise: int = 0,
    label_noise: float = 0.0,
    random_state: Any = None,
) -> Problem:
    """Two common classes and a rare one with a feature of its own.

    Feature x1 is a unit Gaussian around 0 in class "a" and around `separation` in
    class "b"; it takes either place with equal chance in class "rare". Feature x2 is a
    unit Gaussian around `separation` in class "rare" and around 0 elsewhere. What x2
    tells is little on average over all rows, and everything about the rare ones.

    Parameters
    ----------
    rare_share : float, default=0.03
        Share of the rare class, exact up to rounding; the others are equally likely.
    separation : float, default=2.5
        Distance between the two places of a feature, in standard deviations.
    n_noise : int, default=0
        Extra standard Gaussians.

    Returns
    -------
    Problem
        The table and the truth; ``details["own_feature"]`` maps the rare class to its
        feature.

    Examples
    --------
    >>> table = make_rare_class(random_state=0).table
    >>> table["class"].levels, int((table["class"].values == 2).sum())
    (('a', 'b', 'rare'), 90)
    """
    draft = Draft("make_rare_class", n_noise, label_noise, random_state)
    n_rows = draft.rows(n_rows)
    rare_share = check_real("rare_share", rare_share, draft.owner, above=0, below=1)
    separation = check_real("separation", separation, draft.owner, above=0)
    side = draft.rng.integers(2, size=n_rows)
    rare = np.zeros(n_rows, dtype=bool)
    rare[draft.rng.permutation(n_rows)[: max(1, round(rare_share * n_rows))]] = True
    x = draft.rng.standard_normal((n_rows, 2))
    x += separation * np.column_stack([side, rare])
    names = numbered("x", 2)
    return draft.problem(
        numeric_columns(names, x) + draft.noise(n_rows, gaussian_noise),
        draft.classes(np.where(rare, 2, side), ("a", "b", "rare")),
        relevant=names,
        details={"own_feature": {"rare": "x2"}},
    )


@described_like(COMMON)
def make_noise(
    n_rows: int = 1000,
    *,
    feature_kind: str = "continuous",
    n_noise: int = 100,
    n_levels: int = 20,
    n_classes: int = 2,
    random_state: Any = None,
) -> Problem:
    """Nothing but noise: whatever is found here is a mistake.

    Features and class are independent. Classes and levels are equally likely.

    Parameters
    ----------
    feature_kind : {"continuous", "binary", "levels", "mixed"}, default="continuous"
        Standard Gaussians, fair bits, nominal features of `n_levels` levels, or these
        three kinds in turn.
    n_noise : int, default=100
        Number of features.
    n_levels : int, default=20
        Levels of the nominal features.
    n_classes : int, default=2
        Number of classes.

    Returns
    -------
    Problem
        The table and the truth, in which every feature is irrelevant.

    Examples
    --------
    >>> truth = make_noise(n_noise=3, random_state=0).truth
    >>> truth.irrelevant
    ('noise_1', 'noise_2', 'noise_3')
    >>> truth.score([])["f1"], truth.score(["noise_2"])["f1"]
    (1.0, 0.0)
    """
    draft = Draft("make_noise", n_noise, 0.0, random_state)
    owner, n_rows = draft.owner, draft.rows(n_rows)
    n_levels = check_integer("n_levels", n_levels, owner, at_least=2)
    n_classes = check_integer("n_classes", n_classes, owner, at_least=2)
    makers: dict[str, NoiseMaker] = {
        "continuous": gaussian_noise,
        "binary": nominal_noise(BITS),
        "levels": nominal_noise(range(n_levels)),
    }
    check_choice("feature_kind", feature_kind, (*makers, "mixed"), owner)
    makers["mixed"] = noise_in_turn(*makers.values())
    labels = draft.rng.integers(n_classes, size=n_rows)
    return draft.problem(
        draft.noise(n_rows, makers[feature_kind]),
        draft.classes(labels, range(n_classes)),
    )
