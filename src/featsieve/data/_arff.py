"""ARFF."""

from pathlib import Path

from featsieve.data._settle import Loaded, Request


def load_arff(path: Path, request: Request, encoding: str) -> Loaded:
    """Load."""
    raise NotImplementedError
