"""Compare what `import featsieve` costs on top of scikit-learn's own import."""

from __future__ import annotations

import subprocess
import sys

#: The best of so many tries, because other programs run too.
TRIES = 5


def seconds(statement: str) -> float:
    """Return the least processor time of a fresh interpreter that runs a statement."""
    code = f"import time; begin = time.process_time(); {statement}; "
    code += "print(time.process_time() - begin)"
    times = []
    for _ in range(TRIES):
        done = subprocess.run(
            [sys.executable, "-c", code], check=True, capture_output=True, text=True
        )
        times.append(float(done.stdout))
    return min(times)


def main() -> int:
    """Print both times; fail if ours adds more than half of scikit-learn's."""
    base = seconds("import sklearn.feature_selection")
    both = seconds("import sklearn.feature_selection, featsieve, featsieve.selectors")
    added = max(0.0, both - base)
    sys.stdout.write(f"scikit-learn {base:.2f} s, featsieve adds {added:.2f} s\n")
    return int(added > base / 2)


if __name__ == "__main__":
    sys.exit(main())
