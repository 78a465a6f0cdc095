"""A disk that loses power: what a program wrote is recorded, and crash states are rebuilt from it.

`recording_disk.c` is preloaded into the program. A crash state has everything that was synced before it. Of
what was written since to a file, each sector is there or not, as luck has it. Run as a program, this works on
a campaign: python power_loss.py STORE OPERATIONS
"""

import os
import random
import struct
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from allotment import Campaign
from allotment.errors import AllotmentError

SECTOR = 512
HEAD = struct.Struct("=qqqq")
ACKNOWLEDGED = "acknowledged"  # the file into which the program writes a key once its event is safe
ARMS = [f"Zone {number}" for number in range(8)]
SOURCE = Path(__file__).with_name("recording_disk.c")


def library(folder: Path) -> Path:
    """The compiled library."""
    made = folder / "recording_disk.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", made, SOURCE, "-ldl"], check=True)
    return made


def record(folder: Path, store: Path, operations: int, **variables: str) -> Path:
    """Let a program work on a store in a folder of its own; returns the journal of its disk."""
    journal = folder / "journal"
    environment = {
        **os.environ,
        **variables,
        "LD_PRELOAD": str(library(folder)),
        "DISK_FOLDER": str(store.parent),
        "DISK_JOURNAL": str(journal),
        "ALLOTMENT_BACKGROUND": "0",
    }
    subprocess.run([sys.executable, __file__, str(store), str(operations)], env=environment, check=True)
    return journal


def work(store: str, operations: int) -> None:
    """Ask, report, correct and change settings; each key is noted once its answer has come."""
    luck = random.Random(operations)
    noted = os.open(Path(store).with_name(ACKNOWLEDGED), os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    plan = "1"
    for number in range(operations):
        key = f"key {number}"
        try:
            with Campaign.open(store) as campaign:  # closing brings everything into the one file
                for part in range(luck.randint(1, 6)):
                    key = f"key {number} {part}"
                    told = {arm: luck.randint(0, 1) for arm in luck.sample(ARMS, 3)}
                    campaign.tell(plan, told, correct=True, key=key)
                    os.write(noted, f"{key}\n".encode())
        except AllotmentError:  # the disk failed: nothing was acknowledged
            continue


@dataclass
class Disk:
    """The files of a folder: what is safe, and what was written since it last was."""

    safe: dict[str, bytes]
    since: dict[str, list[tuple[str, int, bytes]]] = field(default_factory=dict)
    acknowledged: list[str] = field(default_factory=list)

    def play(self, what: str, name: str, at: int, data: bytes) -> None:
        """One change."""
        if name == ACKNOWLEDGED:
            self.acknowledged += data.decode().split("\n")[:-1] if what == "a" else []
        elif what == "s":
            content = self._with(name, self.since.pop(name, []))
            if content is not None:
                self.safe[name] = content
        else:
            self.since.setdefault(name, []).append((what, at, data))

    def crashed(self, luck: random.Random) -> dict[str, bytes]:
        """The files after a loss of power now."""
        found = {}
        for name in {*self.safe, *self.since}:
            kept = [torn for each in self.since.get(name, []) for torn in _torn(each, luck)]
            content = self._with(name, kept)
            if content is not None:
                found[name] = content
        return found

    def _with(self, name: str, changes: list[tuple[str, int, bytes]]) -> bytes | None:
        content = None if name not in self.safe else bytearray(self.safe[name])
        for what, at, data in changes:
            if what == "u":
                content = None
                continue
            content = bytearray() if content is None else content
            end = at if what == "t" else at + len(data)
            content += bytes(max(0, end - len(content)))
            if what == "t":
                del content[end:]
            else:
                content[at:end] = data
        return None if content is None else bytes(content)


def _torn(change: tuple[str, int, bytes], luck: random.Random) -> Iterator[tuple[str, int, bytes]]:
    """What is left of a change that was not synced: all, nothing, or some of its sectors."""
    what, at, data = change
    fate = luck.random()
    if fate < 0.35:
        yield change
    elif fate < 0.7 and what in "wa":
        for begin in range(0, len(data), SECTOR):
            if luck.random() < 0.5:
                yield what, at + begin, data[begin : begin + SECTOR]


def changes(journal: Path) -> Iterator[tuple[str, str, int, bytes]]:
    """What was done to the disk, in order."""
    with journal.open("rb") as file:
        while head := file.read(HEAD.size):
            what, name, at, length = HEAD.unpack(head)
            yield chr(what), Path(file.read(name).decode()).name, at, file.read(length)


def crash_states(
    journal: Path, before: dict[str, bytes], many: int, luck: random.Random
) -> Iterator[tuple[dict[str, bytes], list[str]]]:
    """Crash states at random moments, each with the keys that were acknowledged by then."""
    done = list(changes(journal))
    moments = sorted(luck.randrange(len(done)) for _ in range(many))
    disk, played = Disk(dict(before)), 0
    for moment in moments:
        for change in done[played:moment]:
            disk.play(*change)
        played = moment
        yield disk.crashed(luck), list(disk.acknowledged)


if __name__ == "__main__":
    work(sys.argv[1], int(sys.argv[2]))
