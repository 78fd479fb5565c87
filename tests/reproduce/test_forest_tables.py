"""Tables on forests, run on made-up votes."""

import numpy as np

from featsieve.reproduce._forest_tables import chosen, error_of, mean_q, try_forest
from reproduce.made_up import ran, write


def test_forests_and_ensembles_of_votes(tmp_path, random):
    party = random.choice(["democrat", "republican"], 60)
    votes = {
        f"v{k}": np.where(
            random.random(60) < 0.9, np.where(party == "democrat", "y", "n"), ""
        )
        for k in range(3)
    }
    write(tmp_path, "house-votes-84", votes, party)
    cells = [
        cell
        for cell in ran(tmp_path, "ensembles-5.8", "forests-8.2", "forests-8.6")
        if cell["row"] == "votes"
    ]
    assert len(cells) == 6 + 4 + 4
    errors = [c["ours"] for c in cells if "error" in c["column"]]
    assert max(errors) < 0.2
    assert {c["n_runs"] for c in cells} == {10}


def test_a_forest_of_local_sampling_on_what_passes_the_stricter_test(random):
    y = random.integers(0, 2, 300)
    X = random.normal(size=(300, 12))
    X[:, 0] += 2 * y
    split = (X[:200], y[:200], X[200:], y[200:])
    strict = chosen("RF HT + LOCAL", *split[:2], 0)
    assert 0 in strict
    assert set(strict) <= set(chosen("RF HT", *split[:2], 0))
    scores = try_forest("RF HT + LOCAL", split, 0)
    assert scores["kept"] == len(strict) < 12
    assert scores["error"] < 0.3


def test_a_tie_is_half_an_error():
    shares = np.array([[0.5, 0.5], [0.9, 0.1], [0.2, 0.8]])
    assert error_of(shares, np.array([0, 0, 0])) == (0.5 + 0 + 1) / 3


def test_q_of_members_that_fail_together_and_apart():
    y = np.zeros(4, dtype=int)
    alike, apart = [0, 0, 1, 1], [1, 1, 0, 0]
    assert mean_q(np.array([alike, alike]), y) == 1
    assert mean_q(np.array([alike, apart]), y) == -1
