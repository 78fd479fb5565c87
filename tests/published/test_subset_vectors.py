"""Subset searches on associations printed in, or derived from, the papers."""

import numpy as np
import pytest

from featsieve.selectors._decision_rules import CATEGORIES, choose_by_rules
from featsieve.selectors.associations._associations import GivenAssociations
from featsieve.selectors.associations._subset_search import greedy_forward, subset_merit

# Made for the search of P. E. N. Lutu's thesis, section 5.4.2, and worked by hand.
WITH_CLASS = [0.9, 0.6, 0.55, 0.35, 0.2, 0.05, 0.7]
BETWEEN = np.eye(7)
for first, second, value in (
    (0, 1, 0.25),
    (0, 2, 0.15),
    (0, 3, 0.1),
    (0, 4, 0.05),
    (0, 6, 0.6),
    (1, 2, 0.2),
    (1, 3, 0.4),
    (2, 3, 0.35),
    (1, 6, 0.55),
    (2, 6, 0.5),
    (3, 4, 0.2),
):
    BETWEEN[first, second] = BETWEEN[second, first] = value


def test_decision_rules():
    chosen, others, _ = choose_by_rules(GivenAssociations(WITH_CLASS, BETWEEN))
    assert [verdict.feature for verdict in chosen] == [0, 2, 1, 3, 4, 6]
    assert [verdict.category for verdict in chosen[1:]] == list("AABCD")
    assert [(verdict.feature, verdict.category) for verdict in others] == [(5, "F")]


def test_table_of_categories():
    # Table 5.9, sp1 to sp13; sp1 is F whatever the mean association.
    assert "".join(CATEGORIES[0]) == "FFFF"
    assert "".join(CATEGORIES[1:].ravel()) == "CCCF" + "BBDE" + "AADE"


def test_forward_search_by_merit():
    given = GivenAssociations(WITH_CLASS, BETWEEN)
    found = greedy_forward(given, n_features=7)
    assert [step["feature"] for step in found.steps] == [0, 2, 1, 4, 6, 3, 5]
    merits = [step["merit"] for step in found.steps]
    assert int(np.argmax(merits)) == 2
    assert merits[2] == pytest.approx(1.000298, abs=5e-7)
    assert greedy_forward(given).subset == (0, 1, 2)


def test_merit_grows_less_than_noise_costs():
    # Table 5.8: 26 features, merit 1.518, total feature-feature association 10.752. A
    # feature of .044 that shares nothing lowers the merit to 1.508 (printed: 1.509).
    k, total, merit = 26, 10.752, 1.518
    relevance = merit * np.sqrt(k + 2 * total)
    cf = np.append(np.full(k, relevance / k), 0.044)
    ff = np.full((k + 1, k + 1), total / (k * (k - 1) / 2))
    ff[k], ff[:, k] = 0.0, 0.0
    np.fill_diagonal(ff, 1.0)
    given = GivenAssociations(cf, ff)
    assert subset_merit(given, range(k)) == pytest.approx(1.518)
    assert subset_merit(given, range(k + 1)) == pytest.approx(1.5085, abs=1e-3)
