"""Columns that are known by their names: our own names, and words in the tables of other programs."""

from collections.abc import Iterable, Mapping, Sequence

from allotment.campaign.forms.names import composed
from allotment.campaign.settings.specification import OF_ONE_PLACE

# Words in the names of columns, by ours; words that say more come first.
PLACE = "place zone location site area beat district sector ort platz stelle gebiet bezirk lieu"
LOSSES = (
    "incidents incident losses loss events event crimes thefts cases vorfälle vorfall fälle schäden verluste "
    "delikte diebstähle incidentes pertes count number anzahl"
)
AMOUNT = "amount granted units officers patrols staff hours traps menge einheiten streifen stunden"
OF_LOGS = {
    "date": "date day datum tag when timestamp datetime time zeitpunkt zeit fecha jour data dia",
    "place": PLACE,
    "incidents": LOSSES,
    "exposure": "exposure rounds nights shifts runden nächte schichten",
    "amount": AMOUNT,
    "situation": "situation shift schicht lage dienst turnus",
}
OF_REPORTS = {"place": PLACE, "losses": LOSSES, "amount": AMOUNT}
OF_PLACES = {"name": f"name {PLACE}", **{name: each.columns for name, each in OF_ONE_PLACE.items()}}


def by_name(heading: Sequence[str], known: Mapping[str, str]) -> dict[str, int]:
    """Where the columns stand that are known by their names; each stands for one of ours.

    >>> by_name(["Ort", "Datum", "Anzahl Vorfälle", "Bemerkung"], OF_LOGS)
    {'date': 1, 'place': 0, 'incidents': 2}
    """
    called = [composed(cell).casefold() for cell in heading]
    found: dict[str, int] = {}

    def take(ours: str, places: Iterable[int]) -> None:
        free = [place for place in places if place not in found.values()]
        if ours not in found and free:
            found[ours] = free[0]

    for ours in known:  # our own names come first
        take(ours, [place for place, name in enumerate(called) if name == ours])
    for ours, words in known.items():
        for word in words.split():
            take(ours, [place for place, name in enumerate(called) if word in _words(name)])
    return {ours: found[ours] for ours in known if ours in found}


def _words(name: str) -> list[str]:
    return "".join(each if each.isalnum() else " " for each in name).split()
