"""Letters that look like others, so that two names could be taken for one another."""

import re
import unicodedata
from collections.abc import Iterable

from allotment.errors import ConflictError, shown

# Characters that show nothing, though Python calls them printable: fillers, selectors, blank Braille.
INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\uffa0\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)
# Cyrillic, Greek and other letters, by the Latin ones that most fonts draw alike (Unicode TR 39).
LATIN = str.maketrans(
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0405\u0406\u0408\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0455\u0456\u0458\u0501\u051b\u051d\u04bb"
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03bf\u03bd\u03b1\u03b9\u03c1\u0131",
    "ABEKMHOPCTXSIJaeopcyxsijdqwhABEZHIKMNOPTYXovaipi",
)


def skeleton(name: str) -> str:
    """What a name looks like. Names with the same skeleton can be taken for one another.

    >>> skeleton("D\u043eck") == skeleton("\uff24ock") == "Dock"
    True
    """
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKC", name).translate(LATIN))


def looks_like(name: str, other: str) -> ConflictError:
    """The error for a name that could be taken for another one."""
    return ConflictError(
        f"the name {shown(name)} looks like {shown(other)}, with other letters",
        "a name that nobody takes for it",
        what="name",
        value=name,
    )


def lookalike(name: str, known: Iterable[str]) -> str | None:
    """A known name that another one could be taken for; None if there is none."""
    looks = skeleton(name)
    return next((each for each in known if each != name and skeleton(each) == looks), None)
