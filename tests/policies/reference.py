"""Published and independently simulated numbers, and how far from them we may be."""

import math

import numpy as np


def z_score(ours, mean, half_width):
    """How many standard errors, both sides' counted, our mean is from another's mean ± 95 % half-width."""
    error = np.std(ours, ddof=1) / math.sqrt(len(ours))
    return (np.mean(ours) - mean) / math.hypot(error, half_width / 1.96)
