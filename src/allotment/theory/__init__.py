"""The paper's results as functions."""

from allotment.candidates import allocation_equivalent, candidate_thresholds

__all__ = ["allocation_equivalent", "candidate_thresholds"]
