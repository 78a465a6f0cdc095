"""The guard in front of the application: it refuses requests before any route sees them.

It is plain ASGI and the outermost layer, so that it also covers the answers of Starlette's error handlers.

- The peer: behind a proxy, only the proxy may connect. It is the raw peer of the connection; the address of
  whoever asks is then the proxy's word (`Front.caller`).
- Host: an allow-list. A page of another site whose name resolves to this machine (DNS rebinding) has a
  foreign Host.
- Origin, on unsafe methods: our own. With `Referrer-Policy: no-referrer`, browsers write `Origin: null` on
  forms; then `Sec-Fetch-Site` must say `same-origin`. Scripts of web sites can set neither header. The HTTP
  API takes no cookie and therefore needs no Origin: a browser sends no token by itself.
- Bodies: no compressed ones, and not more bytes than `most_bytes` allows.

The CSRF token is in the body, so that `forms.py` checks it.
"""

import logging
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from allotment.web.security.access_log import Answered
from allotment.web.security.front import Front
from allotment.web.security.headers import HSTS, with_security
from allotment.web.security.limits import most_bytes

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]
Refuse = Callable[[str, int, str], tuple[bytes, bytes]]

CLOSE = (b"connection", b"close")  # of what follows, nothing is read
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
LOG = logging.getLogger("allotment.web")
API = "/api/"
PROBES = ("/health", "/ready")  # which load balancers ask by address


class TooLargeError(Exception):
    """A body has more bytes than its route takes."""

    def __init__(self, most: int) -> None:
        size = f"{most // 2**20} MiB"
        super().__init__(f"This is larger than {size}, the most that this page takes. Send a smaller file.")


class Guard:
    """An application, and what a request must have before it gets there."""

    def __init__(self, application: Application, front: Front, refuse: Refuse) -> None:
        self.application = application
        self.front = front
        self.refuse = refuse  # makes the answer of an error from its path, status and sentence: body and type

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self.application(scope, receive, send)
            return
        if scope["type"] != "http":  # there are no websockets
            return
        headers = _single(scope["headers"])
        peer = (scope.get("client") or ("", 0))[0]
        caller = self.front.caller(peer, (headers or {}).get("x-forwarded-for"))
        scope.setdefault("state", {})["caller"] = caller or peer
        answer = _Answer(send, scope, self.front)
        try:
            await self._answer(scope, receive, answer, headers, from_proxy=caller is not None)
        finally:
            answer.log()

    async def _answer(
        self,
        scope: Scope,
        receive: Receive,
        answer: "_Answer",
        headers: dict[str, str] | None,
        *,
        from_proxy: bool,
    ) -> None:
        if headers is None:
            await self._refuse(answer, 400, "This request has a header twice that it may have once.")
            return
        if not from_proxy:
            await self._refuse(answer, 403, "This server answers its proxy only. Open the proxy's address.")
            return
        if not scope["path"].isprintable():  # databases and logs stumble over such characters
            await self._refuse(answer, 404, "There is no such address.")
            return
        if {"transfer-encoding", "content-length"} <= headers.keys():  # programs differ in which one counts
            await self._refuse(answer, 400, "This request says in two ways how long it is.")
            return
        wrong = self._wrong(scope, headers)
        if wrong is not None:
            await self._refuse(answer, 403, wrong)
            return
        if headers.get("content-encoding", "identity") != "identity":
            await self._refuse(answer, 415, "Compressed requests are not taken. Send the file as it is.")
            return
        most = most_bytes(scope["path"])
        length = headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > 15 or int(length) > most:
            await self._refuse(answer, 413, str(TooLargeError(most)))
            return
        answer.body = body = _Body(receive, most)
        body.ended = "transfer-encoding" not in headers and int(length) == 0
        method = "GET" if scope["method"] == "HEAD" else scope["method"]  # HTTP servers leave the body out
        try:
            await self.application({**scope, "method": method}, body, answer)
        except Exception:  # its page is on its way already, if the application could make one
            LOG.exception("an error while answering %s %s", scope["method"], scope["path"])
            await self._refuse(
                answer, 500, "Something went wrong here. Nothing was recorded by this request."
            )

    def _wrong(self, scope: Scope, headers: dict[str, str]) -> str | None:
        """Why a request is refused; None if it is not."""
        host = headers.get("host", "")
        if scope["path"] in PROBES:
            return None
        if host not in self.front.hosts:
            return "This server does not answer under that name. Open the address that it printed."
        if scope["method"] in SAFE or scope["path"].startswith(API):
            return None
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        if site not in (None, "same-origin"):
            return "This form was sent from another site, so nothing was recorded."
        if origin == f"{self.front.scheme}://{host}" or (origin in (None, "null") and site == "same-origin"):
            return None
        return "This form was sent from another site, so nothing was recorded."

    async def _refuse(self, answer: "_Answer", status: int, sentence: str) -> None:
        """Answer with a page that says why, unless an answer has begun."""
        if answer.begun:
            return
        body, kind = self.refuse(answer.scope["path"], status, sentence)
        headers = [(b"content-type", kind), (b"content-length", b"%d" % len(body)), CLOSE]
        await answer({"type": "http.response.start", "status": status, "headers": headers})
        await answer({"type": "http.response.body", "body": body})


class _Answer:
    """Sends an answer with the security headers, remembers whether it has begun, and writes the access log.

    If an answer comes before the end of the request, nothing more of the request is read.
    """

    def __init__(self, send: Send, scope: Scope, front: Front) -> None:
        self._send, self.scope, self._front = send, scope, front
        self._line = Answered(scope, scope["state"]["caller"]) if front.team else None
        self.begun = False
        self.body: _Body | None = None

    def log(self) -> None:
        """Write the line of the access log, if this server has one."""
        if self._line is not None:
            self._line.write()

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.begun = True
            headers = with_security(list(message.get("headers", [])))
            if self.body is not None and not self.body.ended and CLOSE not in headers:
                headers.append(CLOSE)
            if self._front.lasting_https:
                headers.append(HSTS)
            message = {**message, "headers": headers}
        if self._line is not None:
            self._line.status = message.get("status", self._line.status)
            self._line.bytes += len(message.get("body", b""))
        await self._send(message)


class _Body:
    """Receives a body, and counts its bytes: a chunked request does not say how long it is."""

    def __init__(self, receive: Receive, most: int) -> None:
        self._receive, self._most, self._left = receive, most, most
        self.ended = False

    async def __call__(self) -> Message:
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        self.ended = not message.get("more_body", False)
        if self._left < 0:
            raise TooLargeError(self._most)
        return message


def _single(headers: list[tuple[bytes, bytes]]) -> dict[str, str] | None:
    """Headers by name; None if one that is checked stands there twice, since programs then differ."""
    checked = (
        *("host", "origin", "content-length", "content-encoding", "sec-fetch-site"),
        *("authorization", "idempotency-key", "x-forwarded-for"),
    )
    found: dict[str, str] = {}
    for raw_name, raw_value in headers:
        name = raw_name.decode("latin-1").lower()
        if name in checked and name in found:
            return None
        found[name] = raw_value.decode("latin-1")
    return found
