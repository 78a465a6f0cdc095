"""Loss rates and responses in words that people can picture: about one in 20 rounds."""

from fractions import Fraction

LARGE_SHARE = 2 / 7  # from here on, a rate is said with small numbers: 2 in 5 rounds
SMALL_NUMBERS = 5
NEARLY_ALWAYS = 0.93
RAREST = 10_000  # rounds
STEP = "a step at "  # as the posterior says it


def rounds_with_a_loss(rate: float) -> str:
    """A loss rate in words.

    >>> for rate in (0.05, 0.262, 0.41, 0.96, 2.34, 0.0062, 0.00001):
    ...     print(rounds_with_a_loss(rate))
    about one in 20 rounds
    about one in 4 rounds
    about 2 in 5 rounds
    nearly every round
    about 2.3 a round
    about one in 160 rounds
    less than one in 10,000 rounds
    """
    if rate >= 1.05:
        return f"about {rate:.2g} a round"
    if rate >= NEARLY_ALWAYS:
        return "nearly every round"
    if rate * RAREST < 1.0:
        return f"less than one in {RAREST:,} rounds"
    return f"about {_share(rate)} rounds"


def rounds_between(low: float, high: float) -> str:
    """A band of loss rates in words.

    >>> rounds_between(0.025, 0.083)
    'between one in 40 and one in 12 rounds'
    >>> rounds_between(0.00002, 0.97)
    'between less than one in 10,000 rounds and nearly every round'
    """
    ends = [rounds_with_a_loss(each).removeprefix("about ") for each in (low, high)]
    if ends[0] == ends[1]:
        return f"about {ends[0]}"
    if all(" in " in each and not each.startswith("less") for each in ends):
        ends[0] = ends[0].removesuffix(" rounds")
    return f"between {ends[0]} and {ends[1]}"


def response_in_words(shape: str) -> str:
    """What a shape of a response curve means; `shape` is as the status gives it.

    >>> response_in_words("a step at 2")
    '2 covers it, and less does not help'
    """
    if shape.startswith(STEP):
        return f"{shape.removeprefix(STEP)} covers it, and less does not help"
    if shape == "gradual":
        return "every unit more prevents a little more"
    if shape.startswith("nothing helps"):
        return f"no amount {shape.removeprefix('nothing helps ')} prevents anything"
    return "more prevents more, in a form of its own"


def _share(rate: float) -> str:
    """A share in words, such as "2 in 5" or "one in 20"."""
    if rate >= LARGE_SHARE:
        near = Fraction(rate).limit_denominator(SMALL_NUMBERS)
        if near.numerator == near.denominator:
            near = Fraction(9, 10)
        return f"{'one' if near.numerator == 1 else near.numerator} in {near.denominator}"
    many = round(1.0 / rate)
    return f"one in {round(many, 2 - len(str(many))):,}"  # two significant digits
