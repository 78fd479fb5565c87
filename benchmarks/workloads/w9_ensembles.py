"""W9: bagged and boosted trees, rotations, and the diversity of very many members."""

from __future__ import annotations

import os
import subprocess
import tempfile
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.decomposition import PCA
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier
from sklearn.tree import DecisionTreeClassifier

from benchmarks._harness import Contestant, Seconds, Workload
from benchmarks.limits import count_pairs, pack
from featsieve.diversity import pairwise_diversity
from featsieve.ensembles import (
    AdaBoostEnsembleClassifier,
    BaggingEnsembleClassifier,
    PCARotationEnsembleClassifier,
)
from featsieve.trees import MDLTreeClassifier, RandomTreeClassifier

N_MEMBERS = 100
N_ROWS = 100_000  # of diversity


@dataclass
class Labelled:
    X: np.ndarray
    y: np.ndarray


def make_rows(rows: int, columns: int) -> Labelled:
    """Return Gaussian columns of which five matter, two of them together."""
    random = np.random.default_rng(0)
    X = random.normal(size=(rows, columns))
    signal = X[:, 0] * X[:, 1] + X[:, 2] + 0.5 * X[:, 3] - X[:, 4]
    return Labelled(X, (signal + random.normal(size=rows) > 0).astype(np.int64))


def exhaustive(depth: int | None) -> RandomTreeClassifier:
    """Return our tree of scikit-learn's kind: all features, until pure or this deep."""
    return RandomTreeClassifier(max_features=None, max_depth=depth)


def theirs(depth: int | None) -> DecisionTreeClassifier:
    return DecisionTreeClassifier(criterion="entropy", max_depth=depth)


def bag_ours(data: Labelled, tree: Any) -> Any:
    ensemble = BaggingEnsembleClassifier(tree, n_estimators=N_MEMBERS, random_state=0)
    return ensemble.fit(data.X, data.y)


def bag_theirs(data: Labelled, depth: int | None) -> Any:
    ensemble = BaggingClassifier(theirs(depth), n_estimators=N_MEMBERS, random_state=0)
    return ensemble.fit(data.X, data.y)


def boost_ours(data: Labelled, depth: int, sampling: str = "reweight") -> Any:
    ensemble = AdaBoostEnsembleClassifier(
        exhaustive(depth), n_estimators=N_MEMBERS, sampling=sampling, random_state=0
    )
    return ensemble.fit(data.X, data.y)


def boost_theirs(data: Labelled, depth: int) -> Any:
    ensemble = AdaBoostClassifier(theirs(depth), n_estimators=N_MEMBERS, random_state=0)
    return ensemble.fit(data.X, data.y)


def rotate_ours(data: Labelled) -> Any:
    ensemble = PCARotationEnsembleClassifier(
        exhaustive(None), n_estimators=N_MEMBERS, random_state=0
    )
    return ensemble.fit(data.X, data.y)


def rotate_by_parts(data: Labelled) -> list[Any]:
    """Return the same ensemble put together from scikit-learn's PCA and trees."""
    random = np.random.default_rng(0)
    members = []
    for _ in range(N_MEMBERS):
        bag = random.integers(0, len(data.X), len(data.X))
        X, y = data.X[bag], data.y[bag]
        order = random.permutation(X.shape[1])
        groups = [order[i : i + 3] for i in range(0, len(order), 3)]
        turned = [PCA().fit(X[:, group]) for group in groups]
        rotated = np.hstack(
            [pca.transform(X[:, g]) for pca, g in zip(turned, groups, strict=True)]
        )
        members.append((groups, turned, theirs(None).fit(rotated, y)))
    return members


AEON = """
import sys, time
import numpy as np
from aeon.classification.sklearn import RotationForestClassifier
data = np.load(sys.argv[1])
for _ in range(2):  # the first run warms up what is imported late
    begin = time.process_time()
    forest = RotationForestClassifier(n_estimators=int(sys.argv[2]), random_state=0)
    forest.fit(data["X"], data["y"])
    seconds = time.process_time() - begin
print(seconds)
"""


def rotate_theirs(data: Labelled) -> Seconds:
    """Return CPU seconds of aeon, which wants older versions than ours beside it.

    AEON_PYTHON names an interpreter that has it, for instance of an environment made
    by ``python -m venv aeon && aeon/bin/pip install aeon``.
    """
    python = os.environ.get("AEON_PYTHON")
    if python is None:
        raise ImportError(name="AEON_PYTHON")
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/rows.npz"
        np.savez(path, X=data.X, y=data.y)
        answer = subprocess.run(
            [python, "-c", AEON, path, str(N_MEMBERS)],
            capture_output=True,
            text=True,
            check=True,
        )
    return Seconds(float(answer.stdout))


def grown_alike(ours: Any, peer: Any) -> bool:
    """Whether members have about as many nodes; the bags differ."""
    if not hasattr(peer, "estimators_"):
        return True
    mine = np.mean([member.node_count_ for member in ours.members_])
    its = np.mean([member.tree_.node_count for member in peer.estimators_])
    return len(ours.members_) == len(peer.estimators_) and abs(mine / its - 1) < 0.1


def fitted(fit: Any) -> Any:
    """Return how to fit on some rows and be ready to predict all."""
    return lambda data: (fit(Labelled(data.X[:1000], data.y[:1000])), data.X)


def predict(ready: tuple[Any, np.ndarray]) -> np.ndarray:
    ensemble, X = ready
    return ensemble.predict(X)


# Diversity.


def make_correct(rows: int, members: int) -> np.ndarray:
    """Return who is right where: members of 70 % who fail together on hard rows."""
    random = np.random.default_rng(0)
    hard = random.random(rows) * 0.6
    return random.random((members, rows)) > hard


def q_of_all(correct: np.ndarray) -> np.ndarray:
    return pairwise_diversity(correct, np.ones(correct.shape[1], dtype=bool))


def q_by_product(correct: np.ndarray) -> np.ndarray:
    """Return Q as one would in NumPy: a product of matrices counts the pairs."""
    whole = correct.astype(np.float32)
    both = (whole @ whole.T).astype(np.float64)
    return q_of_counts(both, correct.shape[1])


def q_of_counts(both: np.ndarray, rows: int) -> np.ndarray:
    """Return Q from rows that both are right in, for every two members."""
    right = np.diagonal(both)
    first, second = right[:, np.newaxis] - both, right - both
    neither = rows - both - first - second
    return (both * neither - first * second) / (both * neither + first * second)


def close(a: np.ndarray, b: np.ndarray) -> bool:
    if b.dtype == np.uint32:  # a limit counts the upper triangle, and that is all
        b = np.triu(b) + np.triu(b, 1).T
        b = q_of_counts(b[: len(a), : len(a)].astype(np.float64), N_ROWS)
    return bool(np.allclose(a, b, atol=1e-6))


SIZES = {
    "default": {"rows": 1_000, "columns": 30},
    "rows x2": {"rows": 2_000, "columns": 30},
    "columns x2": {"rows": 1_000, "columns": 60},
}

WORKLOADS = [
    Workload(
        name="W9-bagging",
        title=f"{N_MEMBERS} bagged entropy trees",
        make=make_rows,
        sizes=SIZES,
        contestants=(
            Contestant(
                "BaggingEnsembleClassifier",
                partial(bag_ours, tree=exhaustive(None)),
                ours=True,
            ),
            Contestant(
                "BaggingEnsembleClassifier(MDLTreeClassifier())",
                partial(bag_ours, tree=MDLTreeClassifier()),
                ours=True,
            ),
            Contestant(
                "scikit-learn BaggingClassifier", partial(bag_theirs, depth=None)
            ),
        ),
        targets="at least 3 times scikit-learn",
        same=grown_alike,
    ),
    *(
        Workload(
            name=f"W9-boosting-{depth}",
            title=f"{N_MEMBERS} boosted entropy trees of depth {depth}",
            make=make_rows,
            sizes=SIZES,
            contestants=(
                Contestant(
                    "AdaBoostEnsembleClassifier",
                    partial(boost_ours, depth=depth),
                    ours=True,
                ),
                Contestant(
                    "AdaBoostEnsembleClassifier, resampled",
                    partial(boost_ours, depth=depth, sampling="resample"),
                    ours=True,
                ),
                Contestant(
                    "scikit-learn AdaBoostClassifier",
                    partial(boost_theirs, depth=depth),
                ),
            ),
            targets="at least 3 times scikit-learn",
            same=grown_alike,
        )
        for depth in (1, 3)
    ),
    Workload(
        name="W9-rotation",
        title=f"{N_MEMBERS} entropy trees on principal components of groups of three",
        make=make_rows,
        sizes=SIZES,
        contestants=(
            Contestant("PCARotationEnsembleClassifier", rotate_ours, ours=True),
            Contestant("scikit-learn PCA and trees", rotate_by_parts),
            Contestant("aeon RotationForestClassifier", rotate_theirs),
        ),
        targets="at least 3 times either",
    ),
    Workload(
        name="W9-predict",
        title=f"prediction of {N_MEMBERS} bagged entropy trees",
        make=make_rows,
        sizes={"default": {"rows": 10_000, "columns": 30}},
        contestants=(
            Contestant(
                "BaggingEnsembleClassifier",
                predict,
                fitted(partial(bag_ours, tree=exhaustive(None))),
                ours=True,
            ),
            Contestant(
                "scikit-learn BaggingClassifier",
                predict,
                fitted(partial(bag_theirs, depth=None)),
            ),
        ),
        targets="ahead of scikit-learn",
    ),
    Workload(
        name="W9-diversity",
        title="Q of all pairs of members",
        make=make_correct,
        sizes={
            "default": {"rows": N_ROWS, "members": 1_000},
            "rows x2": {"rows": 200_000, "members": 1_000},
            "columns x2": {"rows": 100_000, "members": 2_000},
        },
        contestants=(
            Contestant("pairwise_diversity", q_of_all, ours=True),
            Contestant("NumPy product of matrices", q_by_product),
            Contestant(
                "limit: AND and vector popcount, packed before",
                partial(count_pairs, by_vectors=True),
                pack,
            ),
            Contestant(
                "limit: AND and POPCNT, packed before",
                partial(count_pairs, by_vectors=False),
                pack,
            ),
        ),
        targets="within 3 times the faster limit: 500,000 pairs of 1,563 words",
        same=close,
    ),
]
