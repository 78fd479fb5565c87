"""Tasks in order and as they come, in threads, processes or on a cluster."""

from __future__ import annotations

import hashlib
import threading
from types import SimpleNamespace

import joblib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from joblib import parallel_config

from featsieve.engine import derive_seed, root_seed, run_tasks, stream_tasks
from featsieve.engine.api import sum_over_parts


@pytest.mark.parametrize("n_jobs", [None, 1, 2, -1])
def test_results_come_in_the_order_of_the_tasks(n_jobs):
    assert run_tasks(divmod, [(7, k) for k in range(1, 9)], n_jobs=n_jobs) == [
        divmod(7, k) for k in range(1, 9)
    ]


def test_no_tasks_give_no_results():
    assert run_tasks(pow, [], n_jobs=2) == []


def test_an_error_in_a_task_is_raised():
    with pytest.raises(ZeroDivisionError):
        run_tasks(divmod, [(1, 1), (1, 0)], n_jobs=2)


def test_parallel_config_decides_when_no_number_of_jobs_is_given():
    together = threading.Barrier(2, timeout=30)
    with joblib.parallel_config("threading", n_jobs=2):
        # Two tasks that wait for each other end only if both run at once.
        assert len(run_tasks(together.wait, [(), ()])) == 2


def test_shared_memory_keeps_tasks_in_this_process():
    seen = []
    with joblib.parallel_config("loky", n_jobs=2):
        run_tasks(seen.append, [(1,), (2,)], shared_memory=True)
    assert sorted(seen) == [1, 2]


@pytest.mark.parametrize("n_jobs", [None, 1, 2])
def test_every_task_is_answered_under_its_number(n_jobs):
    got = dict(stream_tasks(pow, [(k, 2) for k in range(20)], n_jobs=n_jobs))
    assert got == {k: k**2 for k in range(20)}


def test_a_result_comes_before_slower_ones_end():
    quick_was_seen = threading.Event()

    def wait(slow):
        if slow:
            assert quick_was_seen.wait(30)
        return slow

    for _, slow in stream_tasks(wait, [(True,), (False,)], n_jobs=2):
        if not slow:
            quick_was_seen.set()


def test_errors_reach_the_caller():
    with pytest.raises(ZeroDivisionError):
        list(stream_tasks(divmod, [(1, 0)], n_jobs=2))


CONTENT = st.lists(st.text() | st.integers() | st.binary(), max_size=4)


def plain_seed(seed, content):
    """Return the seed by its definition: lengths and bytes, hashed to eight."""
    text = str(seed).encode()
    for part in content:
        raw = part if isinstance(part, bytes) else str(part).encode()
        text += len(raw).to_bytes(8, "little") + raw
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little")


@given(st.integers(0, 2**70), CONTENT)
def test_derived_seeds_equal_the_definition(seed, content):
    assert derive_seed(seed, *content) == plain_seed(seed, content)


def test_parts_are_not_run_together():
    assert derive_seed(0, "ab", "c") != derive_seed(0, "a", "bc")
    assert derive_seed(0, "a") != derive_seed(0, "a", "")
    assert derive_seed(np.int64(3), "a") == derive_seed(3, "a")


def test_seeds_never_change():
    # Whoever published a result has it with these.
    assert derive_seed(0, "alone") == 7675320210162731078
    assert derive_seed(7) == 9407870976149377255


def test_roots():
    assert root_seed(0) == 0
    assert root_seed(np.int32(5)) == 5
    assert type(root_seed(np.int32(5))) is int
    assert root_seed(np.random.RandomState(3)) == np.random.RandomState(3).randint(
        2**31 - 1
    )
    assert root_seed(None) != root_seed(None)


@pytest.mark.parametrize("bad", [-1, "x", 0.5])
def test_what_is_no_seed(bad):
    with pytest.raises(ValueError, match="must be an int >= 0, a RandomState or None"):
        root_seed(bad)


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
