"""Reads policies from text, as on the command line.

csb-dt                                     a policy with its default parameters
csb-dt:gamma=1e-4,delta=1/T                with parameters
csb-dt:learner=cts(solve_every=20)         with another policy as a parameter
cts:thresholds=known                       told the problem's thresholds
my_module.Patient:patience=3               a policy from outside the package
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from allotment.errors import ConflictError, InputError, shown
from allotment.policies.base.catalogue import build, check_parameters, find_handed
from allotment.policies.base.policy import Policy
from allotment.worlds.world import World

Find = Callable[[str], type[Policy]]  # the class of a policy that text names


def parse(text: str, problem: World | None = None, find: Find = find_handed) -> Policy:
    """A policy from its text form, as on the command line; `find` says which class a name stands for.

    By default that is one of the package's policies: text from a file never names code to be run.

    >>> parse("csb-dt:gamma=1e-4,learner=cts(solve_every=20)").gamma
    0.0001
    """
    name, colon, rest = text.partition(":")
    name = name.strip()
    if colon and not rest.strip():
        raise InputError(
            f"policy {shown(text)} ends with a colon", "parameters after it", what="policy", value=text
        )
    kind = find(name)
    texts = _split_parameters(rest, text)
    check_parameters(kind, name, texts)  # before a learner is looked for, which may import its module
    given = {parameter: _parse_value(parameter, value, problem, find) for parameter, value in texts.items()}
    return build(kind, name, given, problem)


def parse_all(listed: Iterable[Policy | str], problem: World, find: Find = find_handed) -> list[Policy]:
    """Read policies for a problem, some of them as text. Policies with equal labels get their text."""
    found = [(each, parse(each, problem, find) if isinstance(each, str) else each) for each in listed]
    labels = [getattr(policy, "label", None) for _, policy in found]
    return [
        replace(policy, label=text)
        if isinstance(text, str) and labels.count(policy.label) > 1 and "label=" not in text
        else policy
        for text, policy in found
    ]


def _split_parameters(rest: str, text: str) -> dict[str, str]:
    given: dict[str, str] = {}
    for part in re.split(r",(?![^()]*\))", rest) if rest.strip() else []:
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not (name and equals and value):
            raise InputError(
                f"policy {shown(text)} has {shown(part)}", "name=value", what="policy", value=text
            )
        if name in given:
            raise ConflictError(
                f"policy {shown(text)} gives {name} twice", "it once", what="policy", value=text
            )
        given[name] = value
    return given


def _parse_value(name: str, value: str, problem: World | None, find: Find) -> Any:
    if value.count("(") != value.count(")"):
        raise InputError.of(name, value, "as many closing as opening brackets")
    call = re.fullmatch(r"([\w.-]+)\((.*)\)", value)
    if name == "learner":
        inner = f"{call[1]}:{call[2]}" if call and call[2] else value.removesuffix("()")
        return parse(inner, problem, find)
    if name == "label":
        return value
    if "/" in value and name == "thresholds":
        return [_parse_value("", each, problem, find) for each in value.split("/")]
    constants: dict[str, Any] = {"none": None, "true": True, "false": False}
    if value.lower() in constants:
        return constants[value.lower()]
    for read in (int, float):
        try:
            return read(value)
        except ValueError:
            continue
    return value
