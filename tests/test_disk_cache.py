"""The cache on disk: never stale, never anew without need, and a damaged one is done without."""

import ast
import importlib
import os
import pkgutil
import subprocess
import sys
from typing import NamedTuple

import pytest
from numba.core.cpu import CPUContext

from allotment import calling, disk_cache
from allotment.compiling import kernel
from allotment.disk_cache import FROZEN, PACKAGE, code_of, compiled_modules

SHORT_RUN = (
    "import sys, json\n"
    "import numpy as np\n"
    "import allotment as al\n"
    "from allotment.simulation.rollout import Run\n"
    "problem = al.Problem([0.5, 0.4], 1.0, 1.0)\n"
    "run = Run(problem, al.RandomSplit(), 9, 1, 0)\n"
    "before, curve = run.is_compiled, np.zeros(1)\n"
    "run.advance(9, np.array([9]), curve)\n"
    "print(json.dumps([before, run.is_compiled, curve.tolist()]))\n"
)


def short_run(folder, more="", **variables):
    done = subprocess.run(
        [sys.executable, "-c", SHORT_RUN + more],
        env={**os.environ, "NUMBA_CACHE_DIR": str(folder), **variables},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def kept(folder):
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*.nbc")}


class Stranger(NamedTuple):
    number: float


def test_what_a_class_from_outside_is_part_of_is_not_kept(tmp_path, monkeypatch):
    def ours(state, number):
        return number

    ours.__module__ = "allotment.probe"
    monkeypatch.setattr(disk_cache, "home", lambda: tmp_path)
    made = kernel(ours)
    for outside in (Stranger(1.0), (Stranger(1.0), 2.0)):
        assert made(outside, 1.0) == 1.0
        assert not kept(tmp_path)  # its kernels may change, and nobody would know
    assert made(1.0, 1.0) == 1.0
    assert len(kept(tmp_path)) == 1


def test_what_is_said_to_people_does_not_count_and_what_is_done_does():
    source = (
        'N = 3\nclass P:\n    """Says."""\n    use = "When."\n    a: int = 1\n'
        'def f(x):\n    "doc"\n    return x + N  # why\n'
    )
    for same in (
        source.replace("Says", "Tells"),
        source.replace("When", "If"),
        source.replace("doc", "text"),
        source.replace("# why", "# because"),
        "\n\n" + source,
    ):
        assert code_of(same) == code_of(source)
    for other in (
        source.replace("N = 3", "N = 4"),
        source.replace("x + N", "x - N"),
        source.replace("a: int = 1", "a: int = 2"),
    ):
        assert code_of(other) != code_of(source)


def test_every_number_that_compiled_code_freezes_is_in_the_key():
    covered = {path.relative_to(PACKAGE).as_posix() for path in compiled_modules()}
    assert set(FROZEN) <= covered
    assert {"kernels/beliefs.py", "simulation/rollout.py", "oracles/selection.py", "compiling.py"} <= covered
    assert not {"cli/simulate.py", "errors.py", "catalogue.py"} & covered
    for path in compiled_modules():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("allotment."):
                continue
            constants = [
                alias.name for alias in node.names if alias.name.isupper() and alias.name not in NOT_FROZEN
            ]
            module = node.module.removeprefix("allotment.").replace(".", "/") + ".py"
            if constants:
                assert module in covered, f"{path.name} takes {constants} from {module}"


def test_the_kernels_of_every_generic_function_are_in_the_key():
    for module in pkgutil.walk_packages([str(PACKAGE)], "allotment."):
        if not module.name.endswith(("__main__", ".parts")):  # parts are done without where Numba has changed
            importlib.import_module(module.name)
    kernels = [each for registered in calling._kernels for each in registered.values()]
    modules = {getattr(each, "py_func", each).__module__ for each in kernels}
    ours = {name.removeprefix("allotment.") for name in modules if name.startswith("allotment.")}
    covered = {path.relative_to(PACKAGE).with_suffix("").as_posix() for path in compiled_modules()}
    assert {"policies.equal_split", "policies._curve_rule"} <= ours
    assert {name.replace(".", "/") for name in ours} <= covered


# Used in plain Python only, before compiled code starts.
NOT_FROZEN = {
    "KINDS",
    "LEARNS_FROM_EVIDENCE",
    "LEARNS_NOTHING",
    "UNCOVERABLE",
    "ROUNDING",
    "MOST_ITEMS",
    "SEES",
}
NOT_FROZEN |= {"FLAT", "GRADUAL", "LEAST", "NODES", "OTHER", "STEP"}  # of response curves


def test_where_something_that_it_calls_cannot_be_found_all_that_compiling_takes_is_loaded(
    tmp_path, monkeypatch
):
    def ours(number):
        return number + 1.0

    ours.__module__ = "allotment.probe"
    monkeypatch.setattr(disk_cache, "home", lambda: tmp_path)
    assert kernel(ours)(1.0) == 2.0  # compiled, and kept
    files, refreshed = kept(tmp_path), []
    monkeypatch.setattr(CPUContext, "refresh", lambda context: refreshed.append(context))
    assert kernel(ours)(1.0) == 2.0
    assert not refreshed
    monkeypatch.setattr(disk_cache, "address_of_symbol", lambda name: None)
    assert kernel(ours)(1.0) == 2.0
    assert refreshed
    assert kept(tmp_path) == files


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


def test_a_second_process_finds_what_the_first_compiled(folder):
    before, after, curve = short_run(folder).split(", ", 2)
    assert (before, after) == ("[false", "true")
    files = kept(folder)
    assert files
    assert short_run(folder) == f"[true, true, {curve}"
    assert kept(folder) == files


@pytest.mark.parametrize(("plain", "expected"), [("", []), ("1", ["numba.np.linalg", "scipy.linalg"])])
def test_what_was_compiled_runs_without_what_compiling_takes(folder, plain, expected):
    loaded = "print([m for m in ('numba.np.linalg', 'scipy.linalg', 'scipy.special') if m in sys.modules])\n"
    short_run(folder, ALLOTMENT_PLAIN_NUMBA=plain)
    printed = short_run(folder, more=loaded, ALLOTMENT_PLAIN_NUMBA=plain)
    assert printed.splitlines()[1] == str(expected)


@pytest.mark.parametrize("ending", ["*.nbi", "*.nbc"])
def test_a_damaged_cache_is_done_without(folder, ending):
    expected = short_run(folder)
    for path in folder.rglob(ending):
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2] + b"\x00junk")
    assert short_run(folder).split(", ", 2)[2] == expected.split(", ", 2)[2]


def test_without_what_is_private_to_numba_the_numbers_are_the_same(folder):
    expected = short_run(folder).split(", ", 2)[2]
    plain = short_run(folder, ALLOTMENT_PLAIN_NUMBA="1")
    assert plain.startswith("[false")  # what was compiled otherwise is kept apart
    assert plain.split(", ", 2)[2] == expected
