"""Kernels that do one workload and nothing else: how fast can it be here?

They are compiled for this very machine when they are first asked for, and are no part
of the package. Without a compiler they show as "not installed".
"""

from __future__ import annotations

import ctypes
import functools
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

__all__ = ["count_pairs", "pack"]


@functools.cache
def _library(name: str) -> ctypes.CDLL:
    compiler = os.environ.get("CXX") or shutil.which("c++")
    if compiler is None:
        raise ImportError(name="c++")
    folder = Path(tempfile.mkdtemp(prefix="featsieve-limit-"))
    source = Path(__file__).with_name(f"{name}.cpp")
    flags = ["-O3", "-march=native", "-std=c++20", "-shared", "-fPIC"]
    subprocess.run([compiler, *flags, str(source), "-o", folder / "it.so"], check=True)
    library = ctypes.CDLL(str(folder / "it.so"))
    shutil.rmtree(folder)
    return library


def pack(members: np.ndarray) -> np.ndarray:
    """Return rows of bits as words, padded to what the kernel takes."""
    _library("popcount_pairs")
    n_planes = -(-len(members) // 4) * 4
    n_words = -(-members.shape[1] // (64 * 32)) * 32
    bits = np.zeros((n_planes, n_words * 8), dtype=np.uint8)
    packed = np.packbits(members, axis=1)
    bits[: len(packed), : packed.shape[1]] = packed
    return bits.view(np.uint64)


def count_pairs(planes: np.ndarray, *, by_vectors: bool) -> np.ndarray:
    """Return the bits in common of every two planes: the upper triangle of tiles."""
    counts = np.zeros((len(planes), len(planes)), dtype=np.uint32)
    _library("popcount_pairs").count_pairs(
        planes.ctypes.data_as(ctypes.c_void_p),
        ctypes.c_size_t(len(planes)),
        ctypes.c_size_t(planes.shape[1]),
        ctypes.c_int(by_vectors),
        counts.ctypes.data_as(ctypes.c_void_p),
    )
    return counts
