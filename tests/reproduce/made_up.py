"""Small made-up tables in the layout of the folders of the works.

The numbers mean nothing; that every cell gets one, with any number of jobs, does.
"""

import json

import numpy as np

from featsieve.reproduce import reproduce


def write(folder, name, columns, classes, part="train"):
    """Write a data set: nominal columns are texts."""
    own = folder / name
    own.mkdir(exist_ok=True)
    rows = zip(*columns.values(), classes, strict=True)
    lines = [",".join((*columns, "class")), *(",".join(map(str, row)) for row in rows)]
    (own / f"{part}.csv").write_text("\n".join(lines) + "\n")
    kinds = {
        key: "nominal" if np.asarray(values).dtype.kind == "U" else "numeric"
        for key, values in columns.items()
    }
    (own / "meta.json").write_text(json.dumps({"kinds": kinds}))


def ran(folder, *names):
    """Return the cells of tables that were run, by row."""
    found = reproduce(names, data_folder=folder, n_repeats=1, n_jobs=2)
    return [cell for cell in found.rows() if cell["n_runs"]]
