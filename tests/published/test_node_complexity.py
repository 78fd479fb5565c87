"""Eq. 7.5 and table 7.1 of the thesis on ensembles, as the spec works them out."""

import math

import pytest

from featsieve.measures import node_complexity

COMPLEXITIES = {
    (1, 1): 0,
    (2, 1): 0.918296,
    (2, 2): 1.918296,
    (3, 2): 2.521928,
    (4, 1): 1.521928,
    (4, 2): 3.106891,
    (10, 10): 16.496626,
    (50, 50): 95.348717,
    (3, 2, 1): 4.906891,
    (2, 2, 2): 5.558520,
    (3, 3): 3.3219281,
    (4, 4): 5.2149973,
    (3, 2, 2): 6.7428169,
    (5, 5, 5, 5): 32.4498215,
}
# n, k: arrangements of k among n, and those that equal their reflection (table 7.1).
ARRANGEMENTS = {
    (4, 2): (6, 2),
    (5, 2): (10, 2),
    (6, 3): (20, 0),
    (7, 3): (35, 3),
    (8, 4): (70, 6),
}


@pytest.mark.parametrize(("counts", "bits"), COMPLEXITIES.items())
def test_complexity(counts, bits):
    assert node_complexity(counts) == pytest.approx(bits, abs=1e-6)


@pytest.mark.parametrize(("node", "expected"), ARRANGEMENTS.items())
def test_table_7_1(node, expected):
    rows, positive = node
    all_ways, symmetric = expected
    bits = math.log2(all_ways) - (1 - symmetric / all_ways)
    assert node_complexity([positive, rows - positive]) == pytest.approx(bits)
