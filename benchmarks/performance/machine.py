"""What every table has to say of itself: when, where and with which versions it was measured."""

import datetime
import os
import platform
from pathlib import Path

from allotment.version import versions

CPU_FILE = Path("/proc/cpuinfo")


def about(command, passes, **more_versions):
    """When, on what and how something was measured."""
    return {
        "command": command,
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "machine": f"{cpu()}, {os.cpu_count()} cores",
        "passes": passes,
        "versions": {**versions(), **more_versions},
    }


def cpu(file=CPU_FILE):
    """The processor's name."""
    lines = file.read_text().splitlines() if file.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
