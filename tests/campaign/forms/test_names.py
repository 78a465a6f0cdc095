"""Names: what they may be, and that one name in two spellings is one name."""

import pytest

from allotment import Campaign, ConflictError, InputError, NotFoundError
from allotment.campaign.forms import names

CAFE, SPELLED = "Caf\u00e9", "Cafe\u0301"  # composed, and with an accent of its own
SETTINGS = {"budget": 4, "unit": 1, "timezone": "UTC"}


@pytest.fixture
def cafe(tmp_path):
    """A campaign of places, a group and a name that were given in the other spelling."""
    options = {
        "most": {SPELLED: 3, "B": 2},
        "groups": {SPELLED: {"arms": [CAFE]}},
        "shapes": {SPELLED: [1, 2]},
    }
    with Campaign.create(tmp_path / "a.db", SPELLED, arms=[SPELLED, "B"], **options, **SETTINGS) as made:
        yield made


def test_names_are_composed(cafe, tmp_path):
    assert cafe.name == CAFE
    assert [arm.name for arm in cafe.settings.arms] == [CAFE, "B"]
    assert list(cafe.settings.groups) == [CAFE]
    with Campaign.open(tmp_path / "a.db", SPELLED) as again:
        assert again.name == CAFE
    with pytest.raises(ConflictError, match="already holds a campaign"):
        Campaign.create(tmp_path / "a.db", CAFE, arms=["A"], most=1, **SETTINGS)
    with pytest.raises(InputError, match="is named twice"):
        Campaign.create(tmp_path / "b.db", "b", arms=[CAFE, SPELLED], most=1, **SETTINGS)
    with pytest.raises(InputError, match="most names .* twice"):
        Campaign.create(tmp_path / "b.db", "b", arms=[CAFE], most={CAFE: 1, SPELLED: 2}, **SETTINGS)


def test_either_spelling_is_found(cafe, tmp_path):
    for spelling in (CAFE, SPELLED):
        plan = cafe.ask(fix={spelling: 2}, require=[spelling])
        assert plan.amounts[CAFE] == 2
        assert cafe.tell(plan.id, {spelling: 1}, amounts={spelling: 1}) == ("B",)
        assert cafe.ask(exclude=[spelling]).amounts[CAFE] == 0
        cafe.change(most={spelling: 2}, shapes={spelling: [3, 4]})
        log = tmp_path / f"{len(spelling)}.csv"
        log.write_text(
            f"date,place,amount,incidents\n202{len(spelling)}-01-01,{spelling},1,0\n", encoding="utf-8"
        )
        assert cafe.import_log(log).places == (CAFE,)
        with pytest.raises(ConflictError, match="is or was the name of a place"):
            cafe.add_arm(spelling, most=1)
        with pytest.raises(ConflictError, match="is or was the name of a place"):
            cafe.rename_arm("B", spelling)
    cafe.verify(plans=True)


def test_a_store_of_before_keeps_its_spellings(tmp_path, monkeypatch):
    with monkeypatch.context() as before:
        before.setattr(names, "composed", lambda text: text)
        with Campaign.create(tmp_path / "a.db", SPELLED, arms=[SPELLED, "B"], most=3, **SETTINGS) as old:
            old.ask()
    with Campaign.open(tmp_path / "a.db", CAFE) as campaign:
        assert campaign.tell("1", {CAFE: 1}) == ("B",)
        assert campaign.ask(exclude=[CAFE]).amounts == {SPELLED: 0, "B": 3}
        with pytest.raises(ConflictError, match="is or was the name of a place"):
            campaign.add_arm(CAFE, most=2)
        campaign.rename_arm(SPELLED, CAFE)
        assert list(campaign.ask().amounts) == [CAFE, "B"]
        campaign.verify(plans=True)


def test_two_places_that_differ_in_spelling_alone_stay_two(tmp_path, monkeypatch):
    with monkeypatch.context() as before:
        before.setattr(names, "composed", lambda text: text)
        before.setattr("allotment.campaign.settings.settings.lookalike", lambda name, known: None)
        Campaign.create(tmp_path / "a.db", "a", arms=[SPELLED], most=3, **SETTINGS).close()
        with Campaign.open(tmp_path / "a.db") as old:
            old.add_arm(CAFE, most=2)
    with Campaign.open(tmp_path / "a.db") as campaign:
        plan = campaign.ask(fix={SPELLED: 1, CAFE: 2})
        assert plan.amounts == {SPELLED: 1, CAFE: 2}
        campaign.tell(plan.id, {SPELLED: 1})
        assert [row.arm for row in campaign.evidence()] == [SPELLED]
        campaign.export(tmp_path / "a.jsonl")
    with Campaign.replay(tmp_path / "a.jsonl", tmp_path / "b.db") as replayed:
        replayed.verify()


def test_what_is_no_name_stays_none_however_it_is_composed():
    for wrong in ("=\u0338x", "\u0958" * 150, " x", "a\x00", "\ud800", "\u202ex"):  # ≠x; 300 characters
        with pytest.raises(InputError):
            names.name("it", wrong)


def test_time_zones(campaign, monkeypatch):
    for wrong in ("../../etc/passwd", "/etc/passwd", "Mars/Base", "", 7, "a" * 5000):
        with pytest.raises(InputError, match="timezone is"):
            names.timezone(wrong)
    monkeypatch.setattr(names, "_known", lambda zone: False)  # on a machine that knows fewer
    with pytest.raises(
        InputError, match="a time zone that this machine knows, such as Europe/Vienna, or a date"
    ):
        campaign.ask()
    assert campaign.ask(date="2026-01-01").id == "1"
    with pytest.raises(NotFoundError):
        campaign.settings.find(7)


@pytest.mark.parametrize(
    ("given", "question"),
    [
        ("dock", "Did you mean Dock?"),
        ("DOKC", "Did you mean Dock?"),
        ("Dck", "Did you mean Dock?"),
        ("Docksi", "Did you mean Dock?"),
        ("Yart", "Did you mean Yard?"),
        ("Shed", ""),
        ("D", ""),
        ("", ""),
        (7, ""),
    ],
)
def test_did_you_mean(given, question):
    assert names.did_you_mean(given, ["Dock", "Gate", "Yard"]) == question


def test_every_name_that_is_nearly_right_gets_the_question(campaign, tmp_path):
    campaign.ask()
    (tmp_path / "log.csv").write_text("date,place,amount,incidents\n2025-01-01,Gaet,0,0\n")
    for name, act in (
        ("dock", lambda: campaign.ask(exclude=["dock"])),
        ("Dok", lambda: campaign.tell("1", {"Dok": 1})),
        ("gate", lambda: campaign.change(most={"gate": 1})),
        ("Gaet", lambda: campaign.import_log(tmp_path / "log.csv")),
        ("Yrad", lambda: campaign.retire_arm("Yrad")),
    ):
        with pytest.raises(InputError, match=f"there is no place named '{name}'. Did you mean .*\\?"):
            act()
    with pytest.raises(InputError, match="most names 'a'. Did you mean A?"):
        Campaign.create(tmp_path / "b.db", "b", arms=["A"], most={"a": 1}, **SETTINGS)
    with pytest.raises(NotFoundError, match="holds no campaign named 'Nigth'. Did you mean night?"):
        Campaign.open(tmp_path / "night.db", "Nigth")


ODD = [
    "x" * 101,
    "\uff1dSUM(A1)",  # full-width = + - @
    "\uff0b1",
    "\uff0d1",
    "\uff20SUM",
    "=1+1",
    "+1",
    "-1",
    "@SUM",
    "Dock\u202etxt.exe",  # shows what follows from right to left
    "Dock\u2066",
    "Dock\u200f",
    "Dock\u061c",
    "Do\tck",
    "Do\x00ck",
    "Do\x1b[31mck",
    "Do\u2028ck",
]


@pytest.mark.parametrize("odd", ODD, ids=ascii)
def test_odd_names_are_refused_everywhere(tmp_path, odd):
    one = {"arms": ["A", "B"], "most": 2, **SETTINGS}
    with pytest.raises(InputError):
        Campaign.create(tmp_path / "odd.db", odd, **one)
    with pytest.raises(InputError):
        Campaign.create(tmp_path / "odd.db", "a", **{**one, "arms": ["A", odd]})
    with pytest.raises(InputError):
        Campaign.create(tmp_path / "odd.db", "a", **one, groups={odd: {"arms": ["A"]}})
    with pytest.raises(InputError):
        Campaign.create(tmp_path / "odd.db", "a", **one, author=odd)
    assert not (tmp_path / "odd.db").exists()
    with Campaign.create(tmp_path / "a.db", "a", **one) as made:
        for request in (
            lambda: made.add_arm(odd, most=1),
            lambda: made.add_arm("C", most=1, group=odd),
            lambda: made.rename_arm("A", odd),
            lambda: made.change(groups={odd: {"arms": ["A"]}}),
        ):
            with pytest.raises(InputError):
                request()
        assert made.last_event == 1


def test_names_in_every_script_are_taken(tmp_path):
    arms = ["القاهرة", "ירושלים", "北京\uff1d站", "Zürich 1", "x" * 100]
    with Campaign.create(tmp_path / "a.db", "夜", arms=arms, most=2, author="Łukasz", **SETTINGS) as made:
        assert [arm.name for arm in made.settings.arms] == arms


def test_a_store_with_names_of_before_works_as_before(tmp_path, monkeypatch):
    long, wide = "y" * 200, "\uff1dDock"
    with monkeypatch.context() as before:
        before.setattr(names, "LONGEST", 200)
        before.setattr(names, "WIDE_FORMULA", ())
        groups = {wide: {"arms": [long]}, "z" * 150: {"arms": [wide]}}
        options = {"arms": [long, wide], "most": 3, "groups": groups, "author": "a" * 150}
        Campaign.create(tmp_path / "a.db", "c" * 200, **options, **SETTINGS).close()
    with Campaign.open(tmp_path / "a.db", "c" * 200, author="Ada") as old:
        plan = old.ask(fix={long: 1}, exclude=[wide])
        old.tell(plan.id, {long: 1, wide: 0})
        old.change(most={long: 2}, shapes={wide: [1, 2]})
        old.change(groups={wide: {"arms": [long, wide], "most": 3}})
        old.add_arm("New", most=1, group=wide)
        old.retire_arm(wide)
        old.rename_arm(long, "Short")
        old.verify(plans=True)
        old.export(tmp_path / "a.jsonl")
        assert old.settings.members()[wide] == ["Short", wide, "New"]
    Campaign.replay(tmp_path / "a.jsonl", tmp_path / "b.db").close()
