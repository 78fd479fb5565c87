"""Which columns of a table matter for a target, and how sure we are of it."""

from typing import TYPE_CHECKING

__all__ = ["__version__", "compare", "select"]

if TYPE_CHECKING:
    from featsieve.sieve import compare, select

    __version__: str
else:

    def __getattr__(name: str) -> object:
        # Late, since importlib.metadata costs a third of what `featsieve --help` does,
        # and the sieve what scikit-learn does.
        if name == "__version__":
            from importlib.metadata import version  # noqa: PLC0415

            return version("featsieve")
        if name in ("compare", "select"):
            from importlib import import_module  # noqa: PLC0415

            return getattr(import_module("featsieve.sieve"), name)
        message = f"module 'featsieve' has no attribute {name!r}"
        raise AttributeError(message)
