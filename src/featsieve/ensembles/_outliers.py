"""Rows that the members of an ensemble get wrong: outliers, or wrong labels."""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np

from featsieve._checks import check_choice, check_integer, check_real
from featsieve._types import Mask
from featsieve.exceptions import DataError


def find_outliers(
    ensemble: Any, X: Any, y: Any, *, min_wrong: str | int | float = "majority"
) -> Mask:
    """Find rows whose class most or all members of an ensemble get wrong.

    Parameters
    ----------
    ensemble : fitted ensemble
        Any with ``member_predict`` and ``classes_``. Members that do not know rows by
        heart see more: bags of trees that stop in time, or an ensemble fitted on other
        rows.
    X : table of shape (n_rows, n_features)
        Columns as in `fit`.
    y : array-like of shape (n_rows,)
        The classes that are in doubt. A class the ensemble has not learnt is missed by
        all members.
    min_wrong : {"majority", "consensus"}, int or float, default="majority"
        How many members have to miss a row: half of them, all, a number, or a share
        above 0 and up to 1.

    Returns
    -------
    ndarray of bool of shape (n_rows,)
        True for an outlier.

    References
    ----------
    C. E. Brodley, M. A. Friedl, Identifying mislabeled training data, Journal of
    Artificial Intelligence Research 11, 1999.

    Examples
    --------
    >>> from featsieve.ensembles import BaggingEnsembleClassifier, find_outliers
    >>> X = [[i] for i in range(40)]
    >>> y = [int(i >= 20) for i in range(40)]
    >>> y[5] = 1  # a wrong label
    >>> ensemble = BaggingEnsembleClassifier(random_state=0).fit(X, y)
    >>> find_outliers(ensemble, X, y).nonzero()[0].tolist()
    [5]
    """
    predictions = ensemble.member_predict(X)
    n_estimators = len(predictions)
    if isinstance(min_wrong, str):
        check_choice("min_wrong", min_wrong, ("majority", "consensus"), "find_outliers")
        least = n_estimators / 2 if min_wrong == "majority" else n_estimators
    elif isinstance(min_wrong, numbers.Integral):
        least = check_integer(
            "min_wrong", min_wrong, "find_outliers", at_least=1, most=n_estimators
        )
    else:
        share = check_real("min_wrong", min_wrong, "find_outliers", above=0, most=1)
        # Rounding must not turn 7 of 10 into more than a share of 0.7.
        least = math.ceil(share * n_estimators - 1e-9)
    labels = np.asarray(y)
    if labels.shape != (predictions.shape[1],):
        raise DataError(
            f"y must have one class per row of X: {predictions.shape[1]}. Got shape "
            f"{labels.shape}."
        )
    known = {label: code for code, label in enumerate(ensemble.classes_.tolist())}
    truth = np.array([known.get(label, len(known)) for label in labels.tolist()])
    misses = np.count_nonzero(predictions != truth, axis=0)
    return misses >= least
