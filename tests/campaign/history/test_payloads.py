"""Payloads of events: parsed once, shared, and changed by nobody."""

import copy
import json
import pickle

import pytest

from allotment.campaign.forms.read_only import changeable, read_only
from allotment.campaign.history.event_parts import without_control_seed
from allotment.campaign.history.events import text_of

PLAIN = {"a": [1, [2, {"b": 3}]], "c": {"d": [0.5, None]}, "e": "text", "f": [{"g": 1}]}
CHANGES = (
    lambda each: each.clear(),
    lambda each: each.pop(),
    lambda each: each.update(a=1),
    lambda each: each.setdefault("z", 1),
    lambda each: each.popitem(),
    lambda each: each.append(1),
    lambda each: each.extend([1]),
    lambda each: each.insert(0, 1),
    lambda each: each.remove(1),
    lambda each: each.reverse(),
    lambda each: each.sort(),
    lambda each: each.__setitem__(0, 1),
    lambda each: each.__delitem__(0),
    lambda each: each.__ior__({"a": 1}),
    lambda each: each.__iadd__([1]),
    lambda each: each.__imul__(2),
)


def parts_of(content):
    """The content and every list and mapping in it."""
    yield content
    for each in content.values() if isinstance(content, dict) else content:
        if isinstance(each, dict | list):
            yield from parts_of(each)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize(
    "copied", [lambda each: each, copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))]
)
def test_nothing_in_a_payload_can_be_changed(change, copied):
    found = copied(read_only(PLAIN))
    for part in parts_of(found):
        with pytest.raises((TypeError, AttributeError)):  # a list has no `update`
            change(part)
    assert found == PLAIN and text_of(found) == json.dumps(PLAIN, sort_keys=True, separators=(",", ":"))


def test_a_changeable_copy_is_plain_all_the_way_down():
    found = changeable(read_only(PLAIN))
    assert found == PLAIN
    assert {type(part) for part in parts_of(found)} == {dict, list}


def test_an_event_parses_its_payload_once(campaign):
    first = next(campaign.history())
    assert first.payload is first.payload
    with pytest.raises(TypeError, match="cannot be changed"):
        first.payload["arms"].append("Quay")
    content = first.to_dict()
    content["payload"]["arms"].clear()  # a copy of one's own
    assert first.payload["arms"] and first.to_dict() != content


def test_hiding_the_seed_of_control_rounds_changes_nothing_that_was_given():
    control = {"control": {"share": "0.3", "seed": "ab"}}
    for payload in (control, {"settings": control}):
        content = {"payload": copy.deepcopy(payload), "hash": "x"}
        found = without_control_seed(content)
        assert content["payload"] == payload
        assert '"seed"' not in json.dumps(found) and found["hash"] == "x"
