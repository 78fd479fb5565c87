"""Sums over parts: the same by one job, by threads and by processes."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from joblib import parallel_config

from featsieve.engine.api import sum_over_parts


class Total:
    """The parts it was made of, in order."""

    def __init__(self, parts):
        self.groups = [[part.number for part in parts]]
        self.plans = []

    def merge(self, other, plan):
        self.groups += other.groups
        self.plans.append(plan)


def parts_of(n):
    return [SimpleNamespace(number=k, rows=10 + k) for k in range(n)]


def add(parts, plan, progress):  # noqa: ARG001  (as counters are called)
    for part in parts:
        if progress is not None:
            progress(part.rows)
    return Total(parts)


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_every_part_is_counted_once_and_told(backend):
    told = []
    with parallel_config(backend, n_jobs=2):
        found = sum_over_parts(add, parts_of(5), "plan", progress=told.append)
    assert found.groups == [[0, 2, 4], [1, 3]]  # parts of all ages in each
    assert found.plans == ["plan"]
    assert sum(told) == 10 + 11 + 12 + 13 + 14
    # Threads tell of every part, processes of what they were given.
    assert len(told) == (5 if backend == "threading" else 2)


def test_no_more_groups_than_parts_or_jobs():
    assert sum_over_parts(add, parts_of(2), None, n_jobs=8).groups == [[0], [1]]
    assert sum_over_parts(add, parts_of(3), None, n_jobs=1).groups == [[0, 1, 2]]
    assert sum_over_parts(add, parts_of(3), None).groups == [[0, 1, 2]]


def test_parts_that_are_elsewhere_are_counted_by_all_there_are():
    parts = [SimpleNamespace(number=k, rows=1, remote=True) for k in range(2)]
    with parallel_config("threading", n_jobs=2):
        assert sum_over_parts(add, parts, None).groups == [[0], [1]]
