"""Tables 5.2 to 5.13 of Lutu's thesis, ours beside theirs.

Run with `python -m benchmarks.published.largedata --data FOLDER [--repeats 10]`: what
`featsieve reproduce largedata` prints, and at the end the cells that lie farther than
three standard errors from print without a known reason. There should be none.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import sys
import tempfile
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--journal", type=Path, default=None)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        cells = Path(folder) / "cells.csv"
        command = [
            *(sys.executable, "-m", "featsieve", "reproduce", "largedata", "-q"),
            *("--data", str(options.data), "--repeats", str(options.repeats)),
            *("--out", str(cells)),
        ]
        if options.journal is not None:
            command += ["--journal", str(options.journal)]
        subprocess.run(command, check=True)
        with cells.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    differ = [row for row in rows if row["verdict"] == "differs"]
    unknown = [row for row in differ if not row["note"]]
    print(
        f"{len(rows)} cells, {len(differ)} differ, {len(unknown)} of them unexplained"
    )
    for row in unknown:
        told = (row[name] for name in ("table", "row", "column", "published", "ours"))
        print("  " + ", ".join(told))
    sys.exit(1 if unknown else 0)


if __name__ == "__main__":
    main()
