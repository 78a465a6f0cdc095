"""What a tap says: of which places, what happened, what was granted, and what the reporter had seen."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from allotment.campaign.access.rights import Rights
from allotment.campaign.campaign import Campaign
from allotment.errors import ConflictError, InputError
from allotment.web.requests.forms import Form, key_of

TYPED, MORE, AMOUNT, OTHERS = "typed", "more", "amount", "others"
MOST_DIGITS = 15


@dataclass(frozen=True)
class Entry:
    """A report of some places with the same words. `knew` is the last event about them that was seen."""

    places: tuple[str, ...]
    losses: Any = None  # None withdraws
    says_losses: bool = True
    amount: str | None = None
    knew: int = 0
    keep: bool = False  # places that have a report keep it

    @classmethod
    def in_form(cls, form: Form) -> "Entry":
        """What the script of the page sends."""
        losses = form.text("losses")
        return cls(
            places=tuple(form.texts("place")),
            losses=None if losses is None else count_in(losses),
            says_losses=form.flag("says_losses"),
            amount=form.text("amount"),
            knew=number_in(form.text("knew") or "0"),
            keep=form.flag("keep"),
        )

    def tell(self, campaign: Campaign, plan_id: str, key: str, rights: Rights) -> None:
        """Report it. The first report of a place never replaces another; a later one only what was seen."""
        losses = dict.fromkeys(self.places, self.losses) if self.says_losses else {}
        amounts = {} if self.amount is None else dict.fromkeys(self.places, self.amount)
        withdraws = self.says_losses and self.losses is None
        correct = not self.keep and (self.knew > 0 or withdraws)
        campaign.tell(
            plan_id,
            losses,
            amounts=amounts or None,
            correct=correct,
            keep=self.keep,
            knew=None if self.keep else self.knew,
            rights=rights,
            key=key,
        )


@dataclass(frozen=True)
class Tap:
    """A button of the page without script: `index:what:knew`."""

    index: int
    what: str
    knew: int

    @classmethod
    def of(cls, text: str) -> "Tap":
        """The tap that a button's value stands for."""
        index, first, rest = text.partition(":")
        what, second, knew = rest.partition(":")
        if not first or not second:
            raise InputError.of("tap", text, "a button of the page")
        return cls(number_in(index), what, number_in(knew))

    def entry(self, place: str, form: Form) -> Entry | None:
        """What it says; None if it says nothing, such as Save without anything typed."""
        if self.what != TYPED:
            losses = count_in(self.what) if self.what else None
            return Entry((place,), losses, knew=self.knew)
        losses_text, amount = form.text(MORE), form.text(AMOUNT)
        if losses_text is None and amount is None:
            return None
        losses = None if losses_text is None else count_in(losses_text)
        return Entry((place,), losses, losses_text is not None, amount, self.knew)

    def key(self, form: Form, entry: Entry) -> str:
        """An idempotency key of its own for each thing that the form is used to say."""
        return key_of(form.key, entry.places, entry.losses, entry.says_losses, entry.amount, entry.knew)


def count_in(text: str) -> Any:
    """A number of losses, or the text as it stands, which the library then refuses by name."""
    return int(text) if text.isdecimal() and len(text) <= MOST_DIGITS else text


def number_in(text: str) -> int:
    """A number that the page itself wrote."""
    if not text.isdecimal() or len(text) > MOST_DIGITS:
        raise InputError.of("tap", text, "a number of the page")
    return int(text)


def is_overtaken(error: ConflictError, entry: Entry) -> bool:
    """Whether an error says that someone else reported something else meanwhile."""
    return error.what == "losses" and not entry.keep


def named(places: Iterable[str]) -> tuple[str, ...]:
    """Places once each, in their order."""
    return tuple(dict.fromkeys(places))
