"""Certificates that a station makes for itself, where no authority knows its name.

A browser cannot check such a certificate, and warns. People compare it with the fingerprint that the
server prints. So the same certificate is used again until it is about to end.
"""

import hashlib
import ipaddress
import os
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from allotment.campaign.forms import names as campaign_names
from allotment.errors import FileError
from allotment.system.files import private_folder, replacing

LIFE, LAST = timedelta(days=397), timedelta(days=30)  # browsers refuse a longer life


class Certificate(NamedTuple):
    """The files of a certificate and its key, and its SHA-256 as browsers show it."""

    certificate: Path
    key: Path
    fingerprint: str


def self_signed(names: Sequence[str]) -> Certificate:
    """The certificate of this user for some names, kept from before or new."""
    folder = private_folder(_home() / "allotment" / "certificates")
    stem = hashlib.sha256("\n".join(sorted(names)).encode()).hexdigest()[:16]
    certificate, key = folder / f"{stem}.pem", folder / f"{stem}-key.pem"
    found = _kept(certificate) if key.exists() else None
    if found is None:
        found = _make(names, certificate, key)
    digest = found.fingerprint(hashes.SHA256()).hex(":").upper()
    return Certificate(certificate, key, digest)


def _home() -> Path:
    chosen = os.environ.get("XDG_DATA_HOME")
    try:
        return Path(chosen) if chosen else Path.home() / ".local" / "share"
    except RuntimeError:
        raise FileError("this user has no home folder to keep a certificate in", "XDG_DATA_HOME") from None


def _kept(path: Path) -> x509.Certificate | None:
    """The certificate that is kept, if it can be read and lasts for some time."""
    try:
        found = x509.load_pem_x509_certificate(path.read_bytes())
    except (OSError, ValueError):
        return None
    return found if found.not_valid_after_utc - campaign_names.now() > LAST else None


def _make(names: Sequence[str], certificate: Path, key: Path) -> x509.Certificate:
    now, private = campaign_names.now(), ec.generate_private_key(ec.SECP256R1())
    called = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"allotment on {names[0]}"[:64])])
    made = (
        x509.CertificateBuilder()
        .subject_name(called)
        .issuer_name(called)
        .public_key(private.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))  # clocks differ
        .not_valid_after(now + LIFE)
        .add_extension(x509.SubjectAlternativeName([_alternative(each) for each in names]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .sign(private, hashes.SHA256())
    )
    text = private.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    for path, content in ((key, text), (certificate, made.public_bytes(serialization.Encoding.PEM))):
        with replacing(path) as draft:
            draft.write_bytes(content)
            draft.chmod(0o600)
    return made


def _alternative(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)
