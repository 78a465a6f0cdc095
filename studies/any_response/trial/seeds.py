"""The seed of a trial: nobody can know it before the freeze, and nobody can choose it after."""

import hashlib
from pathlib import Path

from allotment.system.files import read_bytes


def seed_of(number: int, frozen: Path, unseen: Path | None) -> int:
    """SHA-256 of the frozen file, of unseen.py if there is one, and of the number's digits, as an integer."""
    written = read_bytes(unseen) if unseen else b""
    digest = hashlib.sha256(read_bytes(frozen) + written + str(number).encode())
    return int.from_bytes(digest.digest(), "big")
