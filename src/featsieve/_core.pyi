"""Native kernels of featsieve; import them through featsieve._kernels."""

from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


@overload
def count_levels(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)]) -> NDArray[numpy.int32]: ...

@overload
def count_levels(codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), device='cpu', writable=False)]) -> NDArray[numpy.int32]: ...

@overload
def count_levels(codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), device='cpu', writable=False)]) -> NDArray[numpy.int32]:
    """Largest code + 1 of every column."""
