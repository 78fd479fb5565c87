"""The whole job: from a table to a selection with its evidence, and a fair race."""

from featsieve.sieve._compare import (
    compare,
)
from featsieve.sieve._comparison import (
    Comparison,
)
from featsieve.sieve._progress import (
    Progress,
)
from featsieve.sieve._select import (
    select,
)
from featsieve.sieve._selection import (
    Selection,
)
from featsieve.sieve._selector import (
    SieveSelector,
)

__all__ = [
    "Comparison",
    "Progress",
    "Selection",
    "SieveSelector",
    "compare",
    "select",
]
