"""Pure judgement: (case, replies) -> divergences."""

from wireproof.checks.check_table import ROWS, Check, CheckRow, RequirementLevel, tasks_of
from wireproof.checks.claims.claim_coverage import Inventory, judge_repertoire, judge_tried, to_try
from wireproof.checks.claims.claimed_operations import judge_claims, judge_registry
from wireproof.checks.comparing.divergences import differing_bytes, value_difference
from wireproof.checks.derived_failures import considered, follows, leading
from wireproof.checks.difference_kinds import kind_of
from wireproof.checks.fault_attribution import Testimony, judge_blame
from wireproof.checks.known_defects.api_versions_fallback import (
    UNSUPPORTED_VERSION,
    VERSION_FALLBACK,
    has_fallback,
)
from wireproof.checks.known_defects.kafka_bugs import ERRATA, Area, Erratum, erratum_of
from wireproof.checks.known_defects.kafka_under_test import with_own_errata
from wireproof.checks.known_defects.leniencies import LAXITIES, Laxity, laxity_of
from wireproof.checks.malformed.fallback_answer import judge_fallback
from wireproof.checks.malformed.mutated_bytes import (
    Judged,
    MalformedSubject,
    Read,
    as_state_fault,
    judge_malformed,
    settled,
    slips_of,
)
from wireproof.checks.malformed.mutation_sites import cut_sites, sites_of
from wireproof.checks.mutation_operators import operator_of
from wireproof.checks.references.layout_shape import judge_header, judge_probes, judge_schema
from wireproof.checks.references.second_opinion import judge_equality, judge_second, side_taken
from wireproof.checks.state.call_scripts import (
    ScriptValue,
    Step,
    fresh_script,
    judge_neighbour,
    judge_step,
    many_script,
    state_script,
)
from wireproof.checks.state.processor_time import (
    TIMES_ELEMENTS,
    Cost,
    is_excessive,
    is_suspect,
    judge_growth,
    judge_unanswered,
)
from wireproof.checks.unsupported import left_out
from wireproof.checks.values.embedded_message import BlobEvidence, StrangeEvidence, judge_blob, judge_strange
from wireproof.checks.values.lossy_forms import meaning_of
from wireproof.checks.values.message_value import (
    ValueEvidence,
    agrees,
    field_at,
    judge_instance,
    judge_value,
)
from wireproof.checks.values.object_equality import judge_copy, judge_different, judge_same
from wireproof.checks.values.other_versions import (
    KeptEvidence,
    as_not_read,
    is_not_kept,
    judge_absent,
    judge_beyond,
    judge_bounds,
    judge_kept,
    judge_newer,
    judge_reserved,
)
from wireproof.checks.values.record_set import (
    RecordEvidence,
    checksum_script,
    is_plain,
    judge_content,
    judge_records,
    judge_view,
    record_script,
)
from wireproof.checks.values.refusal import judge_ended, judge_refusal
from wireproof.checks.values.strange_labels import StrangeBlob, strange_blobs
from wireproof.checks.values.whole_frame import (
    FrameEvidence,
    differing_frames,
    judge_cut_header,
    judge_frame,
    judge_frame_again,
)

__all__ = [
    "TIMES_ELEMENTS",
    "Cost",
    "is_excessive",
    "is_suspect",
    "judge_growth",
    "judge_unanswered",
    "ERRATA",
    "ROWS",
    "LAXITIES",
    "UNSUPPORTED_VERSION",
    "VERSION_FALLBACK",
    "has_fallback",
    "judge_fallback",
    "with_own_errata",
    "Area",
    "BlobEvidence",
    "Check",
    "CheckRow",
    "RequirementLevel",
    "Erratum",
    "FrameEvidence",
    "Inventory",
    "Judged",
    "MalformedSubject",
    "KeptEvidence",
    "Laxity",
    "Read",
    "RecordEvidence",
    "ScriptValue",
    "Step",
    "Testimony",
    "StrangeBlob",
    "StrangeEvidence",
    "ValueEvidence",
    "agrees",
    "as_not_read",
    "as_state_fault",
    "checksum_script",
    "considered",
    "differing_bytes",
    "differing_frames",
    "erratum_of",
    "cut_sites",
    "field_at",
    "follows",
    "is_not_kept",
    "is_plain",
    "judge_absent",
    "judge_blame",
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
    "laxity_of",
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
    "slips_of",
    "state_script",
    "strange_blobs",
    "value_difference",
]
