"""The comparisons of `tolerance`, compiled."""

from allotment import tolerance
from allotment.compiling import kernel

covers = kernel(tolerance.covers)
fits = kernel(tolerance.fits)
