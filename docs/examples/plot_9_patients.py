"""
Several visits of the same patients
===================================

Sixty patients come six times each. That is 360 rows, but still only sixty patients: a
column that happens to differ between a few of them repeats its accident six times.
"""

import warnings

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

import featsieve
from featsieve.exceptions import DependentRowsWarning

random = np.random.default_rng(3)
n_patients, n_visits, n_labs = 60, 6, 20
patient = np.repeat(np.arange(n_patients), n_visits)
usual = random.normal(size=(n_patients, n_labs))  # the level that each patient has
names = [f"lab_{k}" for k in range(1, n_labs + 1)]
ill = 2 * usual[:, 0] + 2 * usual[:, 1] + random.normal(size=n_patients) > 0

visits = pd.DataFrame(
    usual[patient] + 0.5 * random.normal(size=(len(patient), n_labs)), columns=names
)
visits["patient"] = [f"patient {number}" for number in patient]
visits["ill"] = np.where(ill[patient], "yes", "no")

# %%
# Only ``lab_1`` and ``lab_2`` have to do with the illness. If rows are taken as
# exchangeable, noise is kept with them:

labs = visits.drop(columns="patient")
loose = featsieve.select(labs, "ill", groups=None, verbose=False)
print(len(loose.features), "kept:", ", ".join(loose.features))

# %%
# What to say
# -----------
#
# ``groups`` names the column of the patient, which then is no feature. Whole patients
# are compared with each other.

honest = featsieve.select(visits, "ill", groups="patient", verbose=False)
print(len(honest.features), "kept:", ", ".join(honest.features))

# %%
# The p-values of all columns, the two real ones first. Points further right are
# stronger evidence. If the six visits of a patient count as six patients, noise gets
# p-values near 1e-5.

picture = Figure(figsize=(7, 4.5), layout="constrained")
axes = picture.subplots()
for selection, text, colour in (
    (loose, "rows taken as exchangeable", "tab:orange"),
    (honest, "groups='patient'", "tab:blue"),
):
    known = selection.ledger.set_index("feature")["p_value"][names]
    axes.plot(-np.log10(known.clip(lower=1e-30)), range(n_labs), "o", color=colour)
    axes.plot([], [], "o", color=colour, label=text)
axes.set_yticks(range(n_labs), names)
axes.invert_yaxis()
axes.set_xlabel("evidence, −log₁₀ p")
axes.legend(loc="lower right")

# %%
# If nothing is said, the rows are looked at, and a note says what they show:

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DependentRowsWarning)  # it is printed below
    asked = featsieve.compare(
        visits, "ill", selectors=["all", "cfs"], estimators=["5-nn"], cv="5x2"
    )
print(asked.notes[0])

# %%
# Scores that hold for new patients
# ---------------------------------
#
# Neighbours find the other visits of the same patient, as long as these are among the
# rows that they were trained on. For patients never seen before they do far worse. With
# groups, all visits of a patient are on the same side of every split.

for text, table, groups in (
    ("rows in folds", labs, None),
    ("patients in folds", visits, "patient"),
):
    comparison = featsieve.compare(
        table,
        "ill",
        selectors=["all", "cfs"],
        estimators=["5-nn"],
        cv="5x2",
        groups=groups,
    )
    scores = comparison.table.set_index("selector")["score"]
    print(f"{text:18} all columns {scores['all']:.2f}, cfs {scores['cfs']:.2f}")

# %%
# In a pipeline, let scikit-learn pass the groups on:
# ``SieveSelector().set_fit_request(groups=True)`` with
# ``sklearn.set_config(enable_metadata_routing=True)``, then
# ``cross_validate(pipeline, X, y, cv=GroupKFold(5), params={"groups": patient})``.
