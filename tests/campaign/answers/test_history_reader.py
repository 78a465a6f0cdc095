"""The history page by page: in words, filtered by date, kind, place and person."""

import pytest

from allotment import Campaign, InputError, NotFoundError
from allotment.campaign.answers.history_reader import history_lines

SETTINGS = {"arms": ["Dock", "Gate", "Yard"], "most": 3, "budget": 4, "unit": 1, "timezone": "Europe/Vienna"}


@pytest.fixture
def campaign(tmp_path):
    """Every kind of event, by two people."""
    log = tmp_path / "log.csv"
    log.write_text("date,place,amount,incidents\n2026-01-01,Gate,1,0\n2026-01-02,Gate,1,1\n")
    with Campaign.create(tmp_path / "a.db", "a", seed=1, author="Ada", **SETTINGS) as made:
        made.ask(date="2026-04-01", fix={"Dock": 2, "Gate": 0})
        made.tell("1", {"Dock": 1, "Gate": 0})
        made.by = "Ben"
        made.tell("1", {"Dock": 0, "Yard": None}, amounts={"Dock": 1}, correct=True)
        made.undo("1")
        made.close_plan("1")
        made.ask(date="2026-04-02")
        made.cancel("2")
        made.import_log(log)
        made.undo("import-1")
        made.change(budget=5, most={"Yard": 2}, shapes={"Gate": [1, 2]})
        made.add_arm("Shed", most=1, group="north")
        made.rename_arm("Shed", "Barn")
        made.change(groups={"north": {"arms": ["Barn", "Dock"], "most": 3}})
        made.retire_arm("Barn")
        made.restore_arm("Barn")
        yield made


def words(page):
    return {item.entry.number: str(item.words) for item in page.items}


def test_every_kind_of_event_has_words_and_the_newest_is_first(campaign):
    page = campaign.history_page()
    assert [item.entry.number for item in page.items] == list(range(16, 0, -1))
    said = words(page)
    assert said[1] == "3 places, budget 4, unit 1"
    assert said[3] == "plan 1 of 2026-04-01: Dock 1, Gate 0"
    assert said[4] == "plan 1 of 2026-04-01: Dock 1 → 0, Yard not reported, amount of Dock 2 → 1"
    assert said[5] == "plan 1 of 2026-04-01: report undone"
    assert said[6] == "plan 1 of 2026-04-01"
    assert said[9] == "import-1 (log.csv): 2 rows, 1 incidents from 2026-01-01 to 2026-01-02"
    assert said[10] == "import-1"
    assert said[11] == "budget 4 → 5; most of Yard 3 → 2; outline of Gate none → new"
    assert said[12] == "Shed, most 1"
    assert said[13] == "Shed → Barn"
    assert said[14] == "most of north none → 3; group of Dock none → north"
    assert said[15] == said[16] == "Barn"
    assert page.people == ("Ada", "Ben")
    assert set(page.kinds) == {
        *("created", "asked", "told", "undone", "closed", "cancelled", "imported", "changed"),
        *("place added", "place renamed", "place retired", "place restored"),
    }


def test_the_words_are_those_of_the_command(campaign):
    lines = {line.event.number: line.words for line in history_lines(campaign.history())}
    assert lines == words(campaign.history_page())
    assert [str(item.words) for item in campaign.history_items()] == list(lines.values())


@pytest.mark.parametrize(
    ("wanted", "numbers"),
    [
        ({"kind": "told"}, [4, 3]),
        ({"kind": "place added"}, [12]),
        ({"by": "Ada"}, [3, 2, 1]),
        ({"by": "Nobody"}, []),
        ({"place": "Gate"}, [11, 10, 9, 8, 7, 6, 5, 3, 1]),
        ({"place": "Shed"}, [16, 15, 13, 12]),  # by the name that it had
        ({"place": "Dock", "kind": "changed"}, [14]),
        ({"first": "2026-04-02", "last": "2026-04-02"}, [8, 7]),
        ({"last": "2026-04-01"}, [6, 5, 4, 3, 2]),
        ({"first": "2026-04-01", "kind": "asked", "by": "Ben"}, [7]),
    ],
    ids=str,
)
def test_filters_by_date_kind_place_and_person(campaign, wanted, numbers):
    found = [item.entry.number for item in campaign.history_page(**wanted).items]
    if wanted.get("place") == "Gate":  # whether plan 2 grants it something is the planner's matter
        found, numbers = [n for n in found if n != 7], [n for n in numbers if n != 7]
    assert found == numbers
    assert [item.entry.number for item in campaign.history_items(**wanted) if item.entry.number != 7] == [
        n for n in reversed(numbers) if n != 7
    ]


def test_pages(campaign):
    assert [item.entry.number for item in campaign.history_page(2, size=5).items] == [11, 10, 9, 8, 7]
    last = campaign.history_page(99, size=5)
    assert (last.page, last.pages, last.found, len(last.items)) == (4, 4, 16, 1)
    empty = campaign.history_page(by="Nobody")
    assert (empty.page, empty.pages, empty.found) == (1, 1, 0)


def test_what_comes_later_is_read_on(campaign, tmp_path):
    assert campaign.history_page().found == 16
    with Campaign.open(tmp_path / "a.db", author="Cyd") as other:
        other.change(budget=6)
    page = campaign.history_page()
    assert (page.found, str(page.items[0].words), page.people[-1]) == (17, "budget 5 → 6", "Cyd")


def test_wrong_filters_are_sentences(campaign):
    with pytest.raises(NotFoundError, match="there is no place named 'Dokc'. Did you mean Dock?"):
        campaign.history_page(place="Dokc")
    with pytest.raises(InputError, match="kind is 'tell'"):
        campaign.history_page(kind="tell")
    with pytest.raises(InputError, match="first is 'soon'"):
        campaign.history_page(first="soon")


def test_imports_are_listed_with_what_became_of_them(campaign, tmp_path):
    campaign.import_log(tmp_path / "log.csv")
    newest, first = campaign.imports()
    assert (newest.report.id, newest.is_live, newest.by) == ("import-2", True, "Ben")
    assert (first.report.id, first.is_live, first.report.taken) == ("import-1", False, 2)


def test_a_change_can_be_tried(campaign):
    budget, most = campaign.try_change(budget=7, most={"Dock": 2})
    assert budget == ("budget", "5", "7", None) and most == ("most of Dock", "3", "2", "Dock")
    assert campaign.try_change(budget=5) == ()
    with pytest.raises(InputError, match="scale"):
        campaign.try_change(most={"Dock": 9})
    with pytest.raises(InputError, match="budget is 'many'"):
        campaign.try_change(budget="many")
    assert campaign.last_event == 16
