"""Opening the browser, without showing the sign-in code to other users of the machine.

Every user can see an address in a program's arguments. So the browser is given a file that only this user may
read, and the file leads on to the address.
"""

import os
import secrets
import sys
import webbrowser
from contextlib import suppress
from html import escape
from pathlib import Path
from tempfile import gettempdir

from allotment.errors import FileError
from allotment.system.files import private_folder

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>allotment</title>
<meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0; url={address}"></head>
<body><a href="{address}">Sign in to allotment</a></body></html>
"""


class RedirectFile:
    """The file that leads to the sign-in page. It goes when the code is used, and with the server."""

    def __init__(self) -> None:
        self.path: Path | None = None

    def write(self, address: str) -> Path:
        """Write the file, mode 0600, in a folder that only this user may enter."""
        self.remove()
        folder = private_folder(Path(gettempdir(), f"allotment-{_user()}"))
        path = folder / f"sign-in-{secrets.token_hex(8)}.html"
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0)
        with os.fdopen(os.open(path, flags, 0o600), "w", encoding="utf-8") as file:
            file.write(PAGE.format(address=escape(address)))
        self.path = path
        return path

    def remove(self) -> None:
        """Delete the file, if there is one."""
        if self.path is not None:
            with suppress(OSError):
                self.path.unlink(missing_ok=True)
            self.path = None


def open_browser(address: str, file: RedirectFile) -> bool:
    """Open the sign-in page in the user's browser; False where there is none."""
    if not _has_screen():
        return False
    try:
        return webbrowser.open(file.write(address).as_uri())
    except (webbrowser.Error, OSError, FileError):
        return False


def _has_screen() -> bool:
    """Whether a browser has a screen to open on. A browser of the terminal would take the terminal over."""
    if sys.platform in ("darwin", "win32"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _user() -> str:
    return str(os.geteuid()) if hasattr(os, "geteuid") else "user"
