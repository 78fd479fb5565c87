from __future__ import annotations

import pytest

import featsieve
from featsieve.datasets import make_mixed


@pytest.fixture(scope="session")
def mixed():
    """The table of the demo: interactions, copies, gaps, an ID, a constant, noise."""
    return make_mixed(1200, n_noise=6, random_state=2)


@pytest.fixture(scope="session")
def selection(mixed):
    """What select makes of it."""
    return featsieve.select(mixed.table, verbose=False)
