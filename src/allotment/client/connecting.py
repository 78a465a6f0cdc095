"""Connecting to a server: whom to trust with a token, and which campaign is meant."""

import os
import ssl
from pathlib import Path
from urllib.parse import urlsplit

from allotment.campaign.forms import names
from allotment.client.line import Line
from allotment.client.remote_campaign import RemoteCampaign
from allotment.errors import FileError, InputError, NotFoundError
from allotment.system.files import AnyPath

LOOPBACK = ("127.0.0.1", "localhost", "::1")
VARIABLE, FILE = "ALLOTMENT_TOKEN", "ALLOTMENT_TOKEN_FILE"


def connect(
    url: str, token: str | None = None, campaign: str | None = None, *, certificate: AnyPath | None = None
) -> RemoteCampaign:
    """Open a campaign on a server, with the daily methods of `Campaign`.

    Parameters
    ----------
    url : str
        The address of the server. Beyond this machine, it begins with https.
    token : str, optional
        The token. Defaults to ALLOTMENT_TOKEN, or to the content of the file ALLOTMENT_TOKEN_FILE.
    campaign : str, optional
        The name of the campaign. It may be left out if the token is for only one.
    certificate : str or path, optional
        The certificate of a server that made it itself.

    Returns
    -------
    RemoteCampaign
        The campaign. Each of its methods is one request.

    Raises
    ------
    InputError
        If the address is not encrypted, or there is no token.
    NotAllowedError
        If the token is not valid.
    NotFoundError
        If there is no such campaign for this token.
    """
    line = Line(checked_url(url), _token(token), _trusted(certificate))
    try:
        number, name = _meant(line, campaign)
    except BaseException:
        line.close()
        raise
    return RemoteCampaign(line, number, name)


def checked_url(url: str) -> str:
    """The address of a server; in the clear, a token goes to this machine only."""
    parts = urlsplit(url) if isinstance(url, str) else None
    if parts is None or parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError.of("url", url, "the address of a server, such as https://station.example")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise InputError("url holds more than an address", "such as https://station.example", what="url")
    if parts.scheme == "http" and parts.hostname not in LOOPBACK:
        raise InputError(
            f"{url} is not encrypted, so that others could read the token",
            "https://, or http:// on this machine",
            what="url",
            value=url,
        )
    return url.rstrip("/")


def _token(given: str | None) -> str:
    if given is None:
        given = os.environ.get(VARIABLE)
    if given is None and (path := os.environ.get(FILE)):
        try:
            given = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeError) as error:
            raise FileError(f"cannot read {path}, which {FILE} names: {error}") from None
    if not isinstance(given, str) or not given.strip().startswith("al_") or not given.strip().isascii():
        raise InputError(
            "there is no token", f"token=, {VARIABLE} or {FILE}: it begins with al_", what="token"
        )
    return given.strip()


def _trusted(certificate: AnyPath | None) -> ssl.SSLContext | None:
    if certificate is None:
        return None
    try:
        return ssl.create_default_context(cafile=os.fspath(certificate))
    except (OSError, ssl.SSLError) as error:
        raise FileError(f"cannot use {os.fspath(certificate)} as a certificate: {error}") from None


def _meant(line: Line, campaign: str | None) -> tuple[int, str]:
    """The number and the name of the campaign that is meant."""
    known = {each["name"]: each["number"] for each in line.pages("/campaigns")}
    if campaign is None and len(known) == 1:
        campaign = next(iter(known))
    if campaign is None:
        expected = f"the name of one: {', '.join(known)}" if known else ""
        raise NotFoundError(f"{line.url} has {len(known)} campaigns for this token", expected, what="name")
    stored = names.stored_as(campaign, names.spellings(known))
    if stored is None:
        wrong = f"{line.url} has no campaign named {campaign!r} for this token"
        raise names.unknown(wrong, campaign, known, f"one of {', '.join(known)}", what="name")
    return known[stored], stored
