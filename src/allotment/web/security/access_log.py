"""The access log of a server for a team: one line of JSON for each answer, with no secret in it.

A query may hold a code that signs someone in, so that only paths are written.
"""

import json
import logging
import time
from typing import Any

from allotment.campaign.forms import names

LOG = logging.getLogger("allotment.access")
LONGEST_PATH = 200


class Answered:
    """A request on its way to an answer, from which the line is made."""

    def __init__(self, scope: Any, caller: str) -> None:
        self._scope, self._caller = scope, caller
        self._begun = time.perf_counter()
        self.status, self.bytes = 500, 0

    def write(self) -> None:
        """Write the line. `by` is the name of whoever is signed in."""
        line = {
            "at": names.now().isoformat(timespec="milliseconds"),
            "from": self._caller,
            "by": self._scope["state"].get("who"),
            "method": self._scope["method"][:10],
            "path": self._scope["path"][:LONGEST_PATH],
            "status": self.status,
            "bytes": self.bytes,
            "ms": round(1000 * (time.perf_counter() - self._begun), 1),
        }
        LOG.info(json.dumps(line))
