"""Numba: kernels, generic functions, the cache of compiled code, and errors in plain words."""
