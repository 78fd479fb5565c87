"""The command line; the only room that prints."""

from featsieve.cli._main import main

__all__ = ["main"]
