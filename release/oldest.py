"""Print the oldest versions that pyproject.toml allows, as pins for pip."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
#: Extras whose lower bounds are tried beside those of the package itself.
EXTRAS = ("pandas", "polars", "report")


def pins() -> list[str]:
    """Return one ``name==version`` per dependency."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = list(project["dependencies"])
    for extra in EXTRAS:
        wanted += project["optional-dependencies"][extra]
    found = []
    for requirement in wanted:
        match = re.fullmatch(r"([\w-]+)(?:\[[\w,-]+\])?>=([\d.]+)", requirement)
        if match is None:
            message = f"{requirement!r} has no plain lower bound. Write name>=version."
            raise SystemExit(message)
        found.append(f"{match[1]}=={match[2]}.*")
    return found


if __name__ == "__main__":
    sys.stdout.write("\n".join(pins()) + "\n")
