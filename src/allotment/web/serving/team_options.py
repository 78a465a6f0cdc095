"""How a server for a team is started: what it needs, and each refusal with what to do."""

import ssl
from dataclasses import dataclass
from pathlib import Path

from allotment.campaign.access.tokens import Tokens
from allotment.campaign.history.store.store import Store
from allotment.errors import ConflictError, FileError, InputError
from allotment.web.security.front import ANY_ADDRESS, Front, check_name, without_port
from allotment.web.serving.certificates import Certificate, self_signed


@dataclass(frozen=True)
class TeamOptions:
    """The options of `allotment serve --host`. Exactly one of three ways keeps strangers from listening in:
    a certificate, one that the server makes itself, or a proxy that has one.
    """

    host: str
    names: tuple[str, ...] = ()
    tls_cert: Path | None = None
    tls_key: Path | None = None
    self_signed: bool = False
    proxies: tuple[str, ...] = ()

    def check(self) -> None:
        """Raise an error unless the options go together."""
        if (self.tls_cert is None) != (self.tls_key is None):
            raise InputError("one of --tls-cert and --tls-key is missing", "both of them", what="tls-cert")
        ways = [self.tls_cert is not None, self.self_signed, bool(self.proxies)]
        if sum(ways) == 0:
            raise InputError(
                "beyond this machine, others could read what is sent in the clear",
                "--tls-cert and --tls-key, or --self-signed, or --behind-proxy with the address of a proxy",
                what="host",
                value=self.host,
            )
        if sum(ways) > 1:
            raise ConflictError(
                "more than one of --tls-cert, --self-signed and --behind-proxy is set",
                "one of them",
                what="host",
            )
        if not self.names and (self.proxies or self.host in ANY_ADDRESS):
            raise InputError(
                f"nobody can tell under which name browsers open {self.host}",
                "--name with it, such as --name station.example",
                what="name",
            )

    @property
    def called(self) -> tuple[str, ...]:
        """The names and addresses under which browsers open the server."""
        return tuple(check_name(each) for each in self.names or (self.host,))

    def front(self, port: int) -> Front:
        """How browsers reach the server."""
        return Front.of_team(self.called, port, proxies=self.proxies, lasting_https=not self.self_signed)

    def certificate(self) -> Certificate | None:
        """The certificate that the server uses; None behind a proxy. An error if it cannot be used."""
        if self.proxies:
            return None
        if self.self_signed:
            return self_signed([without_port(each) for each in self.called])
        assert self.tls_cert is not None and self.tls_key is not None
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(self.tls_cert, self.tls_key, lambda: "")
        except (OSError, ssl.SSLError) as error:
            reason = error.strerror or "it is no certificate with its key, in PEM"
            raise FileError(f"cannot use {self.tls_cert} with {self.tls_key}: {reason}") from None
        return Certificate(self.tls_cert, self.tls_key, "")


def check_tokens(store: Store) -> None:
    """Raise an error unless somebody can sign in."""
    if not Tokens(store).exist():
        raise InputError(
            f"{store.name} has no valid token, so that nobody could sign in",
            f"`allotment token add {store.name} NAME --role planner` first",
            what="token",
        )
