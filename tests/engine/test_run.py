import threading

import joblib
import pytest

from featsieve.engine import run_tasks


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
