"""Which features use each other up."""

import numpy as np

from featsieve.data import read_table
from featsieve.embedded import _relatives
from featsieve.embedded._relatives import used_up


def test_copies_children_and_strangers():
    random = np.random.default_rng(0)
    city = random.integers(0, 12, 400)
    x = random.normal(size=400)
    table = read_table(
        {
            "city": [f"c{code}" for code in city],
            "region": [f"r{code // 4}" for code in city],
            "x": x,
            "copy": np.exp(x),
            "near": x + 0.4 * random.normal(size=400),
            "far": x + 3 * random.normal(size=400),
            "id": [f"i{row}" for row in range(400)],
            "gaps": np.where(random.random(400) < 0.5, np.nan, random.normal(size=400)),
        },
    )
    marks = used_up(table)
    found = {
        (table.names[i], table.names[j])
        for i, j in zip(*np.nonzero(marks), strict=True)
    }
    # Splitting by region leaves much of the city open.
    assert found == {
        ("region", "city"),
        ("city", "region"),
        ("x", "copy"),
        ("copy", "x"),
        ("x", "near"),
        ("near", "x"),
        ("copy", "near"),
        ("near", "copy"),
    }


def test_nothing_where_there_is_nothing_or_too_much(monkeypatch):
    X = np.random.default_rng(1).normal(size=(200, 4))
    assert used_up(read_table(X)) is None
    same = read_table(np.repeat(X[:, :1], 2, axis=1))
    assert used_up(same).tolist() == [[False, True], [True, False]]
    monkeypatch.setattr(_relatives, "MOST_FEATURES", 1)
    assert used_up(same) is None
