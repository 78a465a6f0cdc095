"""How much a request may hold."""

import re

FORM_BYTES = 2**20
UPLOAD_BYTES = 32 * 2**20
UPLOADS = re.compile(
    r"/new|/c/\d+/(import|settings/shapes)|/api/v1/campaigns/\d+/imports"
)  # the paths that take files
FIELDS = 10_000  # a report of 1000 places has some fields for each
FILES = 1
LONGEST_TEXT = 10_000  # characters of one field


def most_bytes(path: str) -> int:
    """The largest body that a path takes."""
    return UPLOAD_BYTES if UPLOADS.fullmatch(path) else FORM_BYTES
