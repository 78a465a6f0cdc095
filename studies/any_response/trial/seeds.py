"""The seed of a trial: nobody can know it before the freeze, and nobody can choose it after."""

import hashlib
from pathlib import Path

from allotment.files import read_bytes
from studies.any_response.trial.frozen import FROZEN

UNSEEN = Path(__file__).with_name("unseen.py")


def seed_of(number: int, frozen: Path = FROZEN, unseen: Path = UNSEEN) -> int:
    """SHA-256 of the bytes of frozen.json, the bytes of unseen.py and the number's digits, as an integer."""
    digest = hashlib.sha256(read_bytes(frozen) + read_bytes(unseen) + str(number).encode())
    return int.from_bytes(digest.digest(), "big")
