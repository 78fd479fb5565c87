"""A few cells of the thesis' tables 5.2 to 5.8; the benchmark prints all of them."""

import numpy as np
import pytest
from benchmarks.published.ensembles import (
    PRINTED,
    SETS,
    compare,
    eye_words,
    load,
    methods,
    try_once,
)

pytestmark = pytest.mark.published
N_SPLITS = 8


@pytest.mark.parametrize(
    ("name", "method"),
    [("votes", "DivBoost W1"), ("votes", "Bagging"), ("wbc", "Rotation")],
)
def test_cells_are_within_four_standard_errors(shared_dir, name, method):
    folder = shared_dir / "data"
    if not (folder / str(SETS[name])).is_dir():
        pytest.skip(f"needs data/{SETS[name]}")
    X, y = load(folder, name)
    results = [
        try_once(methods()[method](split), X, y, split) for split in range(N_SPLITS)
    ]
    groups = np.zeros(N_SPLITS, dtype=int)
    cells = compare(np.array(results), groups, PRINTED[method][name])
    # Q of so few splits is too skewed for a normal z.
    for measure, (ours, printed, z) in zip(("error", "base"), cells, strict=False):
        assert abs(z) < 4, (measure, ours, printed)


def test_eye_words_are_as_many_as_printed(shared_dir):
    if not (shared_dir / "data" / "eye_movements").is_dir():
        pytest.skip("needs data/eye_movements")
    X, y = eye_words(shared_dir / "data")
    assert X.shape == (3744, 22)
    assert y.sum() == 1594
