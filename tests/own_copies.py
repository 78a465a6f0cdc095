"""Copies of files and folders among the sources, which tests may change even if the sources are read-only."""

import shutil
import stat
from pathlib import Path

FIRST_FORMAT = Path(__file__).parent / "campaign" / "history" / "first-format.db"


def own_copy(source: Path, target: Path) -> Path:
    """Copy a file, or a folder with all that is in it but compiled modules."""
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy(source, target)
    for path in (target, *target.rglob("*")):
        path.chmod(path.stat().st_mode | stat.S_IWUSR)
    return target
