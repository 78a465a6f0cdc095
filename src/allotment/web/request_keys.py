"""Idempotency keys of forms that can be sent again with other content."""

import hashlib
import json
from typing import Any


def key_of(form_key: str, *content: Any) -> str:
    """A key of a form and its content: the same form with other content is another request.

    So sending a form twice has no further effect, and going back to change it is no conflict.
    """
    text = json.dumps(content, sort_keys=True, default=str)
    return hashlib.sha256(f"{len(form_key)}:{form_key}{text}".encode()).hexdigest()[:32]
