"""Pure judgement: (case, replies) -> divergences."""

from wireproof.proof.checks.check_table import ROWS, Check, CheckRow, RequirementLevel, tasks_of
from wireproof.proof.checks.claims.claim_coverage import ClaimInventory, judge_repertoire, judge_tried, to_try
from wireproof.proof.checks.claims.claim_judgement import judge_claims, judge_registry
from wireproof.proof.checks.comparing.byte_windows import annotate_frame, first_difference, named_bytes
from wireproof.proof.checks.comparing.divergences import differing_bytes, value_difference
from wireproof.proof.checks.derived_failures import considered, follows, hidden, leading
from wireproof.proof.checks.difference_kinds import DEATH, kind_of
from wireproof.proof.checks.evidence_text import field_at
from wireproof.proof.checks.fault_attribution import OF_RELEASE, FaultEvidence, judge_fault
from wireproof.proof.checks.known_defects.api_versions_fallback import (
    UNSUPPORTED_VERSION,
    VERSION_FALLBACK,
    has_fallback,
)
from wireproof.proof.checks.known_defects.kafka_bug import BugArea, KafkaBug
from wireproof.proof.checks.known_defects.kafka_bugs import KAFKA_BUGS, refusal_bug
from wireproof.proof.checks.known_defects.kafka_under_test import explain_own_bugs
from wireproof.proof.checks.known_defects.leniencies import LENIENCIES, Leniency, record_set_leniency
from wireproof.proof.checks.malformed.fallback_answer import judge_fallback
from wireproof.proof.checks.malformed.mutated_bytes import (
    JudgedMutation,
    MalformedSubject,
    OracleReading,
    as_state_fault,
    judge_malformed,
    leniencies_used,
    settled,
)
from wireproof.proof.checks.malformed.mutation_sites import cut_sites, sites_of
from wireproof.proof.checks.mutation_operators import operator_of
from wireproof.proof.checks.references.layout_shape import judge_header, judge_probes, judge_schema
from wireproof.proof.checks.references.second_opinion import judge_equality, judge_second, side_taken
from wireproof.proof.checks.state.call_scripts import (
    ScriptStep,
    ScriptValue,
    fresh_script,
    judge_neighbour,
    judge_step,
    many_script,
    state_script,
)
from wireproof.proof.checks.state.processor_time import (
    TIMES_ELEMENTS,
    ProcessorCost,
    is_excessive,
    is_suspect,
    judge_growth,
    judge_unanswered,
)
from wireproof.proof.checks.state.record_scripts import checksum_script, record_script
from wireproof.proof.checks.unsupported import left_out
from wireproof.proof.checks.values.embedded_message import (
    BlobEvidence,
    ClassBlob,
    StrangeLabelEvidence,
    judge_blob,
    judge_strange,
)
from wireproof.proof.checks.values.fed_frame import judge_feed
from wireproof.proof.checks.values.foreign_tags import (
    KeptEvidence,
    as_not_read,
    is_not_kept,
    judge_kept,
    judge_newer,
)
from wireproof.proof.checks.values.lossy_forms import meaning_of
from wireproof.proof.checks.values.message_value import judge_instance, judge_value
from wireproof.proof.checks.values.object_equality import judge_copy, judge_different, judge_same
from wireproof.proof.checks.values.other_versions import (
    judge_absent,
    judge_beyond,
    judge_bounds,
    judge_reserved,
)
from wireproof.proof.checks.values.record_set import (
    RecordEvidence,
    is_plain,
    judge_content,
    judge_records,
    judge_view,
)
from wireproof.proof.checks.values.refusal import judge_ended, judge_refusal
from wireproof.proof.checks.values.strange_labels import StrangeBlob, strange_blobs
from wireproof.proof.checks.values.value_evidence import ValueEvidence, agrees
from wireproof.proof.checks.values.whole_frame import (
    FrameEvidence,
    differing_frames,
    judge_cut_header,
    judge_frame,
    judge_frame_again,
)

__all__ = [
    "DEATH",
    "OF_RELEASE",
    "TIMES_ELEMENTS",
    "ProcessorCost",
    "is_excessive",
    "is_suspect",
    "judge_growth",
    "judge_unanswered",
    "KAFKA_BUGS",
    "ROWS",
    "LENIENCIES",
    "UNSUPPORTED_VERSION",
    "VERSION_FALLBACK",
    "has_fallback",
    "judge_fallback",
    "explain_own_bugs",
    "BugArea",
    "BlobEvidence",
    "ClassBlob",
    "Check",
    "CheckRow",
    "RequirementLevel",
    "KafkaBug",
    "FrameEvidence",
    "ClaimInventory",
    "JudgedMutation",
    "MalformedSubject",
    "KeptEvidence",
    "Leniency",
    "OracleReading",
    "RecordEvidence",
    "ScriptValue",
    "ScriptStep",
    "FaultEvidence",
    "StrangeBlob",
    "StrangeLabelEvidence",
    "ValueEvidence",
    "agrees",
    "as_not_read",
    "as_state_fault",
    "checksum_script",
    "considered",
    "differing_bytes",
    "annotate_frame",
    "first_difference",
    "named_bytes",
    "differing_frames",
    "refusal_bug",
    "cut_sites",
    "field_at",
    "follows",
    "is_not_kept",
    "is_plain",
    "judge_absent",
    "judge_fault",
    "judge_feed",
    "judge_claims",
    "judge_copy",
    "judge_cut_header",
    "judge_different",
    "judge_same",
    "judge_registry",
    "fresh_script",
    "judge_repertoire",
    "judge_tried",
    "to_try",
    "judge_blob",
    "judge_beyond",
    "judge_bounds",
    "judge_content",
    "judge_ended",
    "judge_equality",
    "judge_frame",
    "judge_frame_again",
    "judge_header",
    "judge_instance",
    "judge_kept",
    "judge_malformed",
    "judge_newer",
    "judge_neighbour",
    "judge_probes",
    "judge_records",
    "judge_refusal",
    "judge_reserved",
    "judge_schema",
    "judge_second",
    "judge_step",
    "judge_strange",
    "judge_value",
    "judge_view",
    "kind_of",
    "record_set_leniency",
    "hidden",
    "leading",
    "left_out",
    "many_script",
    "meaning_of",
    "operator_of",
    "tasks_of",
    "record_script",
    "settled",
    "side_taken",
    "sites_of",
    "leniencies_used",
    "state_script",
    "strange_blobs",
    "value_difference",
]
