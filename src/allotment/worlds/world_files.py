"""Worlds as files: TOML, or JSON if the name ends in .json."""

import json
import os
import tomllib
from collections.abc import Callable, Mapping
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

from allotment.errors import FileError, InputError, NotFoundError, shown
from allotment.system.files import AnyPath, read_bytes, replacing

T = TypeVar("T")


def read_table(path: AnyPath, make: Callable[[Any], T]) -> T:
    """Make something of the plain data that a file holds. An error names the file."""
    data = read_bytes(path)
    try:
        content = json.loads(data) if _is_json(path) else tomllib.loads(data.decode())
    except (ValueError, RecursionError) as error:
        kind = "JSON" if _is_json(path) else "TOML"
        raise FileError(f"{os.fspath(path)} is not {kind}: {error}") from None
    try:
        return make(content)
    except InputError as error:
        raise error.within(os.fspath(path)) from None


def shipped_names() -> tuple[str, ...]:
    """The names of the problems that ship with the package."""
    entries = [entry.name for entry in _shipped().iterdir()]
    return tuple(sorted(name.removesuffix(".toml") for name in entries if name.endswith(".toml")))


def read_shipped(name: str) -> Any:
    """One of them, as plain data."""
    names = shipped_names()
    if name not in names:
        raise NotFoundError(
            f"there is no problem named {shown(name)}",
            f"one of {', '.join(names)}",
            what="problem",
            value=name,
        )
    return tomllib.loads((_shipped() / f"{name}.toml").read_text(encoding="utf-8"))


def _shipped() -> Any:
    return resources.files("allotment.worlds") / "shipped"


def write_table(path: AnyPath, content: dict[str, Any]) -> None:
    """Write plain data, whole or not at all."""
    import tomli_w

    text = json.dumps(content, indent=2) + "\n" if _is_json(path) else tomli_w.dumps(content)
    with replacing(path) as draft:
        draft.write_text(text, encoding="utf-8")


def check_keys(what: str, content: Any, known: tuple[str, ...], needed: tuple[str, ...]) -> None:
    """Raise an error unless it is a table with what is needed, and nothing unknown."""
    if not isinstance(content, Mapping):
        raise InputError.of(what, content, f"a table with {', '.join(known)}")
    for name in content:
        if name not in known:
            raise NotFoundError(f"{what} has no {shown(name)}", ", ".join(known), what=what, value=name)
    for name in needed:
        if name not in content:
            raise InputError(f"{what} needs {name}, which is missing", what=name)


def _is_json(path: AnyPath) -> bool:
    return Path(path).suffix.lower() == ".json"
