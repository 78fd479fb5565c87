"""
Comparing selectors honestly
============================

500 columns of noise, and classes by lot: nothing can be learnt. Who selects first and
cross-validates then will find something all the same.
"""

import numpy as np
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

import featsieve
from featsieve.datasets import make_gaussian_xor

random = np.random.default_rng(0)
X = random.normal(size=(60, 500))
y = random.integers(0, 2, 60)

chosen = SelectKBest(k=10).fit_transform(X, y)
cheating = cross_val_score(GaussianNB(), chosen, y, cv=5).mean()
honest = cross_val_score(make_pipeline(SelectKBest(k=10), GaussianNB()), X, y, cv=5)
print(f"selected on all rows: {cheating:.2f}; within each fold: {honest.mean():.2f}")

# %%
# A comparison that cannot cheat
# ------------------------------
#
# ``featsieve.compare`` fits every selector to the training rows of each split only. Two
# columns tell the class here, only together.

problem = make_gaussian_xor(200, n_noise=10, random_state=0)
comparison = featsieve.compare(
    problem.table,
    selectors={
        "all": None,
        "ReliefF": "relieff",
        "information gain": "information-gain",
        "F test": SelectKBest(k=4),
    },
    estimators={"5-nn": "5-nn", "naive Bayes": GaussianNB()},
    cv="5x2",
)
columns = ["estimator", "selector", "score", "score_low", "score_high", "n_features"]
print(comparison.table[columns].round(2).to_string(index=False))

# %%
# In words, after a test that knows that folds overlap:

for sentence in comparison.summary:
    print(sentence)

# %%
# Mean ranks over the splits; a bar joins selectors that cannot be told apart.

ranks = comparison.critical_difference_svg()
