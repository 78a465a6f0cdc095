"""Records of the library as JSON, and back."""

import json
from typing import Any

from allotment.campaign.forms.answer import OF_SITUATIONS, plain_data
from allotment.client.line import reader


def json_of(record: Any) -> str:
    """A record as JSON."""
    return json.dumps(plain_data(record, OF_SITUATIONS), allow_nan=False, separators=(",", ":"))


def record_of(kind: Any, text: str) -> Any:
    """The record of a kind that `json_of` wrote."""
    return reader(kind).validate_json(text)
