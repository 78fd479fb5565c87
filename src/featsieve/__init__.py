"""Which columns of a table matter for a target, and how sure we are of it."""

from typing import TYPE_CHECKING

__all__ = ["__version__", "compare", "select"]

PACKAGES = frozenset(
    [
        "comparison",
        "data",
        "datasets",
        "diversity",
        "engine",
        "ensembles",
        "evaluation",
        "exceptions",
        "inference",
        "measures",
        "report",
        "reproduce",
        "selection",
        "selectors",
        "tallies",
        "trees",
    ]
)

if TYPE_CHECKING:
    from featsieve.comparison import compare
    from featsieve.selection import select

    __version__: str
else:

    def __getattr__(name: str) -> object:
        # Late, since importlib.metadata costs a third of what `featsieve --help` does,
        # and `select` what scikit-learn does.
        from importlib import import_module  # noqa: PLC0415  (not a name of ours)

        if name == "__version__":
            from importlib.metadata import version  # noqa: PLC0415  (see above)

            return version("featsieve")
        if name == "select":
            return import_module("featsieve.selection").select
        if name == "compare":
            return import_module("featsieve.comparison").compare
        if name in PACKAGES:  # `import featsieve` is enough to reach them
            return import_module(f"featsieve.{name}")
        message = f"module 'featsieve' has no attribute {name!r}"
        raise AttributeError(message)

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__, *PACKAGES})
