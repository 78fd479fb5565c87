"""
Redundant clusters
==================

Five features tell of the class. Each has three noisy copies, and ten more columns are
noise. A ranking keeps the copies; which of the methods that look at columns together
keeps one of each family?
"""

from featsieve.datasets import make_copies
from featsieve.report import interaction_graph
from featsieve.selection import SieveSelector
from featsieve.selectors import (
    BIFSFilter,
    CFSFilter,
    DifferentialPrioritizationFilter,
    FCBFFilter,
    MeasureFilter,
    MRMRFilter,
)

table, truth = make_copies(500, n_noise=10, random_state=0)
families = truth.redundant
print(*families, sep="\n")

# %%
# How many families are represented, how many copies are kept beside a relative, and how
# many columns of noise:

selectors = {
    "ranking, tested": MeasureFilter(fdr=0.05),
    "CFS": CFSFilter(),
    "FCBF": FCBFFilter(),
    "mRMR, 5 features": MRMRFilter(n_features_to_select=5),
    "prioritization, 5": DifferentialPrioritizationFilter(n_features_to_select=5),
    "the sieve": SieveSelector(),
}
print(f"{'':18}families  copies  noise")
for name, selector in selectors.items():
    kept = set(selector.fit(table, None).get_feature_names_out())
    found = sum(bool(kept.intersection(family)) for family in families)
    copies = sum(len(kept.intersection(family)) for family in families) - found
    noise = len(kept.intersection(truth.irrelevant))
    print(f"{name:18}{found:8}{copies:8}{noise:7}")

# %%
# Who displaced whom
# ------------------
#
# The ledger of the sieve names the column for which another one was set aside.

selection = selectors["the sieve"].selection_
for row in selection.to_dict()["ledger"]:
    if row["verdict"] == "redundant":
        print(f"{row['feature']:12} displaced by {', '.join(row['displaced_by'])}")

# %%
# The picture links columns that tell at least 0.02 bits in common. Dots that are filled
# were kept.

scan = BIFSFilter(max_triples=0).fit(table, None)
pairs = scan.redundant_pairs_
edges = [
    (int(first), int(second), float(synergy))
    for first, second, synergy in zip(
        pairs["first"], pairs["second"], pairs["synergy"], strict=True
    )
    if synergy < -0.02
]
graph = interaction_graph(
    table.names,
    scan.gains_,
    edges,
    selected=selectors["the sieve"].support_,
    show_isolated=False,
    title="Which columns tell the same",
)

# %%
# As a card, as notebooks show it:

selection
