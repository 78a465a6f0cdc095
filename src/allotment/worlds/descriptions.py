"""Worlds as plain data, and back, without importing anything that the data names."""

import os
from collections.abc import Iterable, Mapping
from typing import Any

from allotment.errors import NotFoundError, shown
from allotment.system.files import AnyPath
from allotment.worlds.changing import Changing
from allotment.worlds.problem import Problem
from allotment.worlds.situations import Situations
from allotment.worlds.world import World
from allotment.worlds.world_files import read_table

OurWorld = Problem | Changing | Situations
OURS = (Problem, Changing, Situations)


def world_name(kind: type[World]) -> str:
    """The name of a world from outside the package in a description: its module and class."""
    return f"{kind.__module__}.{kind.__qualname__}"


def is_of_package(world: World) -> bool:
    """Whether any process can make it from its description."""
    return type(world) in OURS


def describe_world(world: World) -> dict[str, Any]:
    """A world as plain data, for files; with its class name if it is from outside the package."""
    content = world.to_dict()
    return content if is_of_package(world) else {"world": world_name(type(world)), "is": content}


def restore_world(content: Any, worlds: Iterable[type[World]] = ()) -> World:
    """Make the world that `describe_world` described, of the package or one of the given classes."""
    if not isinstance(content, Mapping) or "world" not in content:
        return _restored(content)
    known = {world_name(kind): kind for kind in worlds}
    name = content["world"]
    if not isinstance(name, str) or name not in known:
        raise NotFoundError(
            f"{shown(name)} is not a world of the package",
            "its class as an argument (worlds=..., on the command line --trust), since loading a file "
            "runs no code that it names",
            what="world",
            value=name,
        )
    return known[name].from_dict(content["is"])


def find_world(text: str) -> OurWorld:
    """Find a world by the name of a shipped problem, or by its file."""
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


def load_world(path: AnyPath) -> OurWorld:
    """Read a world of the package from a TOML or JSON file."""
    return read_table(path, _restored)


def _restored(content: Any) -> OurWorld:
    """Make a world of the kind that lists its problems under a key of the content."""
    for kind in (Changing, Situations):
        if isinstance(content, Mapping) and kind.parts in content:
            return kind.from_dict(content)
    return Problem.from_dict(content)
