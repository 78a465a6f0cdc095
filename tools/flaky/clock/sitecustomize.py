"""Lets Python sleep under libfaketime, which otherwise makes `time.sleep` fail.

Python sleeps until a moment of the clock that measures durations. libfaketime 0.9.10 refuses that if it is
told to leave this clock alone. `select` sleeps for a duration.
"""

import select
import time


def sleep(seconds: float, /) -> None:
    """Do what `time.sleep` does."""
    select.select((), (), (), seconds)


time.sleep = sleep
