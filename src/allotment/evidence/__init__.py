"""Evidence: all that a learner needs where order does not matter."""

from allotment.evidence.evidence import Evidence as Evidence
