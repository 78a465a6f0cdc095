"""What a hostile case is, and the verdict on how a command met it.

Every case has a number, from which its kind and its random choices follow. A command meets a case well if it
gives an unharmed answer with exit code 0, or one sentence with exit code 2, and leaves everything else alone.
"""

import fnmatch
import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from hostile.running import contents

EVIL = "from pathlib import Path\nPath(__file__).with_name('PWNED').touch()\n"
PLANTED = ("evil_mod", "lxml", "defusedxml", "numexpr", "bottleneck", "sitecustomize", "usercustomize")
PATIENCE = re.compile(r"^(Compiling|run.npz holds \d of \d replications already)")  # meant for who waits
DRAFT = re.compile(r"/\.[\w.]+\.[0-9a-f]{8}\b")  # a file that takes another's place once it is whole
LOCKS = re.compile(r"tmp/allotment-\d+|run/allotment")  # the folder, with no lock left in it
MEMORY = 2**29  # bytes that a command may need at its peak; what it is given is small


class Kind(NamedTuple):
    """A kind of case: how many there are, which of them are quick, and what makes one."""

    name: str
    cases: int
    quick: tuple[int, ...]
    plant: Callable


def kind(name, *, cases, quick):
    """Make a kind of a function that plants files for a case and says which command meets them."""
    return lambda plant: Kind(name, cases, quick, plant)


@dataclass
class Case:
    """A command, and what counts as an unharmed answer.

    `makes` are patterns of files in the working folder that the command may make or change if it succeeds.
    `judge` looks at a trial that ended with code 0, and returns a complaint or None.
    """

    arguments: tuple[str, ...] = ()
    makes: tuple[str, ...] = ()
    judge: Callable | None = None
    program: str = ""
    fresh: bool = False
    compiled: bool = False
    may_change: tuple[str, ...] = ()  # even if the command fails
    must_answer: bool = False  # a refusal is no answer
    untouched: tuple[str, ...] = ()  # in spite of `makes`
    environment: dict[str, str] = field(default_factory=dict)


def luck_of(kind, position):
    """The random choices of a case; the same for ever."""
    return random.Random(f"{kind.name} {position}")


class Trial:
    """A case in its folder: runs its commands and collects complaints."""

    def __init__(self, case, folder, servers):
        self.case, self.folder, self.work = case, folder, folder / "work"
        self.server = servers["compiled" if case.compiled else "plain"]
        self.outcome = None

    def run(self, *arguments, program="", fresh=False):
        """A further command in the same folder."""
        return self.server.run(
            self.folder, arguments, program=program, fresh=fresh, environment=self.case.environment
        )

    def meet(self):
        """Run the case's command; returns its outcome and a complaint, or None."""
        for name in PLANTED:
            (self.work / f"{name}.py").write_text(EVIL)
        before = contents(self.folder)
        outcome = self.run(*self.case.arguments, program=self.case.program, fresh=self.case.fresh)
        self.outcome = outcome
        complaint = of_ending(outcome) or self._of_files(before, contents(self.folder))
        if complaint is None and outcome.code == 2 and self.case.must_answer:
            complaint = f"refuses: {outcome.err[:160]}"
        if complaint is None and outcome.code == 0 and self.case.judge is not None:
            complaint = self.case.judge(self)
            if complaint is None and (self.work / "PWNED").exists():
                complaint = "planted code ran in a later command"
        return outcome, complaint

    def _of_files(self, before, after):
        if "work/PWNED" in after:
            return "planted code ran"
        allowed = ["out", "err", "cache/allotment*"]
        allowed += [f"work/{name}" for name in self.case.may_change]
        if self.outcome.code == 0:
            allowed += [f"work/{name}" for name in self.case.makes]
        for path in sorted(before.keys() | after.keys()):
            free = path.removeprefix("work/") not in self.case.untouched
            if LOCKS.fullmatch(path) or (free and any(fnmatch.fnmatch(path, each) for each in allowed)):
                continue
            if path not in after:
                return f"{path} is gone"
            if path not in before:
                return f"{path} is new"
            if before[path] != after[path]:
                return f"{path} was changed"
        return None


def of_ending(outcome):
    """A complaint about how a command ended, whatever it was asked; or None."""
    if outcome.code is None:
        return f"took more than {outcome.seconds:.0f} s"
    if "Traceback (most recent call last)" in outcome.err:
        last = [line for line in outcome.err.splitlines() if line.strip()][-1]
        return f"traceback: {last[:160]}"
    if outcome.code < 0:
        return f"ended by signal {-outcome.code}"
    if outcome.code not in (0, 2):
        return f"exit code {outcome.code}: {outcome.err[:160]}"
    if outcome.left:
        return f"left a process: {outcome.left[0]}"
    if outcome.peak > MEMORY:
        return f"took {outcome.peak / 2**20:.0f} MB"
    said = [line for line in outcome.err.split("\n") if line and not PATIENCE.match(line)]
    sentences = [line for line in said if line.startswith("allotment: ") and line.isprintable()]
    if len(sentences) < len(said):
        return f"says on stderr: {next(line for line in said if line not in sentences)[:160]!r}"
    if outcome.code == 2 and len(sentences) != 1:
        return f"exit code 2 with {len(sentences)} sentences"
    if DRAFT.search(outcome.err):
        return f"names a file that the user does not know: {said[-1][:160]}"
    if "the disk" in outcome.err:
        return f"wrote until it reached the limit of its files: {said[-1][:160]}"
    if len(outcome.err) > 2000:
        return f"a sentence of {len(outcome.err)} characters"
    return None
