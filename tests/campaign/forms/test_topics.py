"""Pages choose sentences by topic; everywhere else, a sentence is a text."""

import copy
import json
import pickle

from allotment.campaign.forms.answer import Sentence, about, besides


def test_sentences_are_chosen_by_topic():
    said = [Sentence("Plan 1.", "granted"), "It rains.", Sentence("No loss.", "expected")]
    assert about(said, "expected") == ["No loss."]
    assert besides(said, "granted", "expected") == ["It rains."]


def test_a_sentence_is_a_text():
    said = Sentence("Plan 1.", "granted")
    assert said == "Plan 1." and json.dumps([said]) == '["Plan 1."]'
    for same in (copy.deepcopy(said), pickle.loads(pickle.dumps(said))):
        assert same == said and same.topic == "granted"
