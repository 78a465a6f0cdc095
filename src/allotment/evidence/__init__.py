"""Evidence: all that a learner needs where order does not matter."""

from allotment.evidence.evidence import Evidence as Evidence
from allotment.evidence.rows import Row as Row  # pickles of 0.2.0 name them here
from allotment.evidence.rows import SituatedRow as SituatedRow
