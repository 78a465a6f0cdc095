"""The line to a server: requests with a token, repeated if they get lost, and errors as the library's own."""

import secrets
import ssl
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from allotment.errors import (
    AllotmentError,
    ConflictError,
    InputError,
    NotAllowedError,
    NotFoundError,
    StoreError,
)
from allotment.system.extras import needed

if TYPE_CHECKING:
    import httpx2
    from pydantic import TypeAdapter

SECONDS = 120.0  # for an answer: a plan of a thousand places takes a while
ATTEMPTS = 3  # of a request that gets lost
PATIENCE_SECONDS = 60.0  # with a busy server
PAGE = 200
WHAT = "campaigns on a server"
ERRORS: dict[int, type[AllotmentError]] = {
    401: NotAllowedError,
    403: NotAllowedError,
    404: NotFoundError,
    409: ConflictError,
    422: InputError,
}


@dataclass(frozen=True)
class Page:
    """A page of a list, and the cursor of the next one."""

    items: list[dict[str, Any]]
    next: str | None


@cache
def reader(kind: Any) -> "TypeAdapter[Any]":
    """What makes records of the library from JSON."""
    adapter: TypeAdapter[Any] = needed("pydantic", WHAT, "client").TypeAdapter(kind)
    return adapter


class Line:
    """The API of one server for one token. It may be used by several threads."""

    def __init__(self, url: str, token: str, trusted: ssl.SSLContext | None = None) -> None:
        self.url = url
        self._library = library = needed("httpx2", WHAT, "client")
        self._http: httpx2.Client = library.Client(
            base_url=f"{url}/api/v1",
            headers={"authorization": f"Bearer {token}"},
            timeout=SECONDS,
            follow_redirects=False,  # a token goes to no other host
            verify=True if trusted is None else trusted,
            trust_env=url.startswith("https:"),  # no proxy hears what is sent in the clear on this machine
        )

    def close(self) -> None:
        """Let go of all connections."""
        self._http.close()

    def get(self, path: str, kind: Any = Any, /, **wanted: Any) -> Any:
        """The answer to a question, as a record of the library. Nones are left out."""
        params = {name: value for name, value in wanted.items() if value is not None}
        return self._read(kind, self._send("GET", path, params=params))

    def file(self, path: str, /, **wanted: Any) -> bytes:
        """The content of a file."""
        content: bytes = self._send("GET", path, params=wanted).content
        return content

    def pages(self, path: str, **wanted: Any) -> Iterator[dict[str, Any]]:
        """All items of a list, page by page."""
        after = None
        while True:
            found: Page = self.get(path, Page, cursor=after, limit=PAGE, **wanted)
            yield from found.items
            after = found.next
            if after is None:
                return

    def write(
        self,
        method: str,
        path: str,
        body: Any = None,
        kind: Any = None,
        *,
        key: str | None = None,
        **more: Any,
    ) -> Any:
        """Write something, once, however often the request is repeated."""
        headers = {"idempotency-key": secrets.token_hex(16) if key is None else key}
        answer = self._send(method, path, json=body, headers=headers, **more)
        return None if kind is None else self._read(kind, answer)

    def ask(self, path: str, body: Any, kind: Any) -> Any:
        """A question that holds too much for an address."""
        return self._read(kind, self._send("POST", path, json=body))

    def _read(self, kind: Any, answer: "httpx2.Response") -> Any:
        """An answer as a record of the library; another program may listen where a server did yesterday."""
        try:
            return reader(kind).validate_json(answer.content)
        except ValueError:
            raise StoreError(f"{self.url} answers, but not as a server of campaigns does") from None

    def _send(self, method: str, path: str, **options: Any) -> "httpx2.Response":
        patience = time.monotonic() + PATIENCE_SECONDS
        lost = 0
        while True:
            try:
                answer = self._http.request(method, path, **options)
            except self._library.TransportError as error:
                lost += 1
                if lost == ATTEMPTS:
                    raise StoreError(
                        f"cannot reach {self.url}: {error or type(error).__name__}; it is not known whether "
                        "the last request was heard, and repeating it with its key does no harm"
                    ) from None
                continue
            wait = answer.headers.get("retry-after", "")
            if answer.status_code == 503 and wait.isdecimal() and time.monotonic() + int(wait) < patience:
                time.sleep(int(wait))
                continue
            return self._checked(answer)

    def _checked(self, answer: "httpx2.Response") -> "httpx2.Response":
        status = answer.status_code
        if status < 300:
            return answer
        if status < 400:
            where = answer.headers.get("location", "elsewhere")
            raise StoreError(f"{self.url} sends us to {where}; connect to that address if you trust it")
        try:
            said = str(answer.json()["detail"])
        except (ValueError, KeyError, TypeError):
            said = f"{self.url} answers with status {status}, and is perhaps no server of campaigns"
        raise ERRORS.get(status, StoreError)(said)
