"""One expert: a learner for some classes, all others being "other" to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from featsieve.data import Table
from featsieve.data._matrix import MatrixEncoder, reads_typed_tables
from featsieve.engine import derive_seed
from featsieve.ensembles._combination import best_answer
from featsieve.ensembles._neighbours import NearestRows, neighbour_votes
from featsieve.trees import C45Tree

__all__ = ["Expert", "ExpertAnswers", "fit_expert", "make_learner"]


@dataclass(frozen=True, slots=True, eq=False)
class ExpertAnswers:
    """What an expert says about rows.

    `posteriors` and `nearness` have one column per class and a last one for "other";
    `nearness` is None for learners that know no distances.
    """

    posteriors: NDArray[np.float64]
    nearness: NDArray[np.float64] | None

    def winners(self) -> NDArray[np.int64]:
        """Return the class that the expert says for each row."""
        return best_answer(self.posteriors, self.nearness)


@dataclass(frozen=True, slots=True, eq=False)
class Expert:
    """A fitted learner, the classes it knows, and the features it looks at.

    `n_rows` counts the rows of its sample, of which `n_different` are different ones.
    """

    positives: NDArray[np.int64]
    model: Any
    encoder: MatrixEncoder | None
    features: tuple[str, ...]
    labels: NDArray[np.int64]
    n_classes: int
    n_rows: int
    n_different: int

    def answer(self, table: Table) -> ExpertAnswers:
        """Return posteriors of all classes for the rows of a table."""
        X = table.select(self.features)
        given = X if self.encoder is None else self.encoder.transform(X)
        if hasattr(self.model, "kneighbors"):
            distances, rows = self.model.kneighbors(given)
            codes = self.labels[rows]
            return ExpertAnswers(*neighbour_votes(distances, codes, self.n_classes + 1))
        posteriors = np.zeros((table.n_rows, self.n_classes + 1))
        codes = np.asarray(self.model.classes_, dtype=np.int64)
        posteriors[:, codes] = self.model.predict_proba(given)
        return ExpertAnswers(posteriors, None)


def make_learner(estimator: Any) -> Any:
    """Return the learner that a name stands for, or the estimator itself."""
    if isinstance(estimator, str):
        return {"c4.5": C45Tree, "5-nn": NearestRows}[estimator]()
    return clone(estimator)


def fit_expert(  # noqa: PLR0917  (a task)
    table: Table,
    codes: NDArray[np.int32],
    rows: NDArray[np.int64],
    positives: NDArray[np.int64],
    n_classes: int,
    settings: tuple[Any, Any, int],
) -> Expert:
    """Fit a learner to sampled rows, with all classes but `positives` as "other".

    `settings` are the estimator, the selector or None, and a seed.
    """
    estimator, selector, seed = settings
    labels = codes[rows].astype(np.int64)
    labels[~np.isin(labels, positives)] = n_classes
    sample = table.take(rows)
    features = sample.names
    if selector is not None:
        chooser = _seeded(clone(selector), derive_seed(seed, "selector"))
        features = _chosen(chooser, sample, labels) or features
        sample = sample.select(features)
    model = _seeded(make_learner(estimator), derive_seed(seed, "learner"))
    encoder = None
    given: Any = sample
    if not reads_typed_tables(model):
        encoder = MatrixEncoder(one_hot=True).fit(sample)
        given = encoder.transform(sample)
    model.fit(given, labels)
    return Expert(
        positives,
        model,
        encoder,
        features,
        labels,
        n_classes,
        len(rows),
        len(np.unique(rows)),
    )


def _chosen(
    chooser: Any, sample: Table, labels: NDArray[np.int64]
) -> tuple[str, ...] | None:
    """Return the names a selector keeps; None if it keeps nothing."""
    given: Any = sample
    if not reads_typed_tables(chooser):
        given = MatrixEncoder(one_hot=False).fit(sample).transform(sample)
    mask = chooser.fit(given, labels).get_support()
    return tuple(name for name, kept in zip(sample.names, mask, strict=True) if kept)


def _seeded(estimator: Any, seed: int) -> Any:
    seeds = {
        key: seed % 2**31
        for key, value in estimator.get_params(deep=True).items()
        if value is None and key.rpartition("__")[2] == "random_state"
    }
    return estimator.set_params(**seeds) if seeds else estimator
