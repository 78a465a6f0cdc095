"""Errors as pages and as problem+json (RFC 9457): which status they have, and one plain sentence for each."""

import json
import logging
from typing import NamedTuple

from allotment.errors import (
    AllotmentError,
    ConflictError,
    InputError,
    MissingExtraError,
    NotAllowedError,
    NotFoundError,
    StoreError,
)

LOG = logging.getLogger("allotment.web")
TITLES = {
    400: "This request cannot be read",
    401: "Not signed in",
    403: "Not allowed",
    404: "Not found",
    405: "Not possible here",
    409: "That does not fit with what is recorded",
    413: "Too large",
    415: "Not in this form",
    422: "Something needs another value",
    429: "Too many attempts",
    500: "Something went wrong",
    501: "Something is not installed",
    503: "The store cannot be used now",
}
RETRY_SECONDS = 2  # after which whoever was told so may ask again
KEY_TAKEN = (
    "This idempotency key was used for another request. Send a key of its own with each request that differs."
)
UNEXPECTED = "This should not happen. Try again; if it happens again, look at what the server printed."
STATUS: tuple[tuple[type[Exception], int], ...] = (
    (NotAllowedError, 403),
    (NotFoundError, 404),
    (ConflictError, 409),
    (InputError, 422),
    (MissingExtraError, 501),
    (StoreError, 503),
    (AllotmentError, 422),
)


class SignedOutError(Exception):
    """Nobody is signed in, or the session has ended."""


class BusyError(Exception):
    """The server is busy; it can be asked again in a moment."""


class ForgedFormError(Exception):
    """A form has no token, or the token of another session."""


class Problem(NamedTuple):
    """An error as a page shows it."""

    status: int
    title: str
    sentence: str

    @classmethod
    def of(cls, status: int, sentence: str) -> "Problem":
        """A problem with the title of its status."""
        return cls(status, TITLES.get(status, TITLES[500]), sentence)


PROBLEM_TYPE = "application/problem+json"
KINDS = {  # the last part of a problem's type; docs/reference/http-api.md has a section for each
    400: "unreadable",
    401: "not-signed-in",
    403: "not-allowed",
    404: "not-found",
    405: "method",
    409: "conflict",
    413: "too-large",
    415: "media-type",
    422: "invalid",
    429: "too-many-attempts",
    501: "not-installed",
    503: "busy",
}


def problem_json(problem: Problem) -> bytes:
    """A problem for programs."""
    content = {
        "type": f"urn:allotment:problem:{KINDS.get(problem.status, 'unexpected')}",
        "title": problem.title,
        "status": problem.status,
        "detail": problem.sentence,
    }
    return json.dumps(content).encode()


def problem_of(error: Exception) -> Problem:
    """What a page says of an error. An error that we did not expect says nothing of its inside."""
    if isinstance(error, BusyError):
        return Problem(503, "The server is busy", str(error))
    if (
        isinstance(error, ConflictError) and error.what == "key"
    ):  # what is stored holds more than the sent key
        return Problem.of(409, KEY_TAKEN)
    for kind, status in STATUS:
        if isinstance(error, kind):
            return Problem.of(status, sentence_of(error))
    return Problem.of(500, UNEXPECTED)


def problem_for_team(error: Exception) -> Problem:
    """The same for those who do not run the server: where the store lies, and why it fails, is not theirs."""
    if isinstance(error, StoreError):
        LOG.error("the store cannot be used: %s", error)
        return Problem.of(503, "The store cannot be used now. Try again; the log of the server says why.")
    return problem_of(error)


def sentence_of(error: Exception | str) -> str:
    """The sentence of an error of ours, or of what it says, as it stands on a page."""
    said = " ".join(str(error).split())
    first = said.partition(" ")[0].rstrip(".,:;")
    begin = said[:1] if "." in first else said[:1].upper()  # a file keeps its name
    return f"{begin}{said[1:]}" + ("" if said.endswith((".", "?", "!")) else ".")
