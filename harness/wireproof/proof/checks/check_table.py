"""The table of checks: one row for each check. Reports, the ledger and the documentation read it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, Self

from wireproof.model.adapter import Unsupported
from wireproof.model.agreement import CodecTask
from wireproof.model.cell import FramePart, Phase
from wireproof.model.divergence import Divergence, without_indices


class RequirementLevel(StrEnum):
    """The level of a requirement, as RFC 2119 defines it. A failure of either level is a divergence."""

    MUST = "MUST"
    """A codec that breaks it reads or writes other bytes than Kafka, or fails on Kafka's."""
    SHOULD = "SHOULD"
    """A codec that breaks it agrees with Kafka on the bytes, and is unsafe, slow or surprising to use."""


_WRITES: Final = frozenset({CodecTask.ENCODE})
_READS: Final = frozenset({CodecTask.DECODE})
_BOTH: Final = _WRITES | _READS
_WRONG: Final = frozenset({CodecTask.MALFORMED})

_SHAPE: Final = (Phase.SHAPE,)
_ENUMERATED: Final = (Phase.ENUMERATED,)
_EVOLUTION: Final = (Phase.EVOLUTION,)
_VALUES: Final = (
    Phase.ENUMERATED, Phase.ORACLE, Phase.RECORDS, Phase.EMBEDDED, Phase.RANDOM, Phase.BULK,
)  # fmt: skip
"""The phases that make values."""

_SHOULD: Final = RequirementLevel.SHOULD

_README: Final = "Kafka: clients/src/main/resources/common/message/README.md"
_MESSAGE: Final = "org.apache.kafka.common.protocol.Message"
_ACCESSOR: Final = "org.apache.kafka.common.protocol.ByteBufferAccessor"
_SCHEMAS: Final = "SCHEMAS of Kafka's generated classes"
_GENERATED: Final = "Kafka's generated classes"


@dataclass(frozen=True, slots=True)
class CheckRow:
    """One row of the table of checks.

    Attributes:
        name: stable; event files, ledgers and scripts hold it.
        verifies: what holds where the check passes, one sentence.
        reference: the KIP, the Kafka class or the document that requires it.
        phases: the phases that make the check.
        tasks: the tasks of a codec that the check judges.
        operations: the operations of a testee whose missing answers the check reports.
        derived_from: a failure of one of these checks in the same case brings about a failure of this one.
        body_checks: the checks that show the same difference in the body of the frame that this one judges.
        is_measured: whether the check measures, and may miss in one run what another run finds.
        is_circumstance: whether the check is about calls or objects, and as a rule not about a field. A cause
            found by it may span messages.
    """

    name: str
    verifies: str
    reference: str
    phases: tuple[Phase, ...] = _VALUES
    tasks: frozenset[CodecTask] = _BOTH
    level: RequirementLevel = RequirementLevel.MUST
    operations: tuple[str, ...] = ()
    derived_from: tuple[str, ...] = ()
    body_checks: tuple[str, ...] = ()
    is_measured: bool = False
    is_circumstance: bool = False


class Check(StrEnum):
    """The name of a check, with its row. Reports list findings in the order of the members."""

    row: CheckRow

    def __new__(cls, row: CheckRow) -> Self:
        member = str.__new__(cls, row.name)
        member._value_ = row.name
        member.row = row
        return member

    # The layout against Kafka's class, before any case.
    SCHEMA = CheckRow(
        "schema",
        "The layout has the fields, order, types and tags of the class's own SCHEMAS",
        _SCHEMAS,
        _SHAPE,
    )
    NULLABLE = CheckRow(
        "nullable", "The class accepts null exactly where the layout says nullable",
        f"nullableVersions in {_README}", _SHAPE,
    )  # fmt: skip
    PRESENCE = CheckRow(
        "presence", "The class writes, drops or refuses a field as the layout says",
        f"versions and ignorable in {_README}", _SHAPE,
    )  # fmt: skip
    DEFAULT = CheckRow(
        "default",
        "A fresh instance of the class holds the layout's defaults",
        f"default in {_README}",
        _SHAPE,
    )
    HEADER = CheckRow(
        "header", "The header version is the one that Kafka's ApiMessageType names",
        "org.apache.kafka.common.message.ApiMessageType; KIP-482", (Phase.SHAPE, Phase.FRAME),
    )  # fmt: skip
    CENSUS = CheckRow(
        "census", "Each field has the classes of values that the release's JSON calls for", _README, _SHAPE
    )
    # A value.
    ENCODE = CheckRow(
        "encode",
        "The codec encodes a valid value",
        f"{_MESSAGE}#write",
        tasks=_WRITES,
        operations=("encode",),
    )
    BYTES = CheckRow(
        "bytes",
        "The codec's bytes are Kafka's for the same value",
        f"{_MESSAGE}#write; KIP-482",
        tasks=_WRITES,
    )
    SIZE = CheckRow(
        "size", "The size announced is the length of the bytes", f"{_MESSAGE}#addSize", tasks=_WRITES,
        operations=("size",),
    )  # fmt: skip
    ROUND_TRIP = CheckRow(
        "round-trip", "Decoding one's own bytes gives the value again", f"{_MESSAGE}#read", tasks=_READS,
        operations=("decode",), derived_from=("bytes",),
    )  # fmt: skip
    ORACLE_READS = CheckRow(
        "oracle-reads", "Kafka reads the codec's bytes, all of them, to the same value", f"{_MESSAGE}#read",
        tasks=_WRITES, derived_from=("bytes", "label"),
    )  # fmt: skip
    DECODE = CheckRow(
        "decode", "The codec reads Kafka's bytes to Kafka's value", f"{_MESSAGE}#read",
        (*_VALUES, Phase.FRAME, Phase.EVOLUTION), _READS, operations=("decode", "reencode", "unframe"),
    )  # fmt: skip
    FRAMING = CheckRow(
        "framing", "Compressed records begin with the framing that Kafka writes",
        "org.apache.kafka.common.compress; KAFKA-3160",
        (Phase.ENUMERATED, Phase.RECORDS, Phase.RANDOM), _WRITES,
    )  # fmt: skip
    CANONICAL = CheckRow("canonical", "The value has a canonical form", "kafkawire.canonical")
    REFUSAL = CheckRow(
        "refusal", "The codec refuses a value that the version cannot hold", f"{_MESSAGE}#write", _ENUMERATED,
        _WRITES,
    )  # fmt: skip
    # The state of a codec.
    CUT = CheckRow(
        "cut", "The codec refuses bytes that are cut short anywhere", _ACCESSOR,
        (Phase.ENUMERATED, Phase.FRAME), _WRONG, is_circumstance=True,
    )  # fmt: skip
    TAIL = CheckRow(
        "tail", "The codec refuses bytes with a tail, or reports where it stopped",
        "docs/reference/testee-protocol.md: `consumed`", _ENUMERATED, _WRONG, _SHOULD, is_circumstance=True,
    )  # fmt: skip
    BUFFER = CheckRow(
        "buffer", "A value decoded within a larger buffer does not depend on that buffer", _ACCESSOR,
        _ENUMERATED, _READS, is_circumstance=True,
    )  # fmt: skip
    REPEAT = CheckRow(
        "repeat", "Encoding twice gives the same bytes", f"{_MESSAGE}#write", _ENUMERATED, _WRITES,
        is_circumstance=True,
    )  # fmt: skip
    RECOVER = CheckRow(
        "recover", "A refused input leaves no state", f"{_MESSAGE}#read",
        (Phase.ENUMERATED, Phase.FRAME), _WRONG, is_circumstance=True,
    )  # fmt: skip
    INTERLEAVE = CheckRow(
        "interleave", "Another version in between changes nothing", f"{_MESSAGE}#read",
        (Phase.ENUMERATED, Phase.EVOLUTION), is_circumstance=True,
    )  # fmt: skip
    FRESH = CheckRow(
        "fresh", "The first request about a message in a process is answered as any other", f"{_MESSAGE}#read"
    )
    THREADS = CheckRow(
        "threads", "Two threads at once change nothing", "docs/reference/testee-protocol.md", _ENUMERATED,
        level=_SHOULD, is_circumstance=True,
    )  # fmt: skip
    GROWTH = CheckRow(
        "growth", "Processor time grows no faster than the number of elements", "CWE-407", _ENUMERATED,
        level=_SHOULD, is_measured=True, is_circumstance=True,
    )  # fmt: skip
    # A codec's own objects.
    EQUAL = CheckRow(
        "equal", "Objects of the codec are equal, with equal hashes, exactly where their values are equal",
        f"equals and hashCode of {_GENERATED}", _ENUMERATED, level=_SHOULD, operations=("equal",),
        is_circumstance=True,
    )  # fmt: skip
    COPY = CheckRow(
        "copy", "The codec writes a duplicate of its object as it writes the object", f"{_MESSAGE}#duplicate",
        _ENUMERATED, level=_SHOULD, operations=("copy",), is_circumstance=True,
    )  # fmt: skip
    # Versions and releases.
    ABSENT = CheckRow(
        "absent", "The codec drops or refuses a field that the version lacks, as `ignorable` says",
        f"ignorable in {_README}", _EVOLUTION, _WRITES,
    )  # fmt: skip
    TAGS_KEPT = CheckRow(
        "tags-kept", "Tagged fields that a release does not know come back from it as they were", "KIP-482",
        _EVOLUTION, _READS,
    )  # fmt: skip
    TAG_VERSION = CheckRow(
        "tag-version", "The codec refuses a tag that means a field in other versions only",
        f"KIP-482; read of {_GENERATED}", _EVOLUTION, _WRONG,
    )  # fmt: skip
    VERSIONS = CheckRow(
        "versions", "The codec refuses a version that the message does not have",
        "org.apache.kafka.common.requests.AbstractRequest#parseRequest; KIP-35", _EVOLUTION,
    )  # fmt: skip
    # The oracle itself.
    SECOND = CheckRow(
        "second-opinion", "Kafka's SCHEMAS read and write what its class does", _SCHEMAS, (Phase.ORACLE,)
    )
    EQUALITY = CheckRow(
        "equality", "Kafka's instances are equal exactly where all their fields are equal",
        f"equals and hashCode of {_GENERATED}", (Phase.ORACLE,),
    )  # fmt: skip
    # Record sets.
    CHECKSUM = CheckRow(
        "checksum", "The codec refuses bytes that do not fit their checksum",
        "org.apache.kafka.common.record.RecordBatch#ensureValid; KIP-98", _ENUMERATED, _WRONG,
    )  # fmt: skip
    CUT_OFF = CheckRow(
        "cut-off", "The codec reports a last batch that is cut off, and reads those before it",
        "org.apache.kafka.common.record.ByteBufferLogInputStream#nextBatch", _ENUMERATED, _WRONG,
    )  # fmt: skip
    # Messages in other data.
    LABEL = CheckRow(
        "label", "The version and the type beside an embedded message are those of its body",
        "MetadataRecordSerde, CoordinatorRecordSerde, ConsumerProtocol", (Phase.EMBEDDED,),
    )  # fmt: skip
    TOLERANCE = CheckRow(
        "tolerance", "The codec reads or refuses an embedded message with a strange label as Kafka does",
        "MetadataRecordSerde, CoordinatorRecordSerde, ConsumerProtocol", (Phase.EMBEDDED,), _WRONG,
    )  # fmt: skip
    # A whole frame.
    FRAME_BYTES = CheckRow(
        "frame-bytes", "Size, header and body are Kafka's",
        "org.apache.kafka.common.requests.RequestHeader, ResponseHeader; KIP-482", (Phase.FRAME,), _WRITES,
        operations=("frame",), derived_from=("encode",), body_checks=("bytes",),
    )  # fmt: skip
    FRAME_DECODE = CheckRow(
        "frame-decode", "The codec reads Kafka's frame to the same header and body",
        "org.apache.kafka.common.requests.RequestHeader#parse, ResponseHeader#parse", (Phase.FRAME,), _READS,
        operations=("unframe",), body_checks=("decode", "round-trip"),
    )  # fmt: skip
    FEED = CheckRow(
        "feed", "The codec reads a frame from a stream alike in any parts, and not before its last byte",
        "org.apache.kafka.common.network.NetworkReceive#readFrom", (Phase.FRAME,), _READS,
        operations=("feed",),
    )  # fmt: skip
    # Statements of a codec about itself.
    REGISTRY = CheckRow(
        "registry", "The codec's own registry has Kafka's api keys and header versions",
        "org.apache.kafka.common.protocol.ApiKeys", _SHAPE,
    )  # fmt: skip
    CLAIM = CheckRow(
        "claim", "The codec does what it claims to do with a cell right in one case at least",
        "docs/reference/testee-protocol.md: claims", _ENUMERATED,
    )  # fmt: skip
    # Malformed bytes.
    MALFORMED = CheckRow(
        "malformed", "The codec refuses malformed bytes, or reads them to Kafka's value, within bounds",
        f"{_MESSAGE}#read; {_ACCESSOR}", (Phase.MUTATIONS,), _WRONG,
    )  # fmt: skip
    # A corpus.
    ENTRY = CheckRow(
        "entry", "An entry of a corpus is as Kafka's classes say", "corpus/FORMAT.md", (Phase.CORPUS,)
    )


ROWS: Final[Mapping[str, CheckRow]] = {check: check.row for check in Check}
"""The rows by their names."""

_READING_OPERATIONS: Final = frozenset({"decode", "reencode", "unframe", "feed"})


def tasks_of(check: str, path: str = "") -> frozenset[CodecTask]:
    """Return the tasks of a codec that a divergence is about.

    Args:
        check: the name of its check. A name that the table lacks is about encoding and decoding.
        path: the path of the divergence; the path of a claim names the operation.
    """
    if check == Check.CLAIM:
        return _READS if path in _READING_OPERATIONS else _WRITES
    row = ROWS.get(check)
    return _BOTH if row is None else row.tasks


def left_out(check: Check, subject: str, reply: Unsupported) -> tuple[Divergence, ...]:
    """Report that a case was left out by the limit that the codec names; report nothing if there is no
    limit.
    """
    if not reply.reason:
        return ()
    summary = "the codec's types cannot hold the value"
    return (Divergence(check, subject, summary, codec=reply.message, unsupported=reply.reason),)


def follows(divergence: Divergence, first: Divergence) -> bool:
    """Return whether a divergence follows from another one of the same case."""
    if divergence.subject != first.subject:
        return False
    row = ROWS.get(divergence.check)
    if row is None:
        return False
    if first.check in row.body_checks and divergence.unanswered == first.unanswered:
        of_body = divergence.part != FramePart.HEADER
        return divergence.unanswered or (of_body and _is_within(divergence.path, first.path))
    return first.check in row.derived_from


def _is_within(one: str, other: str) -> bool:
    """Return whether two paths are equal, or one of them is inside the other."""
    short, long = sorted((without_indices(one), without_indices(other)), key=len)
    return not short or long == short or long.startswith((f"{short}.", f"{short}["))


def leading(divergences: Sequence[Divergence]) -> list[Divergence]:
    """Return the divergences of a case that follow from no other divergence."""
    return [each for each in divergences if not any(follows(each, first) for first in divergences)]


def considered(
    divergences: Sequence[Divergence], aside: Collection[tuple[str, ...]] = ()
) -> tuple[Divergence, ...]:
    """Return the first difference of each comparison, and each one that follows only excused differences.

    A difference after one that nothing excuses may well be its consequence.

    Args:
        aside: causes after which judging goes on although nothing excuses them.
    """
    kept: list[Divergence] = []
    goes_on = True
    for each in divergences:
        goes_on = goes_on or not each.rank
        if goes_on:
            kept.append(_after(each, kept[-1]) if each.rank and kept else each)
            goes_on = each.excused or each.cause in aside
    return tuple(kept)


def hidden(divergences: Sequence[Divergence], aside: Collection[tuple[str, ...]] = ()) -> list[Divergence]:
    """Return the differences that `considered` drops, and that it would give if those before were excused."""
    shown = {each.cause for each in considered(divergences, aside)}
    left = [each for each in leading(divergences) if each.cause not in shown]
    return [each for each in left if not (each.excused or each.unsupported)]


def _after(divergence: Divergence, before: Divergence) -> Divergence:
    """Add to a divergence the reason why the one before it was set aside."""
    if divergence.excused or divergence.near:
        return divergence
    known = before.entry or before.erratum
    words = f"{known} explains only what comes before it" if known else f"after {before.check} {before.path}"
    return replace(divergence, near=words.rstrip() if known else f"{words.rstrip()}, which every case shows")
