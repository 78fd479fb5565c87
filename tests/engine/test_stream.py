import threading

import pytest

from featsieve.engine import stream_tasks


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
