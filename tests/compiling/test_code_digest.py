"""The digests cover all that compiled code depends on, so that an edit is never overlooked."""

import functools
import importlib
import itertools
import json
import os
import pkgutil
import re
import subprocess
import sys

import pytest

import allotment as al
from allotment.compiling import code_digest, python_calls, user_kernels
from allotment.compiling.code_digest import (
    OF_ALL,
    OF_COMPILER,
    PACKAGE,
    Dependencies,
    digests_of_code,
    modules_with_kernels,
    name_of,
    read_sources,
    stamp,
    statements_of,
)
from allotment.compiling.disk_cache import classes_in
from allotment.compiling.python_calls import types_of
from allotment.simulation.rollout import Run
from own_copies import own_copy

SIZES = "allotment.policies.any_response.tuning"


@pytest.fixture(scope="module")
def sources():
    return read_sources()


@pytest.fixture(scope="module")
def digest():
    """The digests of sources; what was parsed before is not parsed again."""
    parsed = functools.cache(lambda source: list(statements_of(source)))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(code_digest, "statements_of", parsed)
        yield digests_of_code


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
        return [each.code for each in statements_of(source.encode())]

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


ROLLOUT = "allotment.simulation.rollout:rollout"
JOINT = "allotment.policies.joint.joint_state:JointState"
CURVES = "allotment.policies.any_response.rule:CurveState"
SHARES = "allotment.oracles.shares.solver:solve"
THOMPSON = "allotment.policies._estimators:Thompson"


def changed(before, after):
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}


def classes_of(policy):
    """The names of the classes in a policy's state, for which the rollout is compiled."""
    run = Run(al.Problem([0.5, 0.4], 1.0, 1.0, unit=0.1), policy, 9, 1, 0)
    signature = types_of([run.learner.state])
    return {name_of(kind.__module__, kind.__qualname__) for kind in classes_in(signature)}


def test_every_edit_of_a_state_or_a_constant_changes_the_digest_of_a_state(sources, digest):
    before = digest(sources)
    curves = "allotment.policies.any_response.beliefs"
    joint, tuning = "allotment.policies.joint.joint_state", "allotment.policies.joint.tuning"
    edits_of = {
        al.AnyResponse(): [
            swapped(sources, curves, b"    cut: float", b"    drop: float"),
            edited(sources, SIZES, b"\nSCARCE_DRAWS = 5", b"\nSCARCE_DRAWS = 6"),
        ],
        al.Joint(): [
            swapped(sources, joint, b"    curiosity: float", b"    trust: float"),
            edited(sources, tuning, b"\nTRUSTED = 0.7", b"\nTRUSTED = 0.75"),
        ],
        al.CsbSt(): [edited(sources, "allotment.tolerance", b"RELATIVE = 1e-12", b"RELATIVE = 1e-11")],
    }
    for policy, edits in edits_of.items():
        states = classes_of(policy)
        assert states <= before.keys()
        for edit in edits:
            assert changed(before, digest(edit)) & states


def test_an_edit_changes_nothing_that_does_not_depend_on_it(sources, digest):
    before = digest(sources)
    rule = "allotment.policies.joint.joint_rule"
    edits = changed(before, digest({**sources, rule: sources[rule].replace(b" + ", b" - ")}))
    assert JOINT in edits and OF_ALL in edits
    assert not edits & {ROLLOUT, CURVES, SHARES, THOMPSON, OF_COMPILER}
    assert not any(
        name.startswith(("allotment.policies.any_response", "allotment.oracles")) for name in edits
    )


def test_how_things_are_compiled_concerns_everything(sources, digest):
    linking = "allotment.compiling.linking"
    after = digest({**sources, linking: sources[linking] + b"\nX = 1\n"})
    assert OF_COMPILER in changed(digest(sources), after)


def test_edits_of_texts_and_of_what_is_not_compiled_change_nothing(sources, digest):
    before = digest(sources)
    for module, text in (
        ("allotment.policies.any_response.beliefs", b"# a comment\n"),
        ("allotment.cli.simulate", b"X = 1\n"),
    ):
        assert digest({**sources, module: sources[module] + text}) == before
    covered = modules_with_kernels(sources)
    for room in (
        "cli",
        "campaign",
        "testing",
        "theory.bounds",
        "policies.base.catalogue",
        "simulation.simulate",
    ):
        assert not any(f"{name}.".startswith(f"allotment.{room}.") for name in covered)


GENERIC = b"""
from allotment.compiling.decorators import generic
from allotment.tables_of import TABLE, scaled
@generic
def ask(state, number):
    raise NotImplementedError
def unknown(number):
    return number
"""
STATES = b"""
from typing import NamedTuple
class Inner(NamedTuple):
    size: float
class State(NamedTuple):
    inner: Inner
class Other(NamedTuple):
    size: float
"""
KERNELS = b"""
from allotment import helpers
from allotment.asking import ask
from allotment.compiling.decorators import kernel
from allotment.states import Inner, Other, State
doubled = kernel(helpers.double)
@ask.register
def _ask(state: State, number):
    return ask(state.inner, number)
@ask.register
def _ask_inner(inner: Inner, number):
    return doubled(number) * inner.size
@ask.register
def _ask_other(other: Other, number):
    return number
"""
HELPERS = b"""
import numpy as np
from numba.extending import overload
FACTORS = np.ones(3)
FACTORS[1] = 2.0
def double(number):
    return FACTORS[1] * records(number)
def records(number):
    return number
@overload(records)
def _compiled(number):
    return lambda number: number
"""
ENTRY = b"""
from allotment.asking import ask
from allotment.compiling.decorators import Entry
@Entry
def play(state, number):
    return ask(state, number)
"""
SMALL = {
    "allotment": b"",
    "allotment.asking": GENERIC,
    "allotment.states": STATES,
    "allotment.kernels_of": KERNELS,
    "allotment.helpers": HELPERS,
    "allotment.entry": ENTRY,
    "allotment.compiling.decorators": b"def kernel(f): ...\ndef generic(f): ...\n",
}
STATE, INNER, OTHER, PLAY = (
    *(f"allotment.states:{name}" for name in ("State", "Inner", "Other")),
    "allotment.entry:play",
)


@pytest.mark.parametrize(
    ("module", "old", "new", "expected"),
    [
        ("kernels_of", b"* inner.size", b"+ inner.size", {STATE, INNER}),  # found by its class alone
        ("kernels_of", b"return ask(state", b"return 2 * ask(state", {STATE}),
        ("kernels_of", b"    return number\n", b"    return -number\n", {OTHER}),
        ("kernels_of", b"kernel(helpers.double)", b"kernel(helpers.records)", {STATE, INNER}),
        ("helpers", b"FACTORS[1] * ", b"FACTORS[2] * ", {STATE, INNER}),
        ("helpers", b"FACTORS[1] = 2.0", b"FACTORS[1] = 3.0", {STATE, INNER}),  # no name is bound
        ("helpers", b"lambda number: number", b"lambda number: -number", {STATE, INNER}),  # an overload
        ("states", b"    inner: Inner", b"    inner: Inner\n    more: int", {STATE}),
        ("asking", b"return number", b"return -number", set()),  # nobody calls it
        ("entry", b"return ask(", b"return -ask(", {PLAY}),
    ],
)
def test_what_is_registered_for_a_class_or_an_overload_counts(module, old, new, expected):
    name = f"allotment.{module}"
    assert SMALL[name].count(old) == 1
    edit = SMALL | {name: SMALL[name].replace(old, new)}
    found = changed(digests_of_code(SMALL), digests_of_code(edit)) & {STATE, INNER, OTHER, PLAY}
    assert found == expected


def test_an_overload_of_what_is_not_the_packages_concerns_everything():
    stranger = b"\n@overload(np.linalg.norm)\ndef _norm(vector):\n    return lambda vector: 1.0\n"
    edit = SMALL | {"allotment.helpers": HELPERS + stranger}
    assert {STATE, OTHER, PLAY} <= changed(digests_of_code(SMALL), digests_of_code(edit))


COMPILED = """
import json, sys
import numpy as np
import allotment as al
from allotment.compiling import user_kernels
from allotment.compiling.decorators import Entry
from allotment.compiling.disk_cache import classes_in
from allotment.compiling.python_calls import types_of
from allotment.simulation.rollout import Run

asked, call = [], Entry.__call__

def noted(entry, *arguments):
    names = [entry._function, *classes_in(types_of(arguments))]
    asked.extend((each.__module__, each.__qualname__) for each in names)
    return call(entry, *arguments)

Entry.__call__ = noted
problem = al.Problem([0.5, 0.4], 1.0, 1.0)
Run(problem, eval(sys.argv[1]), 9, 1, 0).advance(9, np.array([9]), np.zeros(1))
made = [each.py_func for each in user_kernels._made if getattr(each, "overloads", None)]
print(json.dumps([asked, [(each.__module__, each.__qualname__) for each in made]]))
"""


@pytest.mark.parametrize("policy", ["al.EqualSplit()", "al.CsbSt()"])
def test_every_kernel_that_numba_compiles_is_covered(policy, tmp_path, sources):
    done = subprocess.run(
        [sys.executable, "-c", COMPILED, policy],
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    asked, made = json.loads(done.stdout)
    modules = modules_with_kernels(sources)
    graph = Dependencies(modules)
    reached = {
        place
        for module, qualified in asked
        for at, statement in enumerate(modules[module])
        if statement.defines == qualified
        for place in graph.reached_from((module, at))
    }
    covered = {(module, modules[module][at].defines) for module, at in reached}
    kernels = {(module, qualified) for module, qualified in made if ".compiling." not in module}
    assert len(kernels) > 9
    assert kernels <= covered


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
    assert ours <= set(modules_with_kernels(sources))
    digests = digests_of_code(sources)
    for each in made | states:
        if each.__module__ in ours and "<locals>" not in each.__qualname__:
            assert f"{each.__module__}:{each.__qualname__}" in digests


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
