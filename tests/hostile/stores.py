"""Stores with damaged bytes: flipped bits, cut files, pages zeroed or swapped, garbage beside the file."""

import filecmp
import shutil
import sqlite3

from hostile.cases import Case, kind

STORE = "n.db"
DATE = "2026-02-10"
COMMANDS = {
    "status": ("status", STORE),
    "history": ("history", STORE, "--all", "--json"),
    "verify": ("verify", STORE),
    "backup": ("backup", STORE, "copy.db"),
    "export": ("export", STORE, "copy.jsonl"),
    "tell": ("tell", STORE, "--plan", "3", "Dock=1", "Gate=0", "--key", "told", "--author", "Bob"),
    "arms": ("arms", STORE, "--csv"),
    "ask": ("ask", STORE, "--date", DATE, "--key", "asked", "--author", "Bob"),
    "explain": ("explain", STORE, "3"),
}
QUICK = ("history", "verify", "backup", "export", "tell", "arms")  # they make no plan
MAKES = {"backup": ("copy.db",), "export": ("copy.jsonl",), "tell": (STORE,), "ask": (STORE,)}
CAMPAIGN = {"second.db": ("--campaign", "night")}


def command_on(masters, source, name, *, may_change=()):
    """A case: the command on the store, which must answer as if the store were intact."""
    chosen = CAMPAIGN.get(source, ())
    arguments = COMMANDS[name] if name == "backup" else (*COMMANDS[name], *chosen)
    checked = {"backup": "copy.db", "verify": STORE}.get(name)  # what is said to hold the whole history

    def judge(trial):
        intact, folder = masters.answer(masters.stores / source, STORE, arguments)
        assert intact.code == 0, intact.err
        if trial.outcome.out != intact.out:
            return f"{name} answers otherwise than for the intact store"
        if name == "export" and not filecmp.cmp(
            folder / "copy.jsonl", trial.work / "copy.jsonl", shallow=False
        ):
            return "the export differs from that of the intact store"
        if checked is not None:
            wanted = masters.answer(masters.stores / source, STORE, (*COMMANDS["history"], *chosen))[0]
            found = trial.run("history", checked, *COMMANDS["history"][2:], *chosen)
            if found.out != wanted.out:
                return f"{checked} passed, and its history differs from the intact one"
        return None

    if name == "verify" and source == "kept.db":
        may_change = (STORE,)  # a snapshot that disagrees with the history is dropped
    return Case(arguments, MAKES.get(name, ()), judge, may_change=may_change)


def pick(luck):
    """A command; those that make no plan more often."""
    return luck.choice((*QUICK, *QUICK, *COMMANDS))


def planted(masters, work, source):
    shutil.copy(masters.stores / source, work / STORE)
    return work / STORE


@kind("store-bit-flip", cases=220, quick=(6, 9, 15, 17, 24, 54, 76, 160))
def bit_flip(luck, work, masters):
    source, name = luck.choice(("small.db", "kept.db", "second.db")), pick(luck)
    path = planted(masters, work, source)
    content = bytearray(path.read_bytes())
    for _ in range(luck.choice((1, 1, 1, 8))):
        content[luck.randrange(len(content))] ^= 1 << luck.randrange(8)
    path.write_bytes(content)
    return command_on(masters, source, name)


@kind("store-truncated", cases=40, quick=(3, 39))
def truncated(luck, work, masters):
    source, name = luck.choice(("small.db", "kept.db")), pick(luck)
    path = planted(masters, work, source)
    content = path.read_bytes()
    page = int.from_bytes(content[16:18], "big")
    end = luck.choice(
        (0, 1, 15, 16, 50, 100, page, len(content) - page, len(content) - 1, luck.randrange(len(content)))
    )
    path.write_bytes(content[:end])
    return command_on(masters, source, name)


@kind("store-pages", cases=60, quick=(0, 17, 38))
def pages(luck, work, masters):
    source, name = luck.choice(("small.db", "kept.db")), pick(luck)
    path = planted(masters, work, source)
    content = path.read_bytes()
    page = int.from_bytes(content[16:18], "big")
    parts = [content[start : start + page] for start in range(0, len(content), page)]
    first, second = luck.sample(range(len(parts)), 2)
    how = luck.choice(("zero", "swap", "copy", "noise", "append"))
    if how == "zero":
        parts[first] = bytes(page)
    elif how == "swap":
        parts[first], parts[second] = parts[second], parts[first]
    elif how == "copy":
        parts[first] = parts[second]
    elif how == "noise":
        parts[first] = luck.randbytes(page)
    else:
        parts.append(luck.randbytes(page))
    path.write_bytes(b"".join(parts))
    return command_on(masters, source, name)


@kind("store-wal", cases=50, quick=(2, 40, 41))
def wal(luck, work, masters):
    """Something beside the file that SQLite would read as the last writes; commands may tidy it away."""
    source, name = "small.db", pick(luck)
    path = planted(masters, work, source)
    beside, how = (
        work / f"{STORE}-wal",
        luck.choice(("noise", "empty", "cut", "flip", "other", "folder", "shm", "journal")),
    )
    if how == "noise":
        beside.write_bytes(luck.randbytes(luck.choice((1, 31, 32, 5000))))
    elif how == "empty":
        beside.touch()
    elif how == "folder":
        beside.mkdir()
    elif how in ("shm", "journal"):
        (work / f"{STORE}-{how}").write_bytes(luck.randbytes(32768))
    else:
        lines = bytearray(_wal_of(path if how != "other" else masters.stores / "second.db", work))
        if how == "cut":
            del lines[luck.randrange(1, len(lines)) :]
        elif how == "flip":
            lines[luck.randrange(len(lines))] ^= 1 << luck.randrange(8)
        beside.write_bytes(lines)
    return command_on(
        masters, source, name, may_change=(f"{STORE}-wal", f"{STORE}-shm", f"{STORE}-journal", STORE)
    )


def _wal_of(store, work):
    """Writes that a killed process left: they change nothing that commands show."""
    copy = work / "other.db"
    shutil.copy(store, copy)
    connection = sqlite3.connect(copy, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE INDEX scratch ON allotment_events (kind)")
    connection.execute("DROP INDEX scratch")
    found = (work / "other.db-wal").read_bytes()
    connection.close()
    copy.unlink()
    return found
