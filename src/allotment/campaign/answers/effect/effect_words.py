"""What an effect says in sentences."""

from datetime import date

from allotment.campaign.forms.answer import LEAST, short

MANY_CAPPED, FEWEST_CAPPED = 0.1, 3  # of all rounds, and in number
WEIGHTED = "Severities differ between places. The effect counts losses, not their cost, which plans minimise."
NO_CONTROL_ROUND = "No control round counts yet."
ENDED = "This comparison has ended: control rounds were changed or turned off."
FAR_ABOVE = (
    "Losses are far above what the first plan expected. Many of them do not count. Start a new comparison: "
    "change the share or the comparison plan."
)
HOW_TO_START = (
    "this campaign has no control rounds, so nothing says what would happen without its plans. "
    "To start them: allotment change STORE --control. By lot, one round in four then has an equal split "
    "instead of the plan; it costs the losses that the plan would prevent in those rounds"
)

Limits = tuple[float, float]  # the least and the most that plans prevent


def verdict(compared_with: str, estimate: float, limits: Limits) -> str:
    """The answer in one sentence."""
    low, high = limits
    if low > 0.0:
        return (
            f"Plans prevent {short(estimate)} losses a round compared with {compared_with} "
            f"(with 95 % confidence, at least {short(low)} and at most {short(high)})."
        )
    if high < 0.0:
        return (
            f"Plans have {short(-estimate)} losses a round more than {compared_with} "
            f"(with 95 % confidence, at least {short(-high)} and at most {short(-low)})."
        )
    return (
        f"It is too early to say whether plans prevent losses compared with {compared_with}: "
        f"with 95 % confidence, {difference(limits)}."
    )


def difference(limits: Limits) -> str:
    """Limits of the difference, in words.

    >>> difference((-18.7, 133.0))
    'plans have between 18.7 losses a round more and 133 fewer'
    >>> difference((1.5, 4.0))
    'plans have between 1.5 and 4 losses a round fewer'
    """
    low, high = limits
    if low > 0.0:
        return f"plans have between {short(low)} and {short(high)} losses a round fewer"
    if high < 0.0:
        return f"plans have between {short(-high)} and {short(-low)} losses a round more"
    return f"plans have between {short(abs(low))} losses a round more and {short(abs(high))} fewer"


def basis(rounds: int, control_rounds: int, since: date) -> str:
    """What the answer rests on."""
    seen = f"{counted(rounds, 'round')} since {since}"
    if not control_rounds:
        return f"{seen} carried out the usual plan."
    drawn = counted(control_rounds, "was a control round", "were control rounds")
    return f"The answer rests on {seen}, of which {drawn}, and holds however often you look."


def approximately(limits: Limits) -> str:
    """The approximate interval."""
    low, high = map(short, limits)
    return (
        f"The approximate interval is {low} to {high}; with few control rounds, it can miss more often than "
        "one time in 20."
    )


def missing_reports(missing: int, reports: int, if_expected: Limits) -> str:
    """How many reports are missing, and what the answer would be if they were as expected."""
    are = "is" if missing == 1 else "are"
    return (
        f"{missing} of {reports} reports {are} missing. The answer holds whatever they would say; "
        f"if they were as expected, {difference(if_expected)}."
    )


def capped_rounds(capped: int, rounds: int) -> list[str]:
    """How many rounds had more losses than count."""
    if not capped:
        return []
    said = (
        f"In {counted(capped, 'round')}, more losses happened than the comparison counts. The interval "
        "concerns losses up to that limit."
    )
    return [said, FAR_ABOVE] if capped >= max(FEWEST_CAPPED, MANY_CAPPED * rounds) else [said]


def awaiting_reports(plan: str, of: date, newer: int) -> str:
    """Which plan awaits reports, and how many rounds do not count because of it."""
    later = counted(newer, "newer round does", "newer rounds do")
    rest = f"; {later} not count yet" if newer else ""
    return f"Plan {plan} of {of} awaits reports. The comparison ends before it{rest}. Report it, or close it."


def costs(expected: float, estimated: float | None) -> list[str]:
    """What control rounds cost so far; the estimate is None as long as it may be chance alone."""
    if max(abs(expected), abs(estimated or 0.0)) < LEAST:
        return ["Control rounds cost nothing so far."]
    said = [_cost("the plans' expectations", expected)]
    return said if estimated is None else [*said, _cost("the estimate above", estimated)]


def _cost(source: str, losses: float) -> str:
    if abs(losses) < LEAST:
        return f"By {source}, control rounds cost nothing so far."
    if losses < 0.0:
        return f"By {source}, control rounds had {short(-losses)} losses fewer than plans would have."
    return f"By {source}, control rounds cost {short(losses)} losses so far."


def counted(count: int, one: str, many: str = "") -> str:
    """A number of things.

    >>> counted(1, "round"), counted(2, "round")
    ('1 round', '2 rounds')
    """
    return f"{count} {one if count == 1 else many or one + 's'}"
