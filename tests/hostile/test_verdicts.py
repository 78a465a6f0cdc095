"""The verdict itself: programs that misbehave, each in one way, and what is said of them."""

import pytest

from hostile.cases import Case, Trial
from hostile.running import made_folder

REFUSAL = "import sys; print('allotment: this will not do', file=sys.stderr); "
MISBEHAVING = {
    "1 / 0": "traceback: ZeroDivisionError: division by zero",
    "raise SystemExit(1)": "exit code 1: ",
    "raise SystemExit(2)": "exit code 2 with 0 sentences",
    REFUSAL * 2 + "sys.exit(2)": "exit code 2 with 2 sentences",
    "import sys; print('what?', file=sys.stderr)": "says on stderr: 'what?'",
    "import sys; print('allotment: \\x1b[31m', file=sys.stderr)": "says on stderr: 'allotment: \\x1b[31m'",
    "import os; os.kill(os.getpid(), 9)": "ended by signal 9",
    "import subprocess; subprocess.Popen(['sleep', '99'])": "left a process: sleep\x0099\x00",
    "len(b'x' * 2**29)": "took ",
    "bytearray(2**31)": "traceback: MemoryError",
    "import sys; sys.path.append('.'); import evil_mod": "planted code ran",
    "open('../home/x', 'w')": "home/x is new",
    "open('../tmp/x', 'w')": "tmp/x is new",
    "open('made', 'w'); " + REFUSAL + "sys.exit(2)": "work/made is new",
    "open('given', 'a').write('!')": "work/given was changed",
    "import os; os.remove('given')": "work/given is gone",
}


def met(program, servers, tmp_path, **options):
    folder = made_folder(tmp_path / "case")
    (folder / "work" / "given").write_text("mine")
    return Trial(Case(program=program, **options), folder, servers).meet()


@pytest.mark.parametrize(("program", "expected"), MISBEHAVING.items())
def test_misbehaviour_is_noticed(program, expected, servers, tmp_path):
    _, complaint = met(program, servers, tmp_path, makes=("made",))
    assert complaint is not None
    assert complaint.startswith(expected)


def test_good_behaviour_passes(servers, tmp_path):
    outcome, complaint = met("open('made', 'w'); print('an answer')", servers, tmp_path, makes=("made",))
    assert (outcome.code, outcome.out, complaint) == (0, "an answer\n", None)


def test_a_sentence_passes_unless_an_answer_is_needed(servers, tmp_path):
    refusal = REFUSAL + "sys.exit(2)"
    assert met(refusal, servers, tmp_path)[1] is None
    _, complaint = met(refusal, servers, tmp_path / "again", must_answer=True)
    assert complaint == "refuses: allotment: this will not do\n"


@pytest.mark.soak
def test_what_never_ends_is_ended(servers, tmp_path):
    assert met("while True: pass", servers, tmp_path)[1] == "ended by signal 9"
