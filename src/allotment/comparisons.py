"""The comparisons of `tolerance`, compiled."""

from allotment import tolerance
from allotment.compiling import inlined

covers = inlined(tolerance.covers)
fits = inlined(tolerance.fits)
