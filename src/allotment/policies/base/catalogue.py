"""Finds policies by name, describes them, and turns them into plain data and back."""

import functools
import importlib
import inspect
import re
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any, cast

from allotment import policies
from allotment.errors import InputError, NotFoundError, VersionWarning, shown
from allotment.policies.base.policy import Policy
from allotment.worlds.descriptions import describe_world, restore_world
from allotment.worlds.responses import Response
from allotment.worlds.world import World

# Sections of a numpydoc docstring, and a parameter in one of them.
_SECTION = re.compile(r"\n\n(?:Parameters|Examples)\n-+\n")
_PARAMETER = re.compile(r"^(\w+) : .*\n((?:    .*\n?)+)", re.MULTILINE)


@functools.cache
def policy_names() -> tuple[str, ...]:
    """The names of the package's policies: each file under policies/ holds one, named after the file."""
    return tuple(name.replace("_", "-") for name in policies.policy_modules())


def policy_classes() -> dict[str, type[Policy]]:
    """The policies in the package by name."""
    return {name: _of_package(name) for name in policy_names()}


def _of_package(name: str) -> type[Policy]:
    """Load one of the package's policies, without the others."""
    module = importlib.import_module(f"{policies.__name__}.{name.replace('-', '_')}")
    return cast(type[Policy], getattr(module, name.title().replace("-", "")))


@dataclass(frozen=True)
class About:
    """The description of a policy class."""

    name: str
    label: str
    use: str  # when to use it
    worlds: str  # which it is made for
    about: str  # its docstring, without sections
    parameters: dict[str, str]  # with their defaults
    meanings: dict[str, str]  # of the parameters that docstrings describe


def about(name: str, kind: type[Policy]) -> About:
    """Describe a policy class, by the name under which it was found."""
    parameters = {field.name: _default(field) for field in fields(kind) if field.name != "label"}
    described = []
    for each in reversed(kind.__mro__):  # a base class describes the parameters that its policies share
        described += _PARAMETER.findall("\n".join(_parts(each)[1:]))
    meanings = {each: " ".join(meaning.split()) for each, meaning in described if each in parameters}
    return About(name, kind.family, kind.use, kind.worlds, _parts(kind)[0], parameters, meanings)


def _parts(kind: type) -> list[str]:
    """The docstring of a class: its text, then its sections."""
    return _SECTION.split(inspect.cleandoc(kind.__doc__ or ""))


def _default(field: Any) -> str:
    if field.default_factory is not MISSING:
        value = field.default_factory()
        return str(value.name()) if isinstance(value, Policy) else str(value)
    return "needed" if field.default is MISSING else str(field.default).lower()


def find_policy(name: str) -> type[Policy]:
    """The class of a policy, by its name in the package or by module and class.

    A module from outside is imported: only for names that the user gave, never for names in a file.
    """
    if name in policy_names() or "." not in name:
        return find_handed(name)
    found = _imported(name, "policy")
    if isinstance(found, type) and issubclass(found, Policy):
        return found
    raise InputError(f"{shown(name)} is not a policy", "a subclass of Policy", what="policy", value=name)


def find_handed(name: str, handed: Iterable[type[Policy]] = ()) -> type[Policy]:
    """The class of a policy: one of the package's, or one of these classes. Nothing is imported."""
    known = policy_names()
    if name in known:
        return _of_package(name)
    for kind in handed:
        if name in (described_name(kind), f"{kind.__module__}.{kind.__qualname__}"):
            return kind
    if isinstance(name, str) and "." in name:
        raise NotFoundError(
            f"{shown(name)} is code from outside the package, in the module {name.rpartition('.')[0]}",
            f"its class to be trusted: --trust {name} on the command line, policies= or trust= in Python",
            what="policy",
            value=name,
        )
    raise NotFoundError(
        f"there is no policy named {shown(name)}", f"one of {', '.join(known)}", what="policy", value=name
    )


def find_trusted(names: Iterable[str]) -> tuple[list[type[Policy]], list[type[World]]]:
    """The classes of policies and of worlds that go by these names, by module and class."""
    policies: list[type[Policy]] = []
    worlds: list[type[World]] = []
    for name in names:
        if "." not in name and name not in policy_names():
            raise InputError.of("--trust", name, "a module and a class, such as my_module.Mine")
        found = _imported(name, "policy or world") if "." in name else None
        if isinstance(found, type) and issubclass(found, World):
            worlds.append(found)
        else:
            policies.append(find_policy(name))
    return policies, worlds


def _imported(name: str, what: str) -> Any:
    """What goes by a module and a name in it."""
    module, _, attribute = name.rpartition(".")
    try:
        with _working_folder():
            return getattr(importlib.import_module(module), attribute)
    except Exception as error:  # somebody else's module may fail in any way
        raise NotFoundError(f"cannot find the {what} {shown(name)}: {error}", what=what, value=name) from None


@contextmanager
def _working_folder() -> Iterator[None]:
    """Find modules in the working folder too, but only within: elsewhere, a file there must not run."""
    folder = str(Path.cwd())
    sys.path.append(folder)
    try:
        yield
    finally:
        sys.path.reverse()  # a module may have added to the path: take away the last of its kind, ours
        sys.path.remove(folder)
        sys.path.reverse()


def build(kind: type[Policy], name: str, parameters: Mapping[str, Any], problem: World | None) -> Policy:
    """Make a policy from its class and parameters; `problem` fills in what a policy must know of it."""
    known = check_parameters(kind, name, parameters)
    given = _without_removed(kind, name, parameters)
    if problem is not None and "problem" in known:
        given.setdefault("problem", problem)
    try:
        if problem is not None and given.get("thresholds") == "known":
            given["thresholds"] = getattr(kind.for_problem(problem), "thresholds", None)
        return kind(**given)
    except TypeError as error:
        raise InputError(f"cannot make {name}: {error}", what="policy", value=name) from None


def check_parameters(kind: type[Policy], name: str, given: Iterable[str]) -> list[str]:
    """The parameters that a policy has; raises an error if one is given that it does not have."""
    known = [field.name for field in fields(kind)]
    for parameter in given:
        if parameter not in known and parameter not in kind.removed:
            raise NotFoundError(
                f"{name} has no parameter {shown(parameter)}",
                f"one of {', '.join(known)}",
                what="parameter",
                value=parameter,
            )
    return known


def _without_removed(kind: type[Policy], name: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that a policy still has; warns of others, and refuses those that made a difference."""
    given, ignored = dict(parameters), []
    for parameter, neutral in kind.removed.items():
        if parameter not in given:
            continue
        value = given.pop(parameter)
        ignored.append(f"{parameter}={shown(value)}")
        if not any(_plain(each) == _plain(value) for each in neutral):
            raise InputError(
                f"{name} no longer has the parameter {parameter}, which is {shown(value)} here",
                f"no {parameter}, or an earlier version of allotment",
                what=parameter,
                value=value,
            )
    if ignored:
        parts = ", ".join(ignored)
        warnings.warn(f"ignored, since {name} no longer has it: {parts}", VersionWarning, stacklevel=4)
    return given


def described_name(kind: type[Policy]) -> str:
    """What a description calls a class: its name in the package, or its module and class."""
    return kind.name() if _is_ours(kind) else f"{kind.__module__}.{kind.__qualname__}"


def _is_ours(kind: type[Policy]) -> bool:
    return kind.name() in policy_names() and _of_package(kind.name()) is kind


def describe(policy: Policy) -> dict[str, Any]:
    """A policy as plain data, for files."""
    content: dict[str, Any] = {"policy": described_name(type(policy)), "label": policy.label}
    return content | {name: _plain(value) for name, value in policy.parameters().items()}


def _plain(value: Any) -> Any:
    """A parameter as plain data."""
    if isinstance(value, Policy):
        return describe(value)
    if isinstance(value, World):
        return {"problem": describe_world(value)}
    if isinstance(value, Response):
        return {"response": value.to_dict()}
    return [_plain(each) for each in value] if isinstance(value, tuple) else value


def restore(
    content: Mapping[str, Any], policies: Iterable[type[Policy]] = (), worlds: Iterable[type[World]] = ()
) -> Policy:
    """The policy that `describe` described: one of the package's, or of these classes; its world likewise.

    A description may come from anyone's file, so nothing that it names is imported.
    """
    handed = list(policies)
    name, given = content["policy"], {}
    kind = find_handed(name, handed)
    for parameter, value in content.items():
        if parameter != "policy":
            given[parameter] = _restored(value, handed, worlds)
    return build(kind, name, kind.under_todays_names(given), None)


def _restored(value: Any, policies: Iterable[type[Policy]], worlds: Iterable[type[World]]) -> Any:
    """The parameter that `_plain` made plain."""
    if isinstance(value, list):
        return [_restored(each, policies, worlds) for each in value]
    if not isinstance(value, Mapping):
        return value
    if "policy" in value:
        return restore(value, policies, worlds)
    return (
        Response.from_dict(value["response"])
        if "response" in value
        else restore_world(value["problem"], worlds)
    )


def classes_from_outside(policy: Policy) -> list[type[Policy]]:
    """The classes that `restore` must be handed to give this policy back: its own, and its learner's."""
    inner = [value for value in policy.parameters().values() if isinstance(value, Policy)]
    found = [] if _is_ours(type(policy)) else [type(policy)]
    return found + [kind for each in inner for kind in classes_from_outside(each)]
