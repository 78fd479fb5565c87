"""Tables on subsets of features, run on made-up contracts."""

import numpy as np

from reproduce.made_up import ran, write


def test_subsets(tmp_path, random):
    n = 40
    hours = random.normal(38, 3, n)
    columns = {f"c{k}": random.choice(["a", "b"], n) for k in range(14)}
    columns |= {"hours": hours, "wage": random.normal(4, 1, n)}
    write(tmp_path, "labor", columns, np.where(hours > 38, "good", "bad"))
    cells = ran(tmp_path, "subsets-7")
    assert [c["column"] for c in cells] == [
        "single tree",
        "bagging",
        "random",
        "information gain",
        "cumulative gain",
        "feature boosting",
    ]
    assert cells[0]["ours"] < 15, "one cut tells the class"
    assert all(c["z"] is not None for c in cells)
