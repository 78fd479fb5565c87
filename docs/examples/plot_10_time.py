"""
Rows that follow each other in time
===================================

Two prices that have nothing to do with each other often rise and fall together for a
while. If days are taken as independent rows, that looks like overwhelming evidence.
"""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

import featsieve

random = np.random.default_rng(100)
n_days = 300
steps = random.normal(size=(n_days, 8))
walks = np.cumsum(steps, axis=0)
names = [f"price_{k}" for k in range(1, 9)]
sales = np.cumsum(0.7 * steps[:, 0] + random.normal(size=n_days))

days = pd.DataFrame(walks, columns=names)
days["day"] = pd.date_range("2023-01-01", periods=n_days)
days["sales"] = sales

# %%
# Sales change with ``price_1``. The seven other prices are noise, yet several of
# them are kept if rows are taken as exchangeable:

table = days.drop(columns="day")
loose = featsieve.select(table, "sales", groups=None, verbose=False)
print("kept:", ", ".join(loose.features))

# %%
# The reason: a column of noise that is associated with sales by accident.

noise = table[names[1:]]
likest = noise.corrwith(table["sales"]).abs().idxmax()
correlation = np.corrcoef(table[likest], sales)[0, 1]
picture = Figure(figsize=(7, 3), layout="constrained")
axes = picture.subplots()
axes.plot(days["day"], sales, label="sales")
axes.plot(days["day"], table[likest], label=f"{likest}, noise")
axes.set_title(f"correlation {correlation:.2f}, by accident")
axes.legend()

# %%
# What to say
# -----------
#
# ``time`` names the column of the day, which then is no feature. Each column is reduced
# to what is new in each row, beyond what its own past foretells.

honest = featsieve.select(days, "sales", time="day", verbose=False)
print("kept:", ", ".join(honest.features))

# %%
# If nothing is said, the rows are looked at, and a note says what they show:

asked = featsieve.select(table, "sales", verbose=False)
print("kept:", ", ".join(asked.features))
for note in asked.to_dict()["notes"]:
    if note["code"] == "serial_rows":
        print(note["text"])

# %%
# Scores that hold for days to come
# ---------------------------------
#
# In folds drawn by lot, the days before and after each test day were learnt from, and
# neighbours are right for that reason alone. With ``time`` every block of days is
# tested after the days before it were learnt. R² below 0 says that the learner cannot
# see ahead.

for text, data, options in (
    ("days by lot", table, {"groups": None}),
    ("later days", days, {"time": "day"}),
):
    comparison = featsieve.compare(
        data, "sales", selectors=["all"], estimators=["5-nn"], cv="5", **options
    )
    print(f"{text:12} R² {comparison.table['score'].item():6.2f}")
