"""
Tables in parts, and a cluster
==============================

A table that does not fit into memory is read part by part and counted. Counts are whole
numbers, so the answer is the same to the last bit, whoever counted which part.
"""

import tempfile
from pathlib import Path

from featsieve import engine
from featsieve.data import open_stream, read_table
from featsieve.datasets import make_mixed
from featsieve.report import relevance_plot
from featsieve.selectors import MeasureFilter, stream_interactions

table, truth = make_mixed(4000, random_state=0)
X, y = table.to_pandas()
rows = X.assign(churn=y)

# %%
# Four files stand for four hundred.

folder = tempfile.TemporaryDirectory()
whole, parts = Path(folder.name) / "whole.parquet", Path(folder.name) / "parts"
parts.mkdir()
rows.to_parquet(whole)
for number in range(4):
    part = rows[number * 1000 : (number + 1) * 1000]
    part.to_parquet(parts / f"{number}.parquet")

stream = open_stream(parts, target="churn")
in_parts = MeasureFilter(fdr=0.05).fit(stream, None)
in_memory = MeasureFilter(fdr=0.05)
in_memory.fit(read_table(whole, target="churn"), None)
print("same scores:", bool((in_parts.scores_ == in_memory.scores_).all()))

ranking = relevance_plot(
    in_parts.feature_names_in_, in_parts.scores_, title="Counted in four parts"
)

# %%
# Pairs are counted in one more pass.

pairs = stream_interactions(stream)
for first, second, *_ in pairs.best():
    print(first, "+", second)

# %%
# A cluster
# ---------
#
# Here a scheduler and two workers live in this process, for show; on a real one, pass
# the address of its scheduler to ``Client``. Every estimator sends its tasks there, and
# with the same seed finds the same.

try:
    from distributed import Client
except ImportError:
    print("pip install featsieve[dask] for this part.")
else:
    small, _ = make_mixed(1000, n_noise=2, random_state=0)
    here = MeasureFilter(fdr=0.05).fit(small, None)
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with (
        Client(processes=False, silence_logs=50, **options) as client,
        engine.use("dask", client),
    ):
        there = MeasureFilter(fdr=0.05).fit(small, None)
    print("same p-values:", bool((here.p_values_ == there.p_values_).all()))

folder.cleanup()
