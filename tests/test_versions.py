"""The versions that pyproject.toml promises are those that are tested."""

import re
import tomllib
from importlib.metadata import distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROMISED = [
    Requirement(each)
    for group in (PROJECT["project"]["dependencies"], *PROJECT["project"]["optional-dependencies"].values())
    for each in group
]
PIN = re.compile(r"([\w.-]+)==([\w.]+)(?:  # .+)?")


def pinned(name):
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    found = [PIN.fullmatch(line) for line in lines if not line.startswith("#")]
    assert all(found), f"{name}: a line is not of the form name==version"
    return {canonicalize_name(each[1]): Version(each[2]) for each in found}


@pytest.mark.parametrize("needed", PROMISED, ids=lambda needed: needed.name)
def test_the_oldest_promised_version_is_tested(needed):
    lowest = [Version(each.version) for each in needed.specifier if each.operator == ">="]
    if needed.marker is None:  # else it is not for this kind of system
        assert lowest == [pinned("constraints-oldest.txt")[canonicalize_name(needed.name)]]


def test_exact_versions_keep_the_promises():
    exact = pinned("constraints.txt")
    groups = PROJECT["dependency-groups"].values()
    tools = [each for group in groups for each in group if isinstance(each, str)]
    for needed in [*PROMISED, *map(Requirement, tools)]:
        assert exact[canonicalize_name(needed.name)] in needed.specifier, str(needed)


def test_every_python_that_is_promised_is_tested():
    promised = re.findall(r"Python :: (3\.\d+)", " ".join(PROJECT["project"]["classifiers"]))
    script = (ROOT / "tools" / "test-versions").read_text(encoding="utf-8")
    assert promised[0] == PROJECT["project"]["requires-python"].removeprefix(">=")
    assert all(f"python{each}" in script for each in promised[1:])


def test_exact_versions_can_be_installed_with_debians_python():
    exact, oldest = pinned("constraints.txt"), Version("3.11.2")  # Debian 12
    needs = {each.metadata["Name"]: each.metadata.get("Requires-Python") for each in distributions()}
    exact_needs = {name: each for name, each in needs.items() if each and canonicalize_name(name) in exact}
    assert len(exact_needs) > 100
    assert {name: each for name, each in exact_needs.items() if oldest not in SpecifierSet(each)} == {}
