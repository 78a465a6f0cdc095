"""The memory limit: what it is, and the one sentence above it."""

import os

import pytest

from allotment import InputError
from allotment.system import memory


def test_the_limit_is_half_of_what_the_machine_has_or_its_container(tmp_path, monkeypatch):
    monkeypatch.delenv(memory.VARIABLE, raising=False)
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    container = tmp_path / "memory.max"
    monkeypatch.setattr(memory, "CONTAINER", container)
    assert memory.memory_limit() == machine / 2
    container.write_text("max\n")
    assert memory.memory_limit() == machine / 2
    container.write_text("1000000000\n")
    assert memory.memory_limit() == 5e8
    monkeypatch.setenv(memory.VARIABLE, "1.5")
    assert memory.memory_limit() == 1.5e9


@pytest.mark.parametrize("text", ["lots", "0", "-1", "nan"])
def test_a_limit_that_is_no_number_is_named(text, monkeypatch):
    monkeypatch.setenv(memory.VARIABLE, text)
    with pytest.raises(InputError, match=f"ALLOTMENT_MEMORY_GB is '{text}'; expected a number of gigabytes"):
        memory.memory_limit()


def test_the_sentence_has_the_estimate_the_limit_and_what_to_do(monkeypatch):
    monkeypatch.setenv(memory.VARIABLE, "2")
    memory.refuse_above_limit("this", 1.9e9, "less")
    with pytest.raises(InputError) as refused:
        memory.refuse_above_limit("this", 31.4e9, "less of it")
    assert str(refused.value) == (
        "this would take about 31 GB of memory, and the limit is 2 GB; "
        "expected less of it, or a higher limit in ALLOTMENT_MEMORY_GB"
    )
