"""How many rows a forest needs: double them until its verdicts stay the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from featsieve.sieve._context import Context, judge_in_context
from featsieve.sieve._material import Material

__all__ = ["Race", "race_rows"]


@dataclass(frozen=True, slots=True)
class Race:
    """The evidence at the last size, and the sizes that were tried."""

    context: Context
    sizes: tuple[int, ...]
    settled: bool

    @property
    def told(self) -> str:
        """How the number of rows was found."""
        sizes = ", ".join(f"{size:,}" for size in self.sizes)
        end = "verdicts stayed the same" if self.settled else "there were no more"
        return f"the forest on {sizes} of them in turn, until {end}"


def race_rows(
    material: Material,
    first: int,
    n_trees: int | None,
    decide: Callable[[Context], NDArray[np.bool_]],
) -> Race:
    """Grow forests on more and more rows until two in a row decide alike.

    P-values are multiplied by the number of sizes, since any of them could have been
    the last.
    """
    sizes: list[int] = []
    last: NDArray[np.bool_] | None = None
    while True:
        sizes.append(min(material.n_rows, first << len(sizes)))
        found = judge_in_context(material, sizes[-1], n_trees)
        corrected = np.minimum(1.0, found.p_values * len(sizes))
        found = replace(found, p_values=corrected)
        now = decide(found)
        settled = last is not None and bool((now == last).all())
        if settled or sizes[-1] >= material.n_rows:
            return Race(found, tuple(sizes), settled)
        last = now
