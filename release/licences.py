"""Fail if a package that featsieve needs has a licence that is not permissive."""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError, distribution, requires

from packaging.requirements import Requirement

PERMISSIVE = ("MIT", "BSD", "Apache", "PSF", "Python Software", "HPND", "ISC")


def licence_of(name: str) -> str:
    """Return what a package says of its licence, wherever it says it."""
    data = distribution(name).metadata
    told = [data.get("License-Expression"), *(data.get_all("Classifier") or [])]
    told = [line for line in told if line and ("License" in line or "::" not in line)]
    return "; ".join(told) or (data.get("License") or "unknown").splitlines()[0]


def needed(name: str, seen: set[str]) -> None:
    """Collect the packages that a package needs, and what those need."""
    for line in requires(name) or []:
        requirement = Requirement(line)
        if requirement.marker and not requirement.marker.evaluate({"extra": ""}):
            continue
        if requirement.name.lower() in seen:
            continue
        try:
            distribution(requirement.name)
        except PackageNotFoundError:
            continue
        seen.add(requirement.name.lower())
        needed(requirement.name, seen)


def main() -> int:
    """Print every licence; return how many are not permissive."""
    seen: set[str] = set()
    needed("featsieve", seen)
    bad = 0
    for name in sorted(seen):
        licence = licence_of(name)
        good = any(word.lower() in licence.lower() for word in PERMISSIVE)
        bad += not good
        sys.stdout.write(f"{'ok ' if good else 'BAD'} {name}: {licence[:70]}\n")
    return bad


if __name__ == "__main__":
    sys.exit(main())
