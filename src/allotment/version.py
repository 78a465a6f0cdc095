"""The versions that numbers depend on."""

import functools

__version__ = "0.3.0.dev4"


@functools.cache
def _installed(name: str) -> str:
    from importlib.metadata import version

    return version(name)


def versions() -> dict[str, str]:
    """What a result was made with: the same versions on the same kind of machine give the same numbers."""
    import platform

    return {
        "allotment": __version__,
        "Python": platform.python_version(),
        "NumPy": _installed("numpy"),
        "Numba": _installed("numba"),
        "system": f"{platform.system()} {platform.machine()}",
    }
