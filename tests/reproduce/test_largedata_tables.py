"""Tables on samples and searches, run on a made-up abalone."""

import numpy as np

from reproduce.made_up import ran, write


def test_large_data(tmp_path, random):
    weight = random.gamma(2, 1, 600)
    names = ("Diameter", "Shell_weight", "Height", "Whole_weight", "Viscera_weight")
    columns = {
        name: weight + random.normal(0, 0.5, 600)
        for name in (*names, "Shucked_weight", "Length")
    }
    columns["Sex"] = random.choice(["M", "F", "I"], 600)
    rings = np.clip(np.round(3 * weight + 3), 1, 29).astype(int)
    write(tmp_path, "abalone", columns, rings)
    cells = ran(tmp_path, "largedata")
    by_table = {}
    for cell in cells:
        by_table.setdefault(cell["table"], []).append(cell)
    assert set(by_table) == {f"largedata-5.{n}" for n in (2, 3, 6, 13)}
    assert len(by_table["largedata-5.2"]) == 16
    means = [c["ours"] for c in by_table["largedata-5.2"] if c["column"] == "Kendall"]
    assert min(means[:7]) > 0.3 > means[7], "all but Sex go with the rings"
    above = {c["ours"] for c in by_table["largedata-5.6"]}
    assert above <= {7.0, 8.0}
    assert len(by_table["largedata-5.13"]) == 10
