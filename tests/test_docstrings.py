"""Docstrings of public names have numpydoc sections that match their signatures."""

import inspect
import re

import pytest

import allotment
from allotment import theory
from allotment.errors import AllotmentError

NAMES = sorted({*allotment.__all__, *theory.__all__} - {"__version__", "theory"})
MADE_ELSEWHERE = ("BanditLearner", "BayesianBound", "Campaign", "Learner")  # users call no constructor
HEADING = re.compile(r"(?:\n\n|^)(\w+)\n-+\n")
ENTRY = re.compile(r"^(\*{0,2}\w+(?:, \*{0,2}\w+)*)(?: : .*)?$", re.MULTILINE)


def sections(value):
    """The sections of a docstring by heading; the text before them is under ""."""
    parts = HEADING.split(inspect.getdoc(value) or "")
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


def listed(section):
    return {name.lstrip("*") for entry in ENTRY.findall(section) for name in entry.split(", ")}


def parameters(function):
    return {name for name in inspect.signature(function).parameters if name not in ("self", "cls")}


def documented():
    """Public functions, classes, and methods with parameters that no base class documents."""
    for name in NAMES:
        value = getattr(theory if name in theory.__all__ else allotment, name)
        if not inspect.isclass(value):
            yield name, value, False
            continue
        plain_error = issubclass(value, AllotmentError) and "__init__" not in vars(value)
        if not plain_error and not issubclass(value, Warning) and name not in MADE_ELSEWHERE:
            yield name, value, True
        for method, raw in vars(value).items():
            inherited = any(hasattr(base, method) for base in value.__mro__[1:])
            function = raw.__func__ if isinstance(raw, classmethod | staticmethod) else raw
            if not method.startswith("_") and inspect.isfunction(function) and not inherited:
                yield f"{name}.{method}", function, False


DOCUMENTED = {name: (value, is_class) for name, value, is_class in documented()}


@pytest.mark.parametrize("name", DOCUMENTED)
def test_every_parameter_is_described(name):
    value, is_class = DOCUMENTED[name]
    found, takes = sections(value), {each for each in parameters(value) if not each.startswith("_")}
    described = listed(found.get("Parameters", ""))
    if is_class:
        assert described == takes or takes <= listed(found.get("Attributes", ""))
    else:
        assert described == takes
        gives = inspect.signature(value).return_annotation not in (None, "None", inspect.Signature.empty)
        assert not takes or ("Returns" in found) == gives or "Yields" in found


def test_answers_describe_their_attributes():
    for name in ("Plan", "Status", "Explanation", "Frontier", "Forecast", "ImportReport", "Optimum"):
        kind = getattr(allotment, name)
        known = listed(sections(kind)["Attributes"])
        assert {each for each in parameters(kind) if not each.startswith("_")} <= known, name


def test_a_first_line_is_one_sentence():
    for name, (value, _) in DOCUMENTED.items():
        first, _, rest = sections(value)[""].partition("\n")
        assert first.rstrip(")")[-1] in ".:", name
        assert not rest or rest.startswith("\n"), name
