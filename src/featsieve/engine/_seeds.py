"""Seeds that depend on what is done, never on who does it or in which order."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

__all__ = ["derive_seed", "root_seed"]


def root_seed(random_state: Any) -> int:
    """Return one 64-bit seed for a whole run.

    Parameters
    ----------
    random_state : None, int or numpy.random.RandomState
        scikit-learn's convention; None draws a fresh seed.

    Returns
    -------
    int
        The seed; an int is its own seed.

    Examples
    --------
    >>> from featsieve.engine import root_seed
    >>> root_seed(7)
    7
    """
    if isinstance(random_state, (int, np.integer)) and random_state >= 0:
        return int(random_state)
    try:
        random = check_random_state(random_state)
    except ValueError:
        message = (
            "The 'random_state' parameter must be an int >= 0, a RandomState or None. "
            f"Got {random_state!r} instead."
        )
        raise ValueError(message) from None
    return int(random.randint(2**31 - 1))


def derive_seed(seed: int, *content: bytes | str | int) -> int:
    """Return a 64-bit seed made of a root seed and of what it is for.

    Parameters
    ----------
    seed : int
        The root.
    *content : bytes, str or int
        What distinguishes this use, for example the margins of a table.

    Returns
    -------
    int
        The same for the same arguments, on every machine.

    Examples
    --------
    >>> from featsieve.engine import derive_seed
    >>> derive_seed(0, "a") == derive_seed(0, "a") != derive_seed(0, "b")
    True
    """
    digest = hashlib.blake2b(str(int(seed)).encode(), digest_size=8)
    for part in content:
        raw = part if isinstance(part, bytes) else str(part).encode()
        digest.update(len(raw).to_bytes(8, "little"))
        digest.update(raw)
    return int.from_bytes(digest.digest(), "little")
