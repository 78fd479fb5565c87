"""Clusters on the corners of a cube, hidden among probes.

Reference: I. Guyon, "Design of experiments for the NIPS 2003 variable selection
benchmark", 2003, section on MADELON.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from featsieve._checks import check_integer, check_real
from featsieve._docs import described_like
from featsieve._types import Array
from featsieve.datasets._problem import (
    COMMON,
    Draft,
    Problem,
    gaussian_noise,
    numbered,
    numeric_columns,
)


@described_like(COMMON)
def make_madelon_like(
    n_rows: int = 2000,
    *,
    n_features: int = 500,
    n_informative: int = 5,
    n_combinations: int = 5,
    n_repeated: int = 10,
    separation: float = 2.0,
    label_noise: float = 0.01,
    random_state: Any = None,
) -> Problem:
    """Gaussian clusters on the corners of a cube, with half the corners in each class.

    Each corner of a cube of side ``2 * separation`` in `n_informative` dimensions
    carries a cluster of random covariance; half of the corners, drawn at random, are
    class 1. Further columns are random linear combinations of the informative ones,
    exact repeats of either, and standard Gaussian probes. Rows and columns are
    shuffled. The recipe is that of the MADELON data, which scikit-learn's
    ``make_classification`` follows too. (With a cluster on every corner the latter
    gives the class to the parity of the corner's number, that is, to a single feature;
    here corners are drawn again until each informative feature matters.)

    In the truth, each informative feature is a group, joined by its repeats. The
    combinations and their repeats are ``harmless``: they tell about the class, but the
    informative features tell all of it. (Enough combinations could stand in for the
    informative features; such a selection is not counted as a find.)

    Parameters
    ----------
    n_features : int, default=500
        Number of columns in all; those left over are probes, noise_1 and so on.
    n_informative : int, default=5
        Dimension of the cube, 2 to 10.
    n_combinations : int, default=5
        Number of linear combinations.
    n_repeated : int, default=10
        Number of repeats.
    separation : float, default=2.0
        Half the side of the cube; a cluster's standard deviation along a feature is
        about ``sqrt(n_informative / 3)``.

    Returns
    -------
    Problem
        The table and the truth. The informative features are one interaction.
        ``details["repeats"]`` maps each repeat to what it repeats.

    Examples
    --------
    >>> table, truth = make_madelon_like(100, n_features=30, random_state=0)
    >>> table.n_columns, len(truth.groups), len(truth.irrelevant)
    (30, 5, 10)
    """
    owner = "make_madelon_like"
    n_informative = check_integer(
        "n_informative", n_informative, owner, at_least=2, most=10
    )
    n_combinations = check_integer("n_combinations", n_combinations, owner, at_least=0)
    n_repeated = check_integer("n_repeated", n_repeated, owner, at_least=0)
    separation = check_real("separation", separation, owner, above=0)
    n_useful = n_informative + n_combinations + n_repeated
    n_features = check_integer("n_features", n_features, owner, at_least=n_useful)
    draft = Draft(owner, n_features - n_useful, label_noise, random_state)
    n_rows = draft.rows(n_rows)

    corners = np.arange(n_rows) % 2**n_informative
    draft.rng.shuffle(corners)
    classes = _corner_classes(n_informative, draft.rng)
    x = _clusters(corners, n_informative, separation, draft.rng)
    mixing = draft.rng.uniform(-1, 1, size=(n_informative, n_combinations))
    x = np.column_stack([x, x @ mixing])

    informative = numbered("informative_", n_informative)
    combinations = numbered("combination_", n_combinations)
    originals = informative + combinations
    sources = draft.rng.integers(len(originals), size=n_repeated)
    repeats = {
        name: originals[source]
        for name, source in zip(numbered("repeat_", n_repeated), sources, strict=True)
    }
    groups = [
        (name, *(copy for copy, source in repeats.items() if source == name))
        for name in informative
    ]
    columns = numeric_columns(
        (*originals, *repeats), np.column_stack([x, x[:, sources]])
    ) + draft.noise(n_rows, gaussian_noise)
    return draft.problem(
        [columns[i] for i in draft.order_rng.permutation(len(columns))],
        draft.classes(classes[corners]),
        relevant=[name for group in groups for name in group],
        redundant=[group for group in groups if len(group) > 1],
        interactions=(informative,),
        harmless=[
            *combinations,
            *(copy for copy, source in repeats.items() if source in combinations),
        ],
        details={"repeats": repeats},
    )


def _corner_classes(n_dimensions: int, rng: np.random.Generator) -> Array:
    """Give half of the corners to each class so that every dimension matters."""
    while True:
        classes = rng.permutation(2**n_dimensions) % 2
        cube = classes.reshape((2,) * n_dimensions)
        if all(np.diff(cube, axis=i).any() for i in range(n_dimensions)):
            return classes


def _clusters(
    corners: Array, n_dimensions: int, separation: float, rng: np.random.Generator
) -> Array:
    """Draw a point of the cluster on the given corner, for each row."""
    places = np.indices((2,) * n_dimensions).reshape(n_dimensions, -1).T
    x = rng.standard_normal((len(corners), n_dimensions))
    for corner, place in enumerate(places):
        rows = corners == corner
        shape = rng.uniform(-1, 1, size=(n_dimensions, n_dimensions))
        x[rows] = x[rows] @ shape + separation * (2 * place - 1)
    return x
