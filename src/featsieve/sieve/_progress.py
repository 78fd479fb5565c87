"""How far a comparison is, and what is left, as far as that can be known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Progress", "Watch"]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a comparison is.

    Parameters
    ----------
    done, total : int
        Rounds, each a selector and all learners on one split.
    elapsed : float
        Seconds since this run started.
    remaining : float or None
        Seconds still needed, from the mean duration of each selector's rounds so far;
        None while nothing is known.
    at_least : bool
        Whether some selector has not been timed yet, so that `remaining` leaves it out.

    Examples
    --------
    >>> from featsieve.sieve import Progress
    >>> print(Progress(12, 60, 30.0, 150.0, False))
    12 of 60 rounds, about 2 min 30 s left
    >>> print(Progress(1, 60, 30.0, 95.0, True))
    1 of 60 rounds, at least 1 min 35 s left
    """

    done: int
    total: int
    elapsed: float
    remaining: float | None
    at_least: bool

    def __str__(self) -> str:
        text = f"{self.done} of {self.total} rounds"
        if self.done == self.total:
            return text
        if self.remaining is None:
            return f"{text}, time left unknown"
        word = "at least" if self.at_least else "about"
        return f"{text}, {word} {_duration(self.remaining)} left"


class Watch:
    """Estimates what is left from the durations of each selector's rounds."""

    def __init__(
        self,
        selectors: Iterable[str],
        n_splits: int,
        known: Sequence[dict[str, Any]],
    ) -> None:
        self._n_splits = n_splits
        self._seconds: dict[str, list[float]] = {name: [] for name in selectors}
        for record in known:
            self._seconds[record["selector"]].append(record["seconds"])
        self._worked = 0.0

    def note(self, record: dict[str, Any]) -> None:
        """Take note of a round that this run has played."""
        self._seconds[record["selector"]].append(record["seconds"])
        self._worked += record["seconds"]

    def progress(self, elapsed: float) -> Progress:
        """Return how far it is after so many seconds."""
        done = sum(map(len, self._seconds.values()))
        total = self._n_splits * len(self._seconds)
        left, untimed = 0.0, False
        for seconds in self._seconds.values():
            open_rounds = self._n_splits - len(seconds)
            if seconds:
                left += open_rounds * sum(seconds) / len(seconds)
            elif open_rounds:
                untimed = True
        # How many rounds went on at once is measured, not what was asked for.
        at_once = max(self._worked / elapsed, 1.0) if elapsed > 0 else 1.0
        known = any(self._seconds.values())
        return Progress(
            done, total, elapsed, left / at_once if known else None, untimed
        )


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{max(round(seconds), 1)} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"
