"""The versions that numbers depend on."""

__version__ = "0.1.0"


def versions() -> dict[str, str]:
    """What a result was made with: the same versions on the same kind of machine give the same numbers."""
    import platform
    from importlib.metadata import version

    return {
        "allotment": __version__,
        "Python": platform.python_version(),
        "NumPy": version("numpy"),
        "Numba": version("numba"),
        "system": f"{platform.system()} {platform.machine()}",
    }
