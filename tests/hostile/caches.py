"""Caches of compiled code: damaged, planted by others, unwritable, or in the wrong place.

A cache is never a reason to fail: every case must give the number that a fresh compilation gives.
"""

import os
import pickle
import shutil
import time
from pathlib import Path

from hostile.cases import Case, kind

KERNEL = """
import sys, warnings
warnings.showwarning = lambda message, *details: print(f"allotment: {message}", file=sys.stderr)
from allotment.kernels.loss_rates import hoeffding_radius
print(hoeffding_radius(100.0, 7.0))
"""
ANSWER = "0.9933892402838547\n"
LONG_AGO = time.time() - 90 * 24 * 3600
SOMEONE = 54321


class Evil:
    """What a pickle does when it is loaded."""

    def __reduce__(self):
        return Path.touch, (Path("PWNED"),)


def _intact(masters):
    """A cache that holds the kernel, made by the package itself."""
    if "cache" not in masters.kept:
        folder = masters.fresh_folder()
        outcome = masters.servers["compiled"].run(folder, program=KERNEL)
        assert (outcome.code, outcome.out) == (0, ANSWER), outcome.err
        masters.kept["cache"] = folder / "cache"
    return masters.kept["cache"]


def _files(cache, *suffixes):
    return sorted(path for path in cache.rglob("*") if path.is_file() and path.name.endswith(suffixes))


def _damage(luck, cache):
    path = luck.choice(_files(cache, ".nbi", ".nbc"))
    content = bytearray(path.read_bytes())
    how = luck.choice(("flip", "cut", "empty", "noise", "other", "folder", "link"))
    if how == "flip":
        content[luck.randrange(len(content))] ^= 1 << luck.randrange(8)
    elif how == "cut":
        del content[luck.randrange(len(content)) :]
    elif how == "empty":
        content = b""
    elif how == "noise":
        content = luck.randbytes(300)
    elif how == "other":
        content = pickle.dumps(luck.choice(((), {}, [1], "x", None, ("0.60", {}), ("same", [1]))))
    path.unlink()
    if how == "folder":
        path.mkdir()
    elif how == "link":
        path.symlink_to(luck.choice(("/dev/null", "/nowhere/at/all", path.name)))
    else:
        path.write_bytes(content)


def _planted(luck, cache):
    """Code that somebody else could write: into a folder open to all, or one of another owner."""
    for path in _files(cache, ".nbi", ".nbc"):
        path.write_bytes(pickle.dumps(Evil()))
    base = cache / "allotment"
    folders = [base, *(path for path in base.rglob("*") if path.is_dir())]
    if os.geteuid() == 0 and luck.random() < 0.5:
        for path in (*folders, *_files(cache, "")):
            os.chown(path, SOMEONE, SOMEONE)
            path.chmod(0o755)
    else:
        for path in luck.choice(([base], folders)):
            path.chmod(luck.choice((0o777, 0o770, 0o703)))


def _digests(luck, cache):
    """The file that says which folder holds the code of this version."""
    for path in (each for each in _files(cache, "") if each.stat().st_size < 100):
        text = luck.choice(
            ("", "\n", "0" * 16, "../../work", "/etc", "x" * 5000, "239ED615927CC84A", ".", "\x00", "é" * 8)
        )
        how = luck.choice(("text", "text", "text", "folder", "link", "bytes"))
        path.unlink()
        if how == "text":
            path.write_text(text)
        elif how == "bytes":
            path.write_bytes(luck.randbytes(16))
        elif how == "folder":
            path.mkdir()
        else:
            path.symlink_to("/nowhere/at/all")


def _unwritable(luck, cache):
    base = cache / "allotment"
    how = luck.choice(("empty base", "full base", "parent", "file", "link", "file parent"))
    if how == "empty base":
        shutil.rmtree(base)
        base.mkdir(mode=0o500)
    elif how == "full base":
        for path in (base, *(each for each in base.rglob("*") if each.is_dir())):
            path.chmod(luck.choice((0o500, 0o000)))
    elif how == "parent":
        shutil.rmtree(base)
        cache.chmod(0o500)
    else:
        shutil.rmtree(base)
        if how == "file":
            base.write_text("mine")
        elif how == "link":
            base.symlink_to("/nowhere/at/all")
        else:
            shutil.rmtree(cache)
            cache.write_text("mine")


def _of_users(luck, cache):
    """Folders that are not allotment's, and long unused."""
    base = cache / "allotment"
    for name in ("src", ".git", "docs", "0123456789abcdef"):
        (base / name).mkdir(parents=True, exist_ok=True)
        (base / name / "precious").write_text("mine")
        os.utime(base / name, (LONG_AGO, LONG_AGO))


DAMAGES = (
    _damage,
    _damage,
    _damage,
    _planted,
    _planted,
    _digests,
    _digests,
    _unwritable,
    _unwritable,
    _of_users,
)


@kind("cache", cases=70, quick=(14, 59))
def cache(luck, work, masters):
    folder = work.parent
    intact = _intact(masters)
    (folder / "cache").rmdir()
    shutil.copytree(intact, folder / "cache")
    damage = luck.choice(DAMAGES)
    damage(luck, folder / "cache")

    def judge(trial):
        if trial.outcome.out != ANSWER:
            return f"answers {trial.outcome.out!r}"
        if damage is _of_users and len(list((folder / "cache/allotment").glob("*/precious"))) != 4:
            return "a user's folder is gone"
        return None

    return Case(program=KERNEL, judge=judge, compiled=True, must_answer=True)


@kind("cache-elsewhere", cases=20, quick=(14,))
def elsewhere(luck, work, masters):
    """A cache in a folder that holds somebody's project, or in no folder at all."""
    (work / "proj/allotment/src").mkdir(parents=True)
    (work / "proj/allotment/src/main.py").write_text("mine")
    (work / "proj/allotment/notes").write_text("mine")
    for path in (work / "proj/allotment/src", work / "proj/allotment/notes"):
        os.utime(path, (LONG_AGO, LONG_AGO))
    variable = luck.choice(("NUMBA_CACHE_DIR", "XDG_CACHE_HOME"))
    place = luck.choice(
        (
            str(work / "proj"),
            "proj",
            "/dev/null",
            "/proc/nowhere",
            "\t",
            "x" * 300,
            str(work / "proj/allotment/notes"),
        )
    )
    environment = {variable: place}

    def judge(trial):
        found = trial.outcome.out == ANSWER
        return None if found else f"answers {trial.outcome.out!r}"

    makes = ("proj/allotment", "proj/allotment/*", "\t*", "x*") if "notes" not in place else ()
    case = Case(
        program=KERNEL, judge=judge, compiled=True, must_answer=True, environment=environment, makes=makes
    )
    case.untouched = ("proj/allotment/src", "proj/allotment/src/main.py", "proj/allotment/notes")
    return case
