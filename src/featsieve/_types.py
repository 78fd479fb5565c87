"""Short names of arrays, for signatures."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
#: Levels or classes by number, as the kernels take them.
Codes = NDArray[np.int32]
Ints = NDArray[np.int64]
#: Rows, columns or nodes by number, as NumPy gives them.
Positions = NDArray[np.intp]
