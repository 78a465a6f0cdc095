"""`tell` at a real terminal, which is left with Ctrl-C, or closed."""

import pytest

from allotment import Campaign
from running import PATIENCE_SECONDS, at_a_terminal

CTRL_C = b"\x03"


def telling(night):
    """A `tell`, in a terminal that is 60 columns wide."""
    return at_a_terminal("-m", "allotment", "tell", night, columns=60)


def answer_one(terminal):
    """Give one answer, so that it asks for the next."""
    terminal.shown_until(r"Dock \(granted 2\): ")
    terminal.write(b"1\n")
    terminal.shown_until(r"Gate \(granted 2\): ")


def told(night):
    with Campaign.open(night) as campaign:
        return campaign.plan("1").told


def test_answers_are_kept_after_ctrl_c(allotment, night):
    allotment("ask", night)
    with telling(night) as terminal:
        answer_one(terminal)
        terminal.write(CTRL_C)
        assert terminal.shown_until("asks for the rest").splitlines()[-2:] == [  # broken between words
            "allotment: interrupted; the answer for 1 place is kept as a",
            "partial report; `allotment tell` asks for the rest",
        ]
        assert (terminal.process.wait(PATIENCE_SECONDS), told(night)) == (130, {"Dock": 1})


@pytest.mark.parametrize("_", range(3))  # the signal comes before the error of reading, or after it
def test_answers_are_kept_when_the_terminal_is_closed(allotment, night, _):
    allotment("ask", night)
    with telling(night) as terminal:
        answer_one(terminal)
        terminal.close()
        assert (terminal.process.wait(PATIENCE_SECONDS), told(night)) == (129, {"Dock": 1})
