"""Deviations of codecs that can be executed: what a codec does otherwise than Kafka, and how it answers then.

A *deviation* is a trigger (a string whose length is -1, a tagged field that is not known, ...) with an action
in place of Kafka's, and a scope. A *model* is the reference codec with a set of deviations: it predicts the
answer to a request. `search` finds deviations that predict what a codec answered, and tells a known deviation
from any other answer.
"""

from wireproof.proof.deviations.deviation import Deviation
from wireproof.proof.deviations.scopes import parse_narrow, parse_scope, scope_text
from wireproof.proof.deviations.search.cell_diagnosis import (
    CellCause,
    CellDiagnosis,
    KnownCause,
    diagnosis_of,
)
from wireproof.proof.deviations.search.observing import AnswerObserver
from wireproof.proof.deviations.search.side_observers import SideObservers

__all__ = [
    "AnswerObserver",
    "SideObservers",
    "CellCause",
    "CellDiagnosis",
    "KnownCause",
    "Deviation",
    "diagnosis_of",
    "parse_narrow",
    "parse_scope",
    "scope_text",
]
