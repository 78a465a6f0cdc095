"""Arms and settings: at the beginning, and as they change."""

import pytest

from allotment import AmountWarning, Campaign, ConflictError, InputError, NotFoundError
from allotment.campaign.planning.wishes import Wishes

FINE = {"arms": ["A", "B"], "budget": 4, "unit": 0.5, "most": 3}


def test_a_name_once_used_is_never_given_to_another_arm(campaign):
    campaign.ask()
    campaign.rename_arm("Gate", "Main gate")
    assert campaign.tell("1", {"Gate": 1}) == ("Dock", "Yard")  # names as of the plan
    assert campaign.tell("1", {"Main gate": 1}) == ("Dock", "Yard")
    assert [row.arm for row in campaign.evidence()] == ["Main gate"]
    with pytest.raises(ConflictError, match="'Gate' is or was the name of a place, now 'Main gate'"):
        campaign.add_arm("Gate", most=1)
    with pytest.raises(ConflictError, match="'Dock' is or was"):
        campaign.rename_arm("Yard", "Dock")
    campaign.rename_arm("Main gate", "Gate")
    assert list(campaign.ask().amounts) == ["Dock", "Gate", "Yard"]


def test_retired_arms_keep_their_evidence(campaign):
    campaign.ask()
    campaign.tell("1", {"Dock": 1})
    campaign.retire_arm("Dock")
    assert list(campaign.ask().amounts) == ["Gate", "Yard"]
    assert [row.arm for row in campaign.evidence()] == ["Dock"]
    assert campaign.tell("1", {"Gate": 1, "Yard": 1}) == ()
    with pytest.raises(ConflictError, match="place 'Dock' is retired already"):
        campaign.retire_arm("Dock")
    with pytest.raises(ConflictError, match="place 'Dock' is retired; expected an active place"):
        campaign.ask(require=["Dock"])
    with pytest.raises(NotFoundError, match="place 'Dock' is not in plan 2"):
        campaign.tell("2", {"Dock": 1})
    campaign.restore_arm("Dock")
    assert list(campaign.ask().amounts) == ["Dock", "Gate", "Yard"]


def test_settings_change_from_now_on(campaign):
    before = campaign.ask()
    campaign.change(budget=2, most={"Dock": 1}, least={"Gate": 0.7}, severities={"Yard": 5}, half_life=30)
    after = campaign.ask()
    assert campaign.plan("1") == before
    assert after.budget == 2
    assert after.amounts["Dock"] <= 1
    assert after.amounts["Gate"] >= 1  # up to whole units
    campaign.add_arm("Shed", most=4, least=0.5, group="south")
    campaign.change(groups={"north": {"arms": ["Dock", "Yard"], "least": 0.5, "most": 0.5}})
    plan = campaign.ask()
    assert plan.amounts["Dock"] + plan.amounts["Yard"] == 0.5
    assert plan.amounts["Shed"] >= 0.5
    campaign.verify(plans=True)


def test_scale_and_unit(campaign):
    campaign.ask()
    campaign.tell("1", {"Dock": 1}, amounts={"Dock": 9})
    with pytest.raises(
        ConflictError, match="the most of 'Dock' is 5, and scale is 4; expected a smaller most, or"
    ):
        campaign.change(most=5)
    campaign.change(most=5, scale=10)
    campaign.change(unit=1)
    assert [row.amount for row in campaign.evidence()] == [9]
    assert all(amount == int(amount) for amount in campaign.ask().amounts.values())
    with pytest.raises(
        InputError, match="the scale, 10, is 100000 units of 0.0001; expected at most 1000 units"
    ):
        campaign.change(unit=0.0001)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"arms": []}, "there are no places"),
        ({"arms": 5}, "arms is 5; expected names of places"),
        ({"arms": ["A", "A"]}, "place 'A' is named twice"),
        ({"arms": ["=1+1"]}, "does not begin with = "),
        ({"arms": ["@A"]}, "does not begin with = "),
        ({"arms": ["A\nB"]}, "on one line"),
        ({"arms": [7]}, "a place's name is 7; expected a name"),
        ({"budget": "much"}, "budget is 'much'; expected a finite number of at least 0"),
        ({"budget": float("inf")}, "budget is inf"),
        ({"unit": 0}, "unit is 0; expected a number above 0"),
        ({"unit": 1e-300}, "unit is 1e-300; expected a number of at least 1E-9"),
        ({"unit": 1e-9}, "the scale, 3, is 3000000000 units of 0.000000001; expected at most 1000 units"),
        ({"most": {"A": 1}}, "the most of 'B' is missing"),
        ({"most": {"A": 1, "B": 1, "C": 1}}, "most names 'C'; expected names of places: A, B"),
        ({"least": 4}, "the least of 'A' is 4; expected at most 3"),
        (
            {"least": 2.5},
            r"places must get 5 together \(A 2.5, B 2.5\); expected at most 4, the budget",
        ),
        ({"severities": {"A": 0}}, "severities of 'A' is 0; expected a number above 0"),
        (
            {"thresholds": {"A": 9}},
            "the threshold of 'A' is 9; expected a number above 0 and at most 3, the scale",
        ),
        ({"scale": 2}, "the most of 'A' is 3, and scale is 2"),
        ({"half_life": 0}, "half_life is 0"),
        ({"timezone": "Mars/Base"}, "timezone is 'Mars/Base'"),
        ({"sees": "all"}, "sees is 'all'"),
        ({"losses": "many"}, "losses is 'many'"),
        ({"policy": "joint"}, "policy is 'joint'; expected any-response, with optional parameters"),
        (
            {"policy": "any-response:unit=0.1"},
            "policy 'any-response:unit=0.1' sets unit; expected the campaign to",
        ),
        ({"policy": "any-response:nope=1"}, "any-response has no parameter 'nope'"),
        ({"policy": "any-response:draws=0"}, "draws is 0"),
        ({"policy": 7}, "policy is 7"),
        ({"seed": -1}, "seed is -1"),
        ({"groups": {"n": {"arms": ["C"]}}}, "there is no place named 'C'"),
        (
            {"groups": {"n": {"arms": ["A"]}, "s": {"arms": ["A"]}}},
            "place 'A' is in group 'n' and in group 's'",
        ),
        ({"groups": {"n": {"arms": ["A"], "least": 4}}}, "the least of group 'n' is 4; expected at most 3"),
        ({"groups": {"n": ["A"]}}, "group 'n' is"),
        (
            {"groups": {"n": {"arms": ["A"], "least": 2, "most": 1}}},
            "the least of group 'n' is 2; expected at most 1",
        ),
        ({"shapes": {"A": "here"}}, "the shape of 'A' is 'here'; expected a GeoJSON geometry"),
        ({"shapes": {"C": [1, 2]}}, "shapes name 'C', which is no place"),
        ({"shapes": {"A": [10**400, 2]}}, "the shape of 'A' is .*; expected a GeoJSON geometry"),
        ({"budget": 10**5000}, "budget is a value too large to show; expected"),
        ({"author": "=me"}, "author is '=me'"),
    ],
)
def test_settings_that_cannot_be(tmp_path, wrong, sentence):
    path = tmp_path / "a.db"
    with pytest.raises(InputError, match=sentence):
        Campaign.create(path, "a", **{**FINE, **wrong})
    assert not path.exists()


def test_changes_that_cannot_be_leave_everything_as_it_was(campaign):
    for wrong, sentence in [
        ({}, "no setting to change is given"),
        ({"seed": 3}, "'seed' cannot be changed; expected one of budget, "),
        ({"budget": None}, "budget is None"),
        ({"least": 3}, "places must get 9 together"),
        ({"most": {"Shed": 1}}, "there is no place named 'Shed'"),
    ]:
        with pytest.raises(InputError, match=sentence):
            campaign.change(**wrong)
    campaign.change(groups={"north": {"arms": ["Dock"], "least": 1}})
    with pytest.raises(
        ConflictError, match="the least of group 'north' is 1; expected at most 0, all that its places"
    ):
        campaign.retire_arm("Dock")
    assert len(list(campaign.history())) == 2
    for name in ("Gate", "Yard"):
        campaign.retire_arm(name)
    campaign.change(groups={})
    campaign.retire_arm("Dock")
    with pytest.raises(ConflictError, match="every place is retired"):
        campaign.ask()


def test_shapes_come_from_geojson(tmp_path):
    square = {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 0]]]}
    feature = {"type": "Feature", "properties": {"name": "A"}, "geometry": square}
    file = tmp_path / "zones.geojson"
    import json

    file.write_text(json.dumps({"type": "FeatureCollection", "features": [feature]}))
    with Campaign.create(tmp_path / "a.db", "a", **FINE, shapes=file) as campaign:
        assert campaign.settings.arms[0].shape == square
        campaign.add_arm("C", most=1, shape=[3, 4])
        assert campaign.settings.arms[2].shape == {"type": "Point", "coordinates": [3, 4]}
        figure = campaign.draw_map(campaign.ask().id)
        assert len(figure.axes[0].collections) == len(figure.axes[0].lines) == 1  # B has no shape
    with Campaign.create(tmp_path / "b.db", "b", **FINE) as campaign:
        campaign.ask()
        with pytest.raises(NotFoundError, match="no place has a shape"):
            campaign.draw_map("1")


def test_a_unit_larger_than_a_most_is_refused_in_new_requests(campaign, tmp_path):
    sentence = "the unit is 5, and the most of 'Dock' is 4; expected a unit that is not larger"
    settings = {"arms": ["Dock"], "budget": 10, "most": 4}
    with pytest.raises(ConflictError, match=sentence):
        Campaign.create(tmp_path / "a.db", "a", unit=5, **settings)
    assert not (tmp_path / "a.db").exists()
    for attempt in (campaign.change, campaign.what_if):
        with pytest.raises(ConflictError, match=sentence):
            attempt(unit=5, scale=5)
        with pytest.raises(ConflictError, match=r"the most of 'Gate' is 0\.25"):
            attempt(most={"Gate": 0.25})
    with pytest.raises(ConflictError, match=r"the most of 'Shed' is 0\.25"):
        campaign.add_arm("Shed", most=0.25)
    campaign.change(most={"Gate": 0})
    assert campaign.ask().amounts["Gate"] == 0


def test_campaigns_with_a_unit_larger_than_a_most_still_open_and_change(tmp_path, monkeypatch):
    settings = {"arms": ["Dock", "Gate"], "budget": 10, "unit": 2, "most": {"Dock": 4, "Gate": 1}}
    with monkeypatch.context() as before:
        before.setattr("allotment.campaign.campaign.check_usable_amounts", lambda *settings: None)
        Campaign.create(tmp_path / "a.db", "a", **settings).close()
    with Campaign.open(tmp_path / "a.db") as campaign:
        campaign.change(budget=8)
        assert campaign.ask().amounts["Gate"] == 0
        campaign.verify()


def test_a_fix_below_the_least_is_refused(campaign):
    campaign.change(least={"Yard": 2})
    for attempt in (campaign.ask, campaign.what_if):
        with pytest.raises(ConflictError, match="fix of 'Yard' is 1; expected at least 2, its least, or 0"):
            attempt(fix={"Yard": 1})
    assert campaign.ask(fix={"Yard": 0}).amounts["Yard"] == 0
    campaign.verify()


def test_stored_plans_may_fix_below_the_least(campaign, monkeypatch):
    campaign.change(least={"Yard": 2})
    monkeypatch.setattr(Wishes, "requested", Wishes.of)
    campaign.ask(fix={"Yard": 1})
    campaign.verify(plans=True)


def test_an_amount_above_the_most_is_kept_with_a_warning(campaign):
    campaign.ask()
    with pytest.warns(AmountWarning, match="Dock was granted 40, but its most is 4: the report is kept"):
        campaign.tell("1", {"Dock": 1}, amounts={"Dock": 40})
    assert ("Dock", 40, 1, 1) in campaign.evidence()


def star(points):
    """A polygon with a number of vertices."""
    return {"type": "Polygon", "coordinates": [[[n % 360, n % 90] for n in range(points)]]}


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e400", "1e12", "true", '"1"', "null"])
def test_a_shape_has_finite_coordinates(tmp_path, number):
    point = f'{{"type": "Point", "coordinates": [1, {number}]}}'
    features = f'[{{"properties": {{"name": "A"}}, "geometry": {point}}}]'
    text = f'{{"type": "FeatureCollection", "features": {features}}}'
    (tmp_path / "map.json").write_text(text)
    with pytest.raises(InputError, match="the shape of 'A' is"):
        Campaign.create(
            tmp_path / "a.db", "a", arms=["A"], most=1, budget=1, unit=1, shapes=tmp_path / "map.json"
        )


def test_shapes_have_at_most_100000_vertices_together(tmp_path, monkeypatch):
    options = {"arms": ["A", "B"], "most": 1, "budget": 1, "unit": 1}
    with pytest.raises(InputError, match="100,001 vertices together; expected at most 100,000"):
        Campaign.create(tmp_path / "a.db", "a", shapes={"A": star(50_000), "B": star(50_001)}, **options)
    with Campaign.create(tmp_path / "a.db", "a", shapes={"A": star(60_000)}, **options) as made:
        made.change(shapes={"B": star(40_000)})
        with pytest.raises(InputError, match="100,001 vertices"):
            made.change(shapes={"B": star(40_001)})
        with pytest.raises(InputError, match="100,004 vertices"):
            made.add_arm("C", most=1, shape=star(4))
    with Campaign.open(tmp_path / "a.db") as old, monkeypatch.context() as later:
        later.setattr(
            "allotment.campaign.forms.shapes.MOST_VERTICES", 1000
        )  # a rule that came after the file
        assert len(old.settings.arms) == 2
        old.change(shapes={"B": star(39_000)})


def test_of_a_feature_only_the_geometry_is_kept(tmp_path):
    feature = {
        "properties": {"name": "A", "note": "<script>alert(1)</script>"},
        "id": "<b>",
        "geometry": {**star(4), "bbox": ["<i>"]},
    }
    shapes = {"type": "FeatureCollection", "features": [feature], "crs": "<u>"}
    with Campaign.create(tmp_path / "a.db", "a", arms=["A"], most=1, budget=1, unit=1, shapes=shapes) as made:
        assert made.settings.arms[0].shape == star(4)
        assert all("<" not in event.text for event in made.history())
