"""Pure judgement: (case, replies) -> divergences."""

from wireproof.checks.catalogue import Check
from wireproof.checks.errata import ERRATA, Area, Erratum, erratum_of
from wireproof.checks.evolution import (
    KeptEvidence,
    judge_absent,
    judge_bounds,
    judge_kept,
    judge_newer,
    judge_reserved,
)
from wireproof.checks.frame import FrameEvidence, judge_frame
from wireproof.checks.opinions import judge_equality, judge_second, side_taken
from wireproof.checks.records import (
    RecordsEvidence,
    judge_cut,
    judge_foreign,
    judge_records,
    judge_same_records,
)
from wireproof.checks.shape import judge_header, judge_probes, judge_schema
from wireproof.checks.state import Step, judge_step, state_script
from wireproof.checks.value import ValueEvidence, judge_instance, judge_refusal, judge_value

__all__ = [
    "ERRATA",
    "Area",
    "Check",
    "Erratum",
    "FrameEvidence",
    "KeptEvidence",
    "RecordsEvidence",
    "Step",
    "ValueEvidence",
    "erratum_of",
    "judge_absent",
    "judge_bounds",
    "judge_cut",
    "judge_equality",
    "judge_foreign",
    "judge_frame",
    "judge_header",
    "judge_instance",
    "judge_kept",
    "judge_newer",
    "judge_probes",
    "judge_records",
    "judge_refusal",
    "judge_reserved",
    "judge_same_records",
    "judge_schema",
    "judge_second",
    "judge_step",
    "judge_value",
    "side_taken",
    "state_script",
]
