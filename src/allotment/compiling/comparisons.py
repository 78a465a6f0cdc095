"""The comparisons of `tolerance`, compiled."""

from allotment import tolerance
from allotment.compiling.decorators import inlined

covers = inlined(tolerance.covers)
fits = inlined(tolerance.fits)
