"""How browsers reach the server: the names it answers to, its cookie, and the proxies that it trusts."""

import ipaddress
import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from allotment.errors import InputError

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
LOOPBACK = "127.0.0.1"
ANY_ADDRESS = ("0.0.0.0", "::")
HTTPS_PORT = 443
NAME_AND_PORT = re.compile(r"[^:]+:\d{1,5}")


@dataclass(frozen=True)
class Front:
    """The side of a server that browsers see. `hosts` are the values of Host that it answers to.

    A server for this machine speaks http on loopback, and the user of the machine signs in with a code. A
    server for a `team` is reached by https, and people sign in with tokens.
    """

    hosts: frozenset[str]
    address: str
    cookie: str
    team: bool = False
    lasting_https: bool = False  # browsers may insist on https from now on (HSTS)
    proxies: tuple[Network, ...] = ()  # if any: only they may connect, and they say who asks

    @classmethod
    def of_this_machine(cls, port: int) -> "Front":
        """A server on loopback. Cookies ignore ports, so that each port has a cookie of its own."""
        hosts = frozenset({f"{LOOPBACK}:{port}", f"localhost:{port}"})
        return cls(hosts, f"http://{LOOPBACK}:{port}", f"allotment-{port}")

    @classmethod
    def of_team(
        cls, names: Sequence[str], port: int, *, proxies: Sequence[str] = (), lasting_https: bool
    ) -> "Front":
        """A server for a team, under its names; behind a proxy, the port is the proxy's own business.

        A name may hold the port that browsers see.
        """
        hosts = {each for name in names for each in (_host(name), f"{_host(name)}:{port}")}
        own = _host(names[0])
        hides_port = proxies or port == HTTPS_PORT or NAME_AND_PORT.fullmatch(own)
        address = f"https://{own}" if hides_port else f"https://{own}:{port}"
        return cls(
            frozenset(hosts),
            address,
            "__Host-allotment",
            team=True,
            lasting_https=lasting_https,
            proxies=tuple(_network(each) for each in proxies),
        )

    @property
    def scheme(self) -> str:
        """How an Origin of ours begins."""
        return urlsplit(self.address).scheme

    def caller(self, peer: str, forwarded: str | None) -> str | None:
        """The address of whoever asks; None if `peer`, which connected, is no proxy and should be one.

        A proxy appends the address that it saw to X-Forwarded-For, so that the last entry that is not a
        proxy's own is true, and those before it are hearsay. From anyone else, the header means nothing.
        """
        if not self.proxies:
            return peer
        if not self._is_proxy(peer):
            return None
        for entry in reversed((forwarded or "").split(",")):
            if entry.strip() and not self._is_proxy(entry.strip()):
                return entry.strip()[:60]
        return peer

    def _is_proxy(self, address: str) -> bool:
        try:
            found = unmapped(ipaddress.ip_address(address))
        except ValueError:
            return False
        return any(found in network for network in self.proxies)


def unmapped(address: Address) -> Address:
    """An IPv4 address as it is; a socket for both kinds writes ::ffff:10.0.0.1 for 10.0.0.1."""
    return getattr(address, "ipv4_mapped", None) or address


def household(address: str) -> str:
    """Those who share an address. Of IPv6, one household has a whole /64."""
    try:
        found = unmapped(ipaddress.ip_address(address))
    except ValueError:
        return address
    return str(found if found.version == 4 else ipaddress.ip_network((found, 64), strict=False))


def check_name(name: str) -> str:
    """A name or an address of the server as people type it, without a scheme or a path."""
    if not name or name in ANY_ADDRESS or any(each in name for each in "/ @?#,") or not name.isascii():
        raise InputError.of("name", name, "a name or an address that browsers open, such as station.example")
    return name.lower()


def _host(name: str) -> str:
    """A name as the header Host has it."""
    return f"[{name}]" if ":" in name and not NAME_AND_PORT.fullmatch(name) else name


def without_port(name: str) -> str:
    """A name as a certificate has it.

    >>> without_port("station.example:8443"), without_port("fd00::1")
    ('station.example', 'fd00::1')
    """
    return name.partition(":")[0] if NAME_AND_PORT.fullmatch(name) else name


def _network(text: str) -> Network:
    try:
        return ipaddress.ip_network(text.strip(), strict=False)
    except ValueError:
        raise InputError.of(
            "behind-proxy", text, "the address of a proxy, such as 127.0.0.1, or a network"
        ) from None
