"""
Features that matter somewhere only
===================================

The class follows ``x1``, except between two lines, where it follows ``x2``. Over the
whole table ``x2`` hardly matters; between the lines it is what matters most.
"""

from featsieve.datasets import make_local_line
from featsieve.ensembles import RandomForestEnsembleClassifier
from featsieve.report import local_relevance_map, relevance_plot, relevance_profile

table, truth = make_local_line(500, n_noise=2, random_state=0)
forest = RandomForestEnsembleClassifier(bootstrap="distinct", random_state=0).fit(
    table, None
)

# %%
# On the whole
# ------------
#
# The mean gain of each feature over all nodes where it was tried. The band is where
# chance would put it.

overall = relevance_plot(
    table.names,
    forest.relevance_,
    interval=forest.relevance_interval_,
    band=forest.chance_relevance_,
)

# %%
# Row by row
# ----------
#
# ``local_relevance_`` says what the tests of a feature told about each single row. Rows
# are ordered by ``x1`` here.

x1 = table["x1"].values
by_row = local_relevance_map(table.names, forest.local_relevance_, x1, order_name="x1")

# %%
# Region by region
# ----------------

by_region = relevance_profile(table.names, forest.local_relevance_, x1, order_name="x1")

# %%
# New rows can be asked as well: why was this one put into its class?

rows = {"x1": [0.1, 0.5], "x2": [0.9, 0.9]}
rows |= {"noise_1": [0.5, 0.5], "noise_2": [0.5, 0.5]}
for number, told in enumerate(forest.local_relevance(rows)):
    print(number, dict(zip(table.names, told.round(2).tolist(), strict=True)))
