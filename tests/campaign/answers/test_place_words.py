"""Loss rates in words are near to the numbers that they stand for."""

import re

from hypothesis import given
from hypothesis import strategies as st

from allotment.campaign.answers.place_words import rounds_between, rounds_with_a_loss


@given(st.floats(1e-4, 0.92))
def test_words_are_near_to_the_rate(rate):
    many, rounds = re.fullmatch(r"about (one|\d) in ([\d,]+) rounds", rounds_with_a_loss(rate)).groups()
    said = (1 if many == "one" else int(many)) / int(rounds.replace(",", ""))
    assert abs(said - rate) < 0.15 * rate


@given(st.floats(0.0, 5.0), st.floats(0.0, 5.0))
def test_a_band_says_both_of_its_ends(low, high):
    said = rounds_between(min(low, high), max(low, high))
    assert said.startswith("between ") is (" and " in said)
