"""Sum over the parts of a table, in threads, in processes or on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from joblib import delayed, effective_n_jobs
from joblib.parallel import get_active_backend

from featsieve.engine._cluster_sums import (
    current_client,
    is_delayed,
    sum_on_cluster,
)
from featsieve.engine._run import parallel


def sum_over_parts(
    function: Callable[..., Any],
    parts: Sequence[Any],
    plan: Any,
    *,
    n_jobs: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Any:
    """Return the sum of ``function(some_parts, plan, progress)`` over all parts.

    Partial results have a method ``merge(other, plan)``; sums must not depend on how
    parts are grouped, as those of whole numbers do not. Jobs are threads unless
    ``joblib.parallel_config`` says otherwise. `progress` is passed on to threads of
    this process; elsewhere it is told the rows of every group of parts that is done.
    """
    late = is_delayed(getattr(parts[0], "source", None))
    remote = late or getattr(parts[0], "remote", False)
    client = current_client(anyway=remote)
    if late or (client is not None and (remote or len(parts) > 1)):
        return sum_on_cluster(function, parts, plan, client, progress)
    if remote and n_jobs is None:
        n_jobs = -1  # as Dask would have it
    # One group per job: parts of all ages are in each, and every group starts its
    # counts anew, which takes as long as counting half a million rows.
    n_groups = min(len(parts), max(1, effective_n_jobs(n_jobs)))
    groups = [list(parts[i::n_groups]) for i in range(n_groups)]
    if n_groups == 1:
        return function(groups[0], plan, progress)
    backend, _ = get_active_backend(prefer="threads")
    here = getattr(backend, "supports_sharedmem", False)
    partial = parallel(n_jobs, return_as="generator")(
        delayed(function)(group, plan, progress if here else None) for group in groups
    )
    total = None
    for group, found in zip(groups, partial, strict=True):
        if total is None:
            total = found
        else:
            total.merge(found, plan)
        if progress is not None and not here:
            progress(sum(getattr(part, "rows", 0) for part in group))
    return total
