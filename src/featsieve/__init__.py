"""Which columns of a table matter for a target, and how sure we are of it."""

from typing import TYPE_CHECKING

__all__ = ["__version__", "compare"]

if TYPE_CHECKING:
    from featsieve.sieve import compare

    __version__: str
else:

    def __getattr__(name: str) -> object:
        # Late, since importlib.metadata costs a third of what `featsieve --help` does.
        if name == "__version__":
            from importlib.metadata import version  # noqa: PLC0415

            return version("featsieve")
        if name == "compare":  # late, as it needs half of the house
            from featsieve.sieve import compare  # noqa: PLC0415

            return compare
        message = f"module 'featsieve' has no attribute {name!r}"
        raise AttributeError(message)
