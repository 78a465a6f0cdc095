"""Shared kernels: compiled once, called by name, and found again by later processes."""

import sys
from types import ModuleType

import pytest

from allotment.compiling import disk_cache
from allotment.compiling.decorators import allocating, kernel, shared
from allotment.compiling.disk_cache import needs_of

SOURCE = """
@shared
def large(number):
    if number < 0.0:
        raise ValueError("below zero")
    return number + 1.0

@kernel
def part(number):
    return 2.0 * large(number)

@allocating
def caller(number):
    return part(number) + large(number)
"""


@pytest.fixture
def later(tmp_path, monkeypatch):
    """Makes the module anew, with the cache that the last one left."""
    monkeypatch.setattr(disk_cache, "home", lambda: tmp_path)

    def make():
        module = ModuleType("allotment.probe")
        monkeypatch.setitem(sys.modules, module.__name__, module)
        vars(module).update(shared=shared, kernel=kernel, allocating=allocating)
        exec(compile(SOURCE, str(tmp_path / "probe.py"), "exec"), vars(module))
        return module

    return make


def files(folder):
    return {path.name: path.stat().st_ino for path in folder.rglob("*.nbc")}


def test_callers_jump_to_one_machine_code(later):
    module = later()
    assert module.caller(3.0) == 12.0
    [made] = module.caller.overloads.values()
    [need] = needs_of(made.library)
    assert (need.module, need.name) == ("allotment.probe", "large")
    [large] = [each for each in made.library._final_module.functions if each.name == need.symbol]
    assert large.is_declaration
    with pytest.raises(ValueError, match="below zero"):
        module.caller(-1.0)


def test_a_later_process_compiles_nothing_anew(later, tmp_path):
    assert later().caller(3.0) == 12.0
    before, module = files(tmp_path), later()
    assert len(before) == 3
    assert module.caller(3.0) == 12.0
    assert files(tmp_path) == before
    assert not module.caller.stats.cache_misses and not module.large.stats.cache_misses


def test_what_calls_a_kernel_that_was_compiled_anew_is_too(later, tmp_path):
    assert later().caller(3.0) == 12.0
    [kept] = tmp_path.rglob("*large*.nbc")
    kept.unlink()
    module = later()
    assert module.caller(3.0) == 12.0
    assert module.caller.stats.cache_misses
    last = later()
    assert last.caller(3.0) == 12.0 and not last.caller.stats.cache_misses


def test_python_can_call_it(later):
    assert later().large(3.0) == 4.0
