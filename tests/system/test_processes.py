import pytest

from allotment.errors import AllotmentError
from allotment.system.processes import run_elsewhere, side_by_side


def test_a_program_answers_or_says_why_not():
    assert run_elsewhere("print(input()[::-1])", "abc") == "cba\n"
    with pytest.raises(AllotmentError, match="^ValueError: no$"):
        run_elsewhere("raise ValueError('no')", "")


def test_programs_end_with_the_block_that_started_them(tmp_path):
    begun, ended = tmp_path / "begun", tmp_path / "ended"
    program = (
        "import pathlib, sys, time\n"
        f"pathlib.Path({str(begun)!r}).touch(); time.sleep(60); pathlib.Path({str(ended)!r}).touch()"
    )
    with pytest.raises(KeyboardInterrupt), side_by_side(1) as start:
        running = [start(run_elsewhere, program, "") for _ in range(2)]
        while not begun.exists():
            assert not running[0].done()
        raise KeyboardInterrupt
    assert running[0].done()
    assert running[1].cancelled()
    assert not ended.exists()
