"""Which columns of a table matter for a target, and how sure we are of it."""

from typing import TYPE_CHECKING

__all__ = ["__version__", "compare", "select"]

ROOMS = frozenset(
    [
        "data",
        "datasets",
        "diversity",
        "embedded",
        "engine",
        "ensembles",
        "evaluation",
        "exceptions",
        "filters",
        "measures",
        "report",
        "reproduce",
        "sieve",
        "trees",
        "wrappers",
    ]
)

if TYPE_CHECKING:
    from featsieve.sieve import compare, select

    __version__: str
else:

    def __getattr__(name: str) -> object:
        # Late, since importlib.metadata costs a third of what `featsieve --help` does,
        # and the sieve what scikit-learn does.
        from importlib import import_module  # noqa: PLC0415  (not a name of ours)

        if name == "__version__":
            from importlib.metadata import version  # noqa: PLC0415  (see above)

            return version("featsieve")
        if name in ("compare", "select"):
            return getattr(import_module("featsieve.sieve"), name)
        if name in ROOMS:  # `import featsieve` is enough to reach them
            return import_module(f"featsieve.{name}")
        message = f"module 'featsieve' has no attribute {name!r}"
        raise AttributeError(message)

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__, *ROOMS})
