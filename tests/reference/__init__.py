"""Slow, plain versions of the kernels, for tests to compare with."""
