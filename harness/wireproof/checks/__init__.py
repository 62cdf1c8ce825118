"""Pure judgement: (case, replies) -> divergences."""

from wireproof.checks.catalogue import Check
from wireproof.checks.errata import ERRATA, Erratum, erratum_of
from wireproof.checks.frame import FrameEvidence, judge_frame
from wireproof.checks.laxities import LAXITIES, Laxity, laxity_of
from wireproof.checks.malformed import Judged, MalformedSubject, judge_malformed
from wireproof.checks.records import (
    RecordEvidence,
    is_plain,
    judge_content,
    judge_records,
    judge_view,
    record_script,
)
from wireproof.checks.shape import judge_header, judge_probes, judge_schema
from wireproof.checks.state import Step, judge_step, state_script
from wireproof.checks.value import ValueEvidence, judge_instance, judge_refusal, judge_value

__all__ = [
    "ERRATA",
    "LAXITIES",
    "Check",
    "Erratum",
    "FrameEvidence",
    "Judged",
    "MalformedSubject",
    "Laxity",
    "RecordEvidence",
    "Step",
    "ValueEvidence",
    "erratum_of",
    "is_plain",
    "judge_content",
    "judge_frame",
    "judge_header",
    "judge_instance",
    "judge_malformed",
    "judge_probes",
    "judge_records",
    "judge_refusal",
    "judge_schema",
    "judge_step",
    "judge_value",
    "judge_view",
    "laxity_of",
    "record_script",
    "state_script",
]
