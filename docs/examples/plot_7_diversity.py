"""
How ensembles differ
====================

Members that err in the same rows gain nothing by voting. Bagging has good members that
are alike; those of AdaBoost and DivBoost are poor and differ, and vote as well or
better.
"""

from featsieve.datasets import make_friedman
from featsieve.diversity import diversity_report
from featsieve.ensembles import (
    AdaBoostEnsembleClassifier,
    BaggingEnsembleClassifier,
    DivBoostEnsembleClassifier,
)
from featsieve.report import kappa_error_figure

X, y = make_friedman(n_rows=600, random_state=1).table.to_pandas()
train, test = slice(0, 200), slice(200, None)
kinds = {
    "bagging": BaggingEnsembleClassifier(n_estimators=50, random_state=0),
    "AdaBoost": AdaBoostEnsembleClassifier(n_estimators=50, random_state=0),
    "DivBoost": DivBoostEnsembleClassifier(n_estimators=50, random_state=0),
}

# %%
# Three numbers to start with: the mean error of members, the error of their vote, and
# Q, which is 0 if members fail independently and 1 if they fail together.

reports = {
    name: diversity_report(kind.fit(X[train], y[train]), X[test], y[test])
    for name, kind in kinds.items()
}
print("          members   vote      Q")
for name, report in reports.items():
    print(
        f"{name:10}{report.member_error:7.3f}{report.ensemble_error:7.3f}"
        f"{report.q_statistic:7.2f}"
    )

# %%
# Every pair of members is a point below: to the left pairs that differ, further down
# pairs that are accurate. No cloud is both.

diagram = kappa_error_figure(
    {name: report.kappa_error() for name, report in reports.items()}
)

# %%
# Everything the report knows, for one of them:

print(reports["DivBoost"])
