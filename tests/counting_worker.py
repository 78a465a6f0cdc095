"""Loaded by each worker of a test: notes every block that it plays, and all compiled code that it loads."""

import functools
import hashlib
import itertools
import json
import os
import threading
from pathlib import Path

from allotment.compiling.disk_cache import DiskCache
from allotment.simulation.job import Block

LOG = Path(os.environ["COUNTED_BLOCKS"])
HELD = LOG.with_name("held")  # names the process that stops at its second block, where a test kills it
_blocks = itertools.count(1)


def note(*what):
    with LOG.open("a") as log:  # one short write, which others do not cut up
        log.write(json.dumps([what[0], os.getpid(), *what[1:]]) + "\n")


def counted(play):
    @functools.wraps(play)
    def played(block, *arguments):
        which = [type(block.problem).__name__, block.problem.budget, *block.key, len(block.replications)]
        note("began", *which)
        if HELD.exists() and HELD.read_text() == str(os.getpid()) and next(_blocks) == 2:
            note("held")
            threading.Event().wait()
        regret = play(block, *arguments)
        note("ended", *which)
        return regret

    return played


def noting_what_it_gets(load):
    @functools.wraps(load)
    def loaded(cache, signature, context):
        found = load(cache, signature, context)
        if found is not None:
            note("loaded", cache.cache_path, hashlib.sha256(repr(signature).encode()).hexdigest())
        return found

    return loaded


if not hasattr(Block.play, "__wrapped__"):  # Dask loads this more than once
    Block.play = counted(Block.play)
    DiskCache.load_overload = noting_what_it_gets(DiskCache.load_overload)
