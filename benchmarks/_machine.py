"""What the numbers were measured on: no host name, no path, no user."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from pathlib import Path

PACKAGES = (
    "featsieve",
    "numpy",
    "scipy",
    "scikit-learn",
    "pandas",
    "polars",
    "pyarrow",
    "duckdb",
    "numba",
    "fast-select",
    "skrebate",
    "mlxtend",
    "hidimstat",
    "shap",
    "boruta",
)


def describe_machine() -> dict[str, str | int | None]:
    """Return processor, cores, system and Python."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


def _processor() -> str:
    facts = Path("/proc/cpuinfo")
    if facts.exists():
        for line in facts.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or "unknown"


def installed_versions() -> dict[str, str]:
    """Return the versions of featsieve and its peers; absent ones are left out."""
    versions = {}
    for name in PACKAGES:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return versions
