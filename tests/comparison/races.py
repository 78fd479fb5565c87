"""Small comparisons that several tests run, also in processes of their own."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import featsieve

TIMES = ["select_seconds", "fit_seconds"]


def table(n_rows=60, n_features=6, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, n_features))
    return X, (X[:, 0] + X[:, 1] + 0.3 * random.normal(size=n_rows) > 0).astype(int)


class Unlucky(BaseEstimator):
    """A selector that fails on some training sets, and knows what it was given."""

    def fit(self, X, y):  # noqa: ARG002  (as estimators are called)
        if int(abs(X[0, 0]) * 1e6) % 3 == 0:
            message = "no luck <b>today</b>"
            raise RuntimeError(message)
        self.support_ = np.arange(X.shape[1]) < 2
        return self


def race(journal=None, **changes):
    X, y = table()
    settings = {
        "selectors": {
            "all": None,
            "best": SelectKBest(f_classif, k=2),
            "cfs": "cfs",
            "unlucky": Unlucky(),
        },
        "estimators": {"nb": GaussianNB(), "tree": DecisionTreeClassifier()},
        "cv": "4x3",
        "random_state": 5,
    }
    return featsieve.compare(X, y, journal=journal, **settings | changes)


def race_to_the_end(journal):
    race(journal)
