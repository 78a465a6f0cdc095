"""Worlds as plain data, and back; nothing that a description names is imported."""

import os
from collections.abc import Iterable, Mapping
from typing import Any

from allotment.errors import InputError, NotFoundError, shown
from allotment.worlds.changing import Changing
from allotment.worlds.problem import Problem
from allotment.worlds.world import World
from allotment.worlds.world_files import read_table

OURS = (Problem, Changing)


def world_name(kind: type[World]) -> str:
    """What a description calls a world from outside the package: its module and class."""
    return f"{kind.__module__}.{kind.__qualname__}"


def is_of_package(world: World) -> bool:
    """Whether any process can make it from its description."""
    return type(world) in OURS


def describe_world(world: World) -> dict[str, Any]:
    """A world as plain data, for files; one from outside the package by its name too."""
    content = world.to_dict()
    return content if is_of_package(world) else {"world": world_name(type(world)), "is": content}


def restore_world(content: Any, worlds: Iterable[type[World]] = ()) -> World:
    """The world that `describe_world` described: a problem, one that changes, or one of these classes."""
    if not isinstance(content, Mapping) or "world" not in content:
        return _restored(content)
    known = {world_name(kind): kind for kind in worlds}
    name = content["world"]
    if not isinstance(name, str) or name not in known:
        raise NotFoundError(
            f"{shown(name)} is not a world of the package",
            "its class to be handed over (worlds=..., on the command line --trust), since loading a file "
            "runs no code that it names",
            what="world",
            value=name,
        )
    return known[name].from_dict(content["is"])


def find_world(text: str) -> Problem | Changing:
    """The world that a shipped name or a file stands for."""
    if text in Problem.shipped():
        return Problem.named(text)
    if not os.path.exists(text):  # noqa: PTH110 - says no to what cannot be a path, too
        raise NotFoundError(
            f"there is no file or problem named {shown(text)}",
            f"a TOML file or one of {', '.join(Problem.shipped())}",
            what="problem",
            value=text,
        )
    return load_world(text)


def load_world(path: str | os.PathLike[str]) -> Problem | Changing:
    """Read a problem, or one that changes, from a TOML or JSON file."""
    content = read_table(path)
    try:
        return _restored(content)
    except InputError as error:
        raise error.within(os.fspath(path)) from None


def _restored(content: Any) -> Problem | Changing:
    changes = isinstance(content, Mapping) and "stages" in content
    return Changing.from_dict(content) if changes else Problem.from_dict(content)
