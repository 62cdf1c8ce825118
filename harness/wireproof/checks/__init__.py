"""Pure judgement: (case, replies) -> divergences."""

from wireproof.checks.blame import Testimony, judge_blame
from wireproof.checks.catalogue import Check
from wireproof.checks.claims import judge_claims, judge_registry
from wireproof.checks.consequences import considered, follows, leading
from wireproof.checks.differing import differing_bytes, value_difference
from wireproof.checks.directions import questions_of
from wireproof.checks.embedded import BlobEvidence, StrangeEvidence, judge_blob, judge_strange
from wireproof.checks.equality import judge_copy, judge_different, judge_same
from wireproof.checks.errata import ERRATA, Area, Erratum, erratum_of
from wireproof.checks.evolution import (
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
from wireproof.checks.fallback_reading import judge_fallback
from wireproof.checks.frame import (
    FrameEvidence,
    differing_frames,
    judge_cut_header,
    judge_frame,
    judge_frame_again,
)
from wireproof.checks.growth import (
    TIMES_ELEMENTS,
    Cost,
    is_excessive,
    is_suspect,
    judge_growth,
    judge_unanswered,
)
from wireproof.checks.kinds import kind_of
from wireproof.checks.labels import StrangeBlob, strange_blobs
from wireproof.checks.laxities import LAXITIES, Laxity, laxity_of
from wireproof.checks.malformed import (
    Judged,
    MalformedSubject,
    Read,
    as_state_fault,
    judge_malformed,
    settled,
    slips_of,
)
from wireproof.checks.meanings import meaning_of
from wireproof.checks.operators import operator_of
from wireproof.checks.opinions import judge_equality, judge_second, side_taken
from wireproof.checks.own_errata import with_own_errata
from wireproof.checks.records import (
    RecordEvidence,
    checksum_script,
    is_plain,
    judge_content,
    judge_records,
    judge_view,
    record_script,
)
from wireproof.checks.refusal import judge_ended, judge_refusal
from wireproof.checks.repertoire import Inventory, judge_repertoire, judge_tried, to_try
from wireproof.checks.shape import judge_header, judge_probes, judge_schema
from wireproof.checks.sites import cut_sites, sites_of
from wireproof.checks.state import (
    ScriptValue,
    Step,
    fresh_script,
    judge_neighbour,
    judge_step,
    many_script,
    state_script,
)
from wireproof.checks.unsupported import left_out
from wireproof.checks.value import (
    ValueEvidence,
    agrees,
    field_at,
    judge_instance,
    judge_value,
)
from wireproof.checks.version_fallback import UNSUPPORTED_VERSION, VERSION_FALLBACK, has_fallback

__all__ = [
    "TIMES_ELEMENTS",
    "Cost",
    "is_excessive",
    "is_suspect",
    "judge_growth",
    "judge_unanswered",
    "ERRATA",
    "LAXITIES",
    "UNSUPPORTED_VERSION",
    "VERSION_FALLBACK",
    "has_fallback",
    "judge_fallback",
    "with_own_errata",
    "Area",
    "BlobEvidence",
    "Check",
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
    "questions_of",
    "record_script",
    "settled",
    "side_taken",
    "sites_of",
    "slips_of",
    "state_script",
    "strange_blobs",
    "value_difference",
]
