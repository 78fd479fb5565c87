"""
An exclusive or that every ranking misses
=========================================

Customers go if their router does not fit their line: either of the two says nothing,
and both together say much. A method that scores columns one by one cannot see that.
"""

import featsieve
from featsieve.datasets import make_mixed
from featsieve.report import interaction_graph
from featsieve.selectors import BIFSFilter, MeasureFilter

table, truth = make_mixed(2000, random_state=2)
print(f"{table.n_columns} columns; matter only together: {truth.interactions}")

# %%
# The ranking
# -----------
#
# Each column is held against permutations of the class. All that matters alone is
# found, and the pair is where the noise is.

ranking = MeasureFilter(fdr=0.05).fit(table, None)
place = dict(zip(table.names, ranking.ranking_, strict=True))
p_value = dict(zip(table.names, ranking.p_values_, strict=True))
for name in ("router", "line"):
    print(f"{name}: place {place[name]} of {table.n_columns}, p = {p_value[name]:.2f}")

# %%
# The scan of pairs
# -----------------
#
# The *synergy* of a pair is what it tells beyond the sum of its parts. How much synergy
# chance makes in a table like this one is found out by permutations.

scan = BIFSFilter(max_triples=0).fit(table, None)
for interaction in scan.interactions_:
    print(interaction.members, f"synergy {interaction.synergy:.3f} bits")

# %%
# The picture shows the columns as dots, the larger the more they tell alone. A line
# links two that tell more together.

position = {name: index for index, name in enumerate(table.names)}
edges = [
    (position[found.members[0]], position[found.members[1]], found.synergy)
    for found in scan.interactions_
    if len(found.members) == 2
]
graph = interaction_graph(table.names, ranking.scores_, edges, selected=scan.support_)

# %%
# Both ways at once
# -----------------
#
# ``featsieve.select`` does this and more, and explains itself.

selection = featsieve.select(table, verbose=False)
print(selection.explain("router"))
