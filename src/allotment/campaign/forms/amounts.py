"""Amounts in the user's own units: exact decimals, and whole units of them."""

import math
import re
from collections.abc import Mapping
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, InvalidOperation
from numbers import Integral, Rational, Real
from typing import Any

from allotment.campaign.forms.names import composed, unknown
from allotment.errors import InputError, shown

LARGEST = Decimal(10) ** 15  # above it a float no longer holds single units
SMALLEST = Decimal("1E-100")  # of what is not 0: products of three such numbers are not 0 as floats
SMALLEST_UNIT = Decimal("1E-9")
THOUSANDS = re.compile(r"[1-9]\d{0,2},\d{3}")  # perhaps: nobody knows whether 1,000 is 1 or 1000
DIGITS = Context(prec=28, Emax=MAX_EMAX, Emin=MIN_EMIN)  # of amounts, whatever the program around sets


def exact(what: str, value: Any, *, above: bool = False, least: Decimal = SMALLEST) -> Decimal:
    """A finite number of at least 0 (or above 0) as the decimal that the user sees.

    A number above 0 must be at least `least`.

    >>> exact("budget", 0.1), exact("budget", "2.50")
    (Decimal('0.1'), Decimal('2.5'))
    """
    expected = "a number above 0" if above else "a finite number of at least 0"
    found = _decimal(value)
    if isinstance(value, str) and THOUSANDS.fullmatch(value.strip()):
        one, other = (written(Decimal(value.strip().replace(",", mark))) for mark in (".", ""))
        wrong = f"{what} is {value!r}, which could be {one} or {other}"
        raise InputError(wrong, "a number without a comma", what=what, value=value)
    if found is None or not found.is_finite() or found < 0 or (above and not found):
        raise InputError.of(what, value, expected)
    found = found.normalize(DIGITS)
    if found >= LARGEST:
        raise InputError.of(what, value, f"{expected} and below {LARGEST:.0e}")
    if 0 < found < least:
        raise InputError.of(what, value, f"{'' if above else '0, or '}a number of at least {least}")
    return found if found else Decimal(0)


def exact_unit(value: Any) -> Decimal:
    """The smallest amount worth granting, which can be counted in."""
    return exact("unit", value, above=True, least=SMALLEST_UNIT)


def _decimal(value: Any) -> Decimal | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, Decimal):
        return value
    if isinstance(value, str):
        try:
            return Decimal(with_point(value.strip())) if "_" not in value else None
        except InvalidOperation:
            return None
    if isinstance(value, Integral):
        return Decimal(int(value))
    if isinstance(value, Real | Rational):
        try:
            number = float(value)
        except OverflowError:
            return None
        return Decimal(repr(number)) if math.isfinite(number) else None
    return None


def with_point(text: str) -> str:
    """A number with a decimal comma, as people write it, with a point; 1,000 could be two numbers and stays.

    >>> with_point("2,5"), with_point("0,125"), with_point("1,000")
    ('2.5', '0.125', '1,000')
    """
    return text.replace(",", ".") if text.count(",") == 1 and not THOUSANDS.fullmatch(text) else text


def written(amount: Decimal) -> str:
    """The one text of an amount: no exponent, no zeros that say nothing.

    >>> written(Decimal("2.50")), written(Decimal("1E+2"))
    ('2.5', '100')
    """
    return f"{amount.normalize():f}" if amount else "0"


def plain(amount: Decimal) -> int | float:
    """An amount as the number that users meet: whole if it is."""
    return int(amount) if amount == amount.to_integral_value() else float(amount)


def units_within(amount: Decimal, unit: Decimal) -> int:
    """How many whole units fit in an amount."""
    return int(amount // unit)


def units_to_reach(amount: Decimal, unit: Decimal) -> int:
    """How many whole units it takes to reach an amount.

    >>> units_to_reach(Decimal("0.7"), Decimal("0.5")), units_within(Decimal("0.7"), Decimal("0.5"))
    (2, 1)
    """
    return int(amount // unit) + bool(amount % unit)


def per_name(
    what: str, given: Any, names: tuple[str, ...], default: Decimal | None, *, above: bool = False
) -> dict[str, Decimal]:
    """One number for all names, or a mapping from some of them; the others get the default."""
    if not isinstance(given, Mapping):
        same = default if given is None else exact(what, given, above=above)
        return {} if same is None else dict.fromkeys(names, same)
    found: dict[str, Decimal] = {}
    for name, value in given.items():
        arm = composed(name)
        if arm not in names:
            raise unknown(
                f"{what} names {shown(name)}", name, names, f"names of places: {listed(names)}", what=what
            )
        if arm in found:
            raise InputError(f"{what} names {shown(name)} twice", "each name once", what=what, value=name)
        if value is not None:
            found[arm] = exact(f"{what} of {name!r}", value, above=above)
    return found if default is None else {**dict.fromkeys(names, default), **found}


def count_of(number: int, noun: str, plural: str = "") -> str:
    """A number of things for a sentence.

    >>> count_of(1, "place"), count_of(2, "place"), count_of(0, "loss", "losses")
    ('1 place', '2 places', '0 losses')
    """
    return f"{number} {noun if number == 1 else plural or f'{noun}s'}"


def listed(names: Any, most: int = 8, mark: str = ", ") -> str:
    """Names for a sentence; not more than one can take in."""
    names = list(names)
    rest = len(names) - most
    return mark.join(map(str, names[:most])) + (f" and {rest} more" if rest > 0 else "")
