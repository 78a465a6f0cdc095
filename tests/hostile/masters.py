"""Intact files, built once per session, and what commands answer to them."""

import functools
import itertools
import shutil

from hostile.running import TESTS, made_folder

BUILD = f"import sys; sys.path.insert(0, {str(TESTS)!r}); from hostile.building import"


class Masters:
    """Files that are as they should be, in a folder of their own."""

    def __init__(self, folder, servers):
        self.folder, self.servers = folder, servers
        self._numbers = itertools.count()
        self._answers = {}
        self.kept = {}  # what kinds remember themselves

    @functools.cached_property
    def stores(self):
        return self._built("stores")

    @functools.cached_property
    def results(self):
        return self._built("results")

    def _built(self, what):
        folder = made_folder(self.folder / what)
        outcome = self.servers["plain"].run(folder, program=f"{BUILD} {what}; {what}()")
        assert outcome.code == 0, outcome.err
        return folder / "work"

    def fresh_folder(self):
        return made_folder(self.folder / f"intact-{next(self._numbers)}")

    def answer(self, source, name, arguments):
        """What a command says if the file, under this name, is intact; and its folder afterwards."""
        key = (str(source), name, *arguments)
        if key not in self._answers:
            folder = self.fresh_folder()
            shutil.copy(source, folder / "work" / name)
            outcome = self.servers["plain"].run(folder, arguments)
            self._answers[key] = outcome, folder / "work"
        return self._answers[key]
