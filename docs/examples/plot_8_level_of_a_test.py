"""
How strict a test?
==================

A forest can test its features at any level. Which one is right shows in the rows that
its trees have not seen: dropping noise makes a forest better, dropping what matters
makes it worse.
"""

from featsieve.datasets import make_madelon_like
from featsieve.report import level_path_plot
from featsieve.selectors import ForestSelector

table, truth = make_madelon_like(1000, n_features=100, random_state=0)

# %%
# Twenty of the hundred features matter, fifteen of them made from the other five. The
# test published in 2007 takes the nodes of a forest for independent samples. At level
# 0.05 it keeps nearly everything; ``alpha="oob"`` goes on to stricter levels as long as
# a forest of what is left errs less.

published = ForestSelector("t", alpha="oob", n_estimators=1000).fit(table, None)
path = level_path_plot(published.path_, level=published.level_)

# %%
# Held against shadows, which have the same chances but no relation to the class, a
# level is what it says. Nothing is gained by a stricter one.

calibrated = ForestSelector(fdr="oob").fit(table, None)
calibrated_path = level_path_plot(calibrated.path_, level=calibrated.level_)

# %%
# What each keeps, and what of it is noise:

for name, selector in (("published", published), ("calibrated", calibrated)):
    kept = selector.get_feature_names_out().tolist()
    noise = sum(feature in truth.irrelevant for feature in kept)
    print(
        f"{name:11} level {selector.level_:g}: {len(kept)} kept, {noise} of them noise"
    )
