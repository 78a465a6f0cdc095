"""The digest covers all that compiled code depends on, so that an edit is never overlooked."""

import functools
import importlib
import itertools
import os
import pkgutil
import re
import subprocess
import sys

import pytest

from allotment.compiling import code_digest, python_calls, user_kernels
from allotment.compiling.code_digest import (
    PACKAGE,
    code_and_imports,
    code_by_module,
    digest_of_code,
    read_sources,
    stamp,
)
from own_copies import own_copy

SIZES = "allotment.policies.any_response.tuning"


@pytest.fixture(scope="module")
def sources():
    return read_sources()


@pytest.fixture(scope="module")
def digest():
    """The digest of sources; what was parsed before is not parsed again."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(code_digest, "code_and_imports", functools.cache(code_and_imports))
        yield digest_of_code


def edited(sources, module, old, new):
    assert sources[module].count(old) == 1
    return {**sources, module: sources[module].replace(old, new)}


def swapped(sources, module, first, second):
    """Two fields of a state, one in the other's place."""
    for field in (first, second):
        assert sources[module].count(field) == 1
    text = sources[module].replace(first, b"@").replace(second, first).replace(b"@", second)
    return {**sources, module: text}


def test_what_is_said_to_people_does_not_count_and_what_is_done_does():
    def code(source):
        return code_and_imports(source.encode())[0]

    source = (
        'N = 3\nclass P:\n    """Says."""\n    use = "When."\n    a: int = 1\n'
        'def f(x):\n    "doc"\n    use = "x"\n    return x + N  # why\n'
    )
    for same in (
        source.replace("Says", "Tells"),
        source.replace("When", "If"),
        source.replace("doc", "text"),
        source.replace("# why", "# because"),
        "\n\n" + source,
    ):
        assert code(same) == code(source)
    for other in (
        source.replace("N = 3", "N = 4"),
        source.replace("x + N", "x - N"),
        source.replace("a: int = 1", "a: int = 2"),
        source.replace('use = "x"', 'use = "y"'),  # a variable of a kernel
        source.replace('use = "When."', "use = 5"),
    ):
        assert code(other) != code(source)


def test_every_edit_of_a_state_or_a_constant_changes_the_digest(sources, digest):
    before = digest(sources)
    curves, joint, family = (
        "allotment.policies.any_response.beliefs",
        "allotment.policies.joint.joint_state",
        "allotment.policies.any_response.family",
    )
    assert digest(swapped(sources, curves, b"    cut: float", b"    drop: float")) != before
    assert digest(swapped(sources, joint, b"    curiosity: float", b"    trust: float")) != before
    assert digest(edited(sources, family, b"    part: FloatArray", b"    portion: FloatArray")) != before
    assert (
        digest(edited(sources, family, b"    part: FloatArray", b"    new: int\n    part: FloatArray"))
        != before
    )
    for policy, line in (("any_response", b"\nPARTS = 32"), ("joint", b"\nTRUSTED = 0.7")):
        tuning = f"allotment.policies.{policy}.tuning"
        assert digest(edited(sources, tuning, line, line + b"5")) != before
    assert digest(edited(sources, "allotment.tolerance", b"RELATIVE = 1e-12", b"RELATIVE = 1e-11")) != before


def test_edits_of_texts_and_of_what_is_not_compiled_leave_the_digest_as_it_is(sources, digest):
    before = digest(sources)
    for module, text in (
        ("allotment.policies.any_response.beliefs", b"# a comment\n"),
        ("allotment.cli.simulate", b"X = 1\n"),
    ):
        assert digest({**sources, module: sources[module] + text}) == before
    covered = code_by_module(sources)
    for room in ("cli", "campaign", "testing", "theory.bounds", "catalogue", "simulation.simulate"):
        assert not any(f"{name}.".startswith(f"allotment.{room}.") for name in covered)


def test_all_that_is_compiled_is_in_the_digest(sources):
    for module in pkgutil.walk_packages([str(PACKAGE)], "allotment."):
        if not module.name.endswith(
            ("__main__", ".linking")
        ):  # linking is done without where Numba has changed
            importlib.import_module(module.name)
    kernels = [each for registered in python_calls._kernels for each in registered.values()]
    states = {state for registered in python_calls._kernels for state in registered}
    made = {getattr(each, "py_func", each) for each in (*kernels, *user_kernels._made)}
    modules = {each.__module__ for each in made | states}
    ours = modules & set(sources)  # others are those that tests make up
    assert {
        "allotment.policies.equal_split",
        "allotment.policies.any_response.rule",
        "allotment.policies.any_response.beliefs",
    } <= ours
    assert ours <= set(code_by_module(sources))


def test_imports_name_modules_in_full(sources):
    for name, source in sources.items():
        assert not re.search(rb"^\s*from \.", source, re.MULTILINE), f"{name} has a relative import"


def test_the_stamp_tells_that_a_source_was_edited_added_or_deleted(tmp_path):
    (tmp_path / "kernels").mkdir()
    (tmp_path / "one.py").write_text("N = 1")
    seen = [stamp(tmp_path)]
    assert stamp(tmp_path) == seen[0]
    (tmp_path / "kernels" / "two.py").write_text("N = 2")
    seen.append(stamp(tmp_path))
    os.utime(tmp_path / "one.py", ns=(0, 0))
    seen.append(stamp(tmp_path))
    (tmp_path / "one.py").unlink()
    seen.append(stamp(tmp_path))
    assert all(first != second for first, second in itertools.pairwise(seen))


PROBE = """
from allotment.compiling.decorators import Entry
from allotment.policies.any_response.tuning import PARTS
from allotment.policies.joint.joint_state import Rule

def _value(number):
    rule = Rule(1.0, True, True, 2.0, 3.0)
    return number * rule.trust + 1000.0 * PARTS

value = Entry(_value)
"""
RUN = "from allotment.kernels.probe import value; print(value.is_compiled(value.signature(1.0)), value(1.0))"


def test_a_second_process_does_not_use_code_from_before_an_edit(tmp_path):
    package = own_copy(PACKAGE, tmp_path / "src" / "allotment")
    (package / "kernels" / "probe.py").write_text(PROBE)
    variables = {
        **os.environ,
        "PYTHONPATH": str(tmp_path / "src"),
        "NUMBA_CACHE_DIR": str(tmp_path / "cache"),
    }

    def run():
        done = subprocess.run(
            [sys.executable, "-c", RUN], env=variables, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    assert run() == "False 32001.0"
    copy = read_sources(package)
    copy = swapped(copy, "allotment.policies.joint.joint_state", b"    curiosity: float", b"    trust: float")
    copy = edited(copy, SIZES, b"\nPARTS = 32", b"\nPARTS = 64")
    for name in ("policies.joint.joint_state", SIZES.removeprefix("allotment.")):
        package.joinpath(*name.split(".")).with_suffix(".py").write_bytes(copy[f"allotment.{name}"])
    assert run() == "False 64003.0"
