"""The comparisons and the rounding of `tolerance`, compiled."""

from allotment import tolerance
from allotment.compiling.decorators import inlined

covers = inlined(tolerance.covers)
fits = inlined(tolerance.fits)
floor_with_tolerance = inlined(tolerance.floor_with_tolerance)
