"""
C4.5 with missing values
========================

Nothing is imputed: a case whose value is not known goes down every branch with a part
of its weight. What does that cost, as more and more cells are lost?
"""

import numpy as np
import pandas as pd

from featsieve.datasets import Problem, make_class_mixture, make_mixed, make_tic_tac_toe
from featsieve.trees import C45Classifier

X, y = make_mixed(2000, n_noise=0, random_state=1).table.to_pandas()
print(X.dtypes.astype(str).value_counts().to_string())
print("cells missing from the start:", int(X.isna().sum().sum()))

# %%
# A tree to read
# --------------
#
# Numbers in brackets are weights of cases; they are fractions where values are missing.

tree = C45Classifier(min_cases=40).fit(X[:1000], y[:1000])
print(tree.export_text(max_depth=3))

# %%

picture = tree.plot(max_depth=3)

# %%
# Losing cells
# ------------
#
# Cells are lost by lot, in training rows and in test rows alike. Beside it the plain
# way: the median, or the most frequent level, in place of what is lost.


def filled(frame: pd.DataFrame, model: pd.DataFrame) -> pd.DataFrame:
    """Fill gaps with the median or the most frequent level of the rows in `model`."""
    known = {
        name: column.median()
        if pd.api.types.is_numeric_dtype(column)
        else column.mode()[0]
        for name, column in model.items()
    }
    return frame.fillna(known)


def race(problem: Problem) -> None:
    """Print how well both ways do as cells are lost, and what the best guess scores."""
    X, y = problem.table.to_pandas()
    random = np.random.default_rng(0)
    order = random.permutation(len(X))
    X, y = X.iloc[order], y.iloc[order]
    lots = random.random(X.shape)
    half = len(X) // 2
    print("lost  fractions  filled  guess")
    for share in (0.0, 0.1, 0.3, 0.5):
        lossy = X.mask(lots < share)
        train, test = lossy[:half], lossy[half:]
        split = C45Classifier().fit(train, y[:half]).score(test, y[half:])
        plain = C45Classifier().fit(filled(train, train), y[:half])
        plain = plain.score(filled(test, train), y[half:])
        guess = (y[half:] == y[:half].mode()[0]).mean()
        print(f"{share:4.0%}  {split:9.3f}  {plain:6.3f}  {guess:5.3f}")


race(make_class_mixture(2000, random_state=0))

# %%
# Five overlapping clouds of numbers: fractions win at every loss. That is no law. On
# ends of games of noughts and crosses the tree that knows of gaps finds no split worth
# its while once three squares of ten are lost, and falls back to the best guess:

race(make_tic_tac_toe())

# %%
# So ask the data. What fractions always have is that the test rows need no preparation,
# and that the answer says how sure it is when the decisive value is not known.
