"""Pure judgement: (case, replies) -> divergences."""

from wireproof.checks.catalogue import Check
from wireproof.checks.errata import ERRATA, Erratum, erratum_of
from wireproof.checks.frame import FrameEvidence, judge_frame
from wireproof.checks.laxities import LAXITIES, Laxity, laxity_of
from wireproof.checks.malformed import Judged, judge_malformed
from wireproof.checks.records import (
    RecordsEvidence,
    judge_cut,
    judge_foreign,
    judge_records,
    judge_same_records,
)
from wireproof.checks.shape import judge_header, judge_probes, judge_schema
from wireproof.checks.state import Step, judge_step, state_script
from wireproof.checks.value import ValueEvidence, agrees, judge_instance, judge_refusal, judge_value

__all__ = [
    "ERRATA",
    "LAXITIES",
    "Check",
    "Erratum",
    "FrameEvidence",
    "Judged",
    "Laxity",
    "RecordsEvidence",
    "Step",
    "ValueEvidence",
    "agrees",
    "erratum_of",
    "judge_cut",
    "judge_foreign",
    "judge_frame",
    "judge_header",
    "judge_instance",
    "judge_malformed",
    "judge_probes",
    "judge_records",
    "judge_refusal",
    "judge_same_records",
    "judge_schema",
    "judge_step",
    "judge_value",
    "laxity_of",
    "state_script",
]
