"""Questions at a terminal: the losses of each place, and choices between options."""

import shlex
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from allotment.cli.campaigns.shared import count_in
from allotment.cli.output import complain, say
from allotment.errors import ConflictError, InputError, StoreError
from allotment.system.interrupts import interrupts

if TYPE_CHECKING:
    from allotment.campaign.campaign import Campaign
    from allotment.campaign.planning.plan import Plan
    from allotment.campaign.settings.settings import Settings

KEYS = "0 is quiet, - is not reported, * is all remaining places quiet, < goes back one place"
NOT_REPORTED, ALL_QUIET, BACK = "-", "*", "<"


def _line(question: str) -> str | None:
    """Read a line; None at the end of the input."""
    say(question, file=sys.stderr, end=" ")
    text = sys.stdin.readline()
    if not text:
        complain("")
        return None
    return text.strip()


def choice(question: str, options: Mapping[str, str]) -> str:
    """Ask the user to choose one of several options, by name."""
    complain(question)
    for name, words in options.items():
        complain(f"  {name}: {words}")
    while (text := _line(f"{' or '.join(options)}:")) is not None:
        if text in options:
            return text
    raise InputError("nothing was chosen", f"one of {', '.join(options)}", what="choice")


def told_at_the_prompt(campaign: "Campaign", plan: "Plan", key: str | None) -> None:
    """Ask for the losses of each place and record them, even if the dialogue ends early.

    Only a complete report uses the request's key. A partial report gets its own key, so that reporting the
    rest under the request's key is no conflict.
    """
    from allotment.campaign.planning.plan import plan_words

    if not plan.untold:
        raise ConflictError(
            f"{plan_words(plan.id, plan.date, plan.situation)} is fully reported",
            "reports with --correct to replace some, such as Dock=1",
            what="plan",
            value=plan.id,
        )
    answers: dict[str, int | None] = {}
    kept: list[str] = []

    def keep() -> str:
        if not kept:
            kept.append(_record_answers(campaign, plan, answers))
        return kept[0]

    with interrupts() as arrived:
        try:
            try:
                _ask_place_by_place(plan, campaign.settings, answers)
            except Exception:  # such as a terminal that is gone, of which a signal may come a moment later
                with arrived.held():
                    sentence = keep()
                arrived.heed()
                with suppress(OSError):
                    complain(sentence)
                raise
            known = _known(answers)
            with arrived.held():
                _record(campaign, plan, known, key if len(known) == len(plan.untold) else None)
        except KeyboardInterrupt:  # the only one: nothing interrupts what is kept here
            sentence = keep()
            with suppress(OSError):
                complain("")  # what follows is no answer to the question on this line
            raise KeyboardInterrupt(sentence) from None


def _ask_place_by_place(plan: "Plan", settings: "Settings", answers: dict[str, int | None]) -> None:
    """Fill in the answers; None means not reported."""
    from allotment.campaign.forms.amounts import count_of, listed
    from allotment.campaign.history.telling import checked_count
    from allotment.campaign.planning.plan import plan_words

    which = plan_words(plan.id, plan.date, plan.situation, capital=True)
    complain(f"{which}. Type the number of {settings.sees} at each place:")
    complain(f"{KEYS}. Ctrl-D ends.")
    names, at = plan.untold, 0
    while at < len(names):
        name = names[at]
        before = "" if answers.get(name) is None else f", {answers[name]} so far"
        text = _line(f"{name} (granted {plan.amounts[name]}{before}):")
        if text is None:
            return
        if text == BACK:
            at = max(at - 1, 0)
        elif text == ALL_QUIET:
            quiet = [each for each in names[at:] if each == name or each not in answers]
            if _line(f"{count_of(len(quiet), 'place')} quiet: {listed(quiet)}? (y/n)") in ("y", "yes"):
                answers |= dict.fromkeys(quiet, 0)
                return
        elif text == "":
            complain(f"Enter alone is no answer: {KEYS}.")
        else:
            try:
                count = None if text == NOT_REPORTED else count_in(text)
                answers[name] = checked_count(settings, name, count)
                at += 1
            except InputError as error:
                complain(str(error))


def _known(answers: Mapping[str, int | None]) -> dict[str, int]:
    return {name: count for name, count in answers.items() if count is not None}


def _record_answers(campaign: "Campaign", plan: "Plan", answers: Mapping[str, int | None]) -> str:
    """Record the answers so far, and say so."""
    known = _known(answers)
    if not known:
        return "nothing was answered, and nothing recorded"
    _record(campaign, plan, known, None)
    kept = "answer for 1 place is" if len(known) == 1 else f"answers for {len(known)} places are"
    return f"the {kept} kept as a partial report; `allotment tell` asks for the rest"


def _record(campaign: "Campaign", plan: "Plan", known: Mapping[str, int], key: str | None) -> None:
    """Record answers. If the store fails, show the command that reports them."""
    try:
        _tell(campaign, plan, known, key)
    except StoreError:
        with suppress(OSError):
            complain("The answers could not be recorded. To report them later:")
            words = ("allotment", "tell", campaign.store.name, "-c", campaign.name, "--plan", plan.id)
            reports = (f"{name}={count}" for name, count in known.items())
            print(shlex.join((*words, *reports)), file=sys.stderr)  # on one line, which can be copied
        raise


def _tell(campaign: "Campaign", plan: "Plan", known: Mapping[str, int], key: str | None) -> None:
    """Report answers, except those that contradict reports made in the meantime."""
    conflict = None
    try:
        campaign.tell(plan.id, known, key=key)
    except ConflictError:
        for name, count in known.items():
            try:
                campaign.tell(plan.id, {name: count})
            except ConflictError as error:
                conflict = error
    if conflict is not None:
        raise conflict
