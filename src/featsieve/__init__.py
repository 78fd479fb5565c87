"""Which columns of a table matter for a target, and how sure we are of it."""

from importlib.metadata import version as _version

__all__ = ["__version__"]

__version__ = _version("featsieve")
