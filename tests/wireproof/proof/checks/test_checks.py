"""Every check finds the fault that it is meant for, and nothing else."""

from collections.abc import Callable, Iterable
from dataclasses import replace

import pytest

from kafkawire.canonical import canonical
from kafkawire.compiler import interpret_layout
from kafkawire.headers import FrameCodec
from kafkawire.schema.layout import EMPTY
from tests.support.environments import small_environment
from wireproof.model.adapter import Crashed, Decode, Decoded, DecodedFrame, Encode, Encoded, Refused, Sized
from wireproof.model.divergence import Divergence
from wireproof.model.oracle import FieldProbe, OracleFrame, OracleValue, Refusal, SchemaField
from wireproof.proof.checks.check_table import Check
from wireproof.proof.checks.references.layout_shape import (
    default_binary,
    judge_header,
    judge_probes,
    judge_schema,
)
from wireproof.proof.checks.state.call_scripts import ScriptStep, judge_step, state_script
from wireproof.proof.checks.values.message_value import ValueEvidence, agrees, judge_instance, judge_value
from wireproof.proof.checks.values.other_versions import judge_refusal
from wireproof.proof.checks.values.whole_frame import FrameEvidence, judge_frame
from wireproof.proof.run.core.environment import Layouts

LAYOUTS = Layouts({small_environment.RELEASE: small_environment.schemas()})
LAYOUT = LAYOUTS.of(small_environment.cell("PingRequest", 3))
HEADER = LAYOUTS.of(small_environment.cell("RequestHeader", 2))
VALUE = {"name": "n", "count": 5, "hops": [1, 2], "note": "x", "_tags": {9: b"u"}}
CODEC = interpret_layout(LAYOUT)
DATA = CODEC.encode(VALUE)
BINARY = canonical(LAYOUT).to_binary(VALUE)
KAFKA = OracleValue(DATA, len(DATA), len(DATA), BINARY)
OTHER = {**VALUE, "count": 6}
OTHER_DATA = CODEC.encode(OTHER)
OTHER_BINARY = canonical(LAYOUT).to_binary(OTHER)
REFUSED = Refused("truncated", "truncated: count at byte 2", "count", 2)

GOOD = ValueEvidence(LAYOUT, "codec", BINARY, Encoded(DATA), Sized(len(DATA)), Decoded(VALUE), KAFKA, KAFKA)


def only(divergences: Iterable[Divergence]) -> Divergence:
    (divergence,) = divergences
    return divergence


def agreed(e: ValueEvidence) -> bool:
    return agrees(e.layout, e.expected, e.encoded, e.sized, e.decoded, e.reread, e.written)


def test_a_right_codec_has_no_divergence():
    """Where all sides agree, no divergence is reported, and the quick comparison is enough."""
    assert tuple(judge_value(GOOD)) == ()
    assert agreed(GOOD)


@pytest.mark.parametrize(
    ("evidence", "check", "path", "offset"),
    [
        (replace(GOOD, encoded=REFUSED, decoded=None, reread=None), Check.ENCODE, "count", None),
        (replace(GOOD, encoded=Crashed("KeyError", "x"), decoded=None, reread=None), Check.ENCODE, "", None),
        (replace(GOOD, written=Refusal("write", "NullPointerException", "", 0)), Check.ENCODE, "", None),
        (replace(GOOD, written=replace(KAFKA, written=OTHER_DATA)), Check.BYTES, "count", 5),
        (replace(GOOD, sized=Sized(3)), Check.SIZE, "", None),
        (replace(GOOD, sized=Crashed("KeyError", "x")), Check.SIZE, "", None),
        (replace(GOOD, decoded=Decoded(OTHER)), Check.DECODE, "count", None),
        (replace(GOOD, decoded=Decoded({"count": "no number"})), Check.DECODE, "count", None),
        (replace(GOOD, decoded=REFUSED), Check.DECODE, "count", 2),
        (replace(GOOD, decoded=Decoded({**VALUE, "hops": [1, 3]})), Check.DECODE, "hops[1]", None),
        (replace(GOOD, decoded=Decoded({**VALUE, "_tags": {}})), Check.DECODE, "_tags", None),
        (
            replace(GOOD, reread=Refusal("read", "BufferUnderflowException", "", 2)),
            Check.ORACLE_READS,
            "count",
            2,
        ),
        (replace(GOOD, reread=replace(KAFKA, value=OTHER_BINARY)), Check.ORACLE_READS, "count", None),
        (replace(GOOD, reread=replace(KAFKA, consumed_bytes=3)), Check.ORACLE_READS, "", None),
        (replace(GOOD, reread=replace(KAFKA, written=OTHER_DATA)), Check.ORACLE_READS, "count", 5),
        (replace(GOOD, reread=replace(KAFKA, predicted_bytes=3)), Check.ORACLE_READS, "", None),
        (replace(GOOD, reread=replace(KAFKA, absent_set=("old",))), Check.ORACLE_READS, "", None),
        (replace(GOOD, written=replace(KAFKA, value=OTHER_BINARY)), Check.CANONICAL, "count", None),
        (replace(GOOD, decoded_oracle=Decoded(OTHER)), Check.DECODE, "count", None),
        (replace(GOOD, decoded_oracle=REFUSED), Check.DECODE, "count", 2),
    ],
)
def test_each_difference_of_a_value_is_reported_at_its_field(evidence, check, path, offset):
    """One side differs in one way: there is one divergence, of that check, at that field and byte."""
    divergence = only(judge_value(evidence))

    assert (divergence.check, divergence.path, divergence.offset) == (check, path, offset)
    # Kafka's bytes are decoded apart only where they are not the codec's own.
    assert agreed(evidence) == (evidence.decoded_oracle is not None)


def test_an_instance_of_kafka_is_read_and_written_alike():
    """For an instance made by the oracle, both the codec's value and its bytes are judged."""
    assert judge_instance(LAYOUT, "codec", KAFKA, Decoded(VALUE), Encoded(DATA)) == ()
    assert only(judge_instance(LAYOUT, "codec", KAFKA, Decoded(OTHER), Encoded(DATA))).check == Check.DECODE
    assert (
        only(judge_instance(LAYOUT, "codec", KAFKA, Decoded(VALUE), Encoded(OTHER_DATA))).check == Check.BYTES
    )
    assert only(judge_instance(LAYOUT, "codec", KAFKA, REFUSED, None)).check == Check.DECODE
    assert only(judge_instance(LAYOUT, "codec", Refusal("write", "X", "", 0), None, None)).subject == "oracle"


def test_only_an_orderly_refusal_refuses():
    """Bytes for a value that the version cannot hold are a divergence, and so is a crash."""
    assert judge_refusal("codec", "name", REFUSED) == ()
    assert only(judge_refusal("codec", "name", Encoded(DATA))).check == Check.REFUSAL
    assert only(judge_refusal("codec", "name", Crashed("KeyError", "x"))).check == Check.REFUSAL


STEPS = list(state_script(VALUE, BINARY, DATA))


def test_the_script_cuts_at_every_byte():
    """Each proper prefix is asked once, and a good input follows the refused ones."""
    cuts = [
        step.request.data for step in STEPS if step.check is Check.CUT and isinstance(step.request, Decode)
    ]

    assert cuts == [DATA[:length] for length in range(len(DATA))]
    assert [step.check for step in STEPS[len(DATA) :]] == [
        Check.RECOVER, Check.TAIL, Check.RECOVER, Check.BUFFER, Check.REPEAT, Check.REPEAT,
    ]  # fmt: skip


@pytest.mark.parametrize(
    "step", STEPS[-7:] + [replace(STEPS[-4], check=check) for check in (Check.INTERLEAVE, Check.THREADS)]
)
def test_each_step_of_the_script_can_fail(step: ScriptStep):
    """The expected reply passes. Another value, other bytes, a refusal of good input and a crash fail."""
    wanted = (
        REFUSED
        if step.wants is None
        else Encoded(DATA)
        if isinstance(step.request, Encode)
        else Decoded(VALUE)
    )

    assert judge_step(LAYOUT, "codec", step, wanted) is None
    for wrong in (
        Decoded(OTHER),
        Encoded(OTHER_DATA),
        REFUSED,
        Crashed("KeyError", "x"),
        Decoded({"count": "x"}),
    ):
        divergence = judge_step(LAYOUT, "codec", step, wrong)
        assert (divergence is None) == (wrong == wanted)
        assert divergence is None or divergence.check is step.check


HEADER_VALUE = {"requestApiKey": 1, "requestApiVersion": 3, "correlationId": 7, "clientId": None}
FRAME = FrameCodec(interpret_layout(HEADER), CODEC).encode(HEADER_VALUE, VALUE)
OTHER_HEADER = {**HEADER_VALUE, "clientId": ""}
HEADER_BINARY = canonical(HEADER).to_binary(HEADER_VALUE)
REFRAMED = OracleFrame(2, FRAME, HEADER_BINARY, BINARY, len(FRAME))
GOOD_FRAME = FrameEvidence(
    LAYOUT,
    HEADER,
    "codec",
    HEADER_BINARY,
    BINARY,
    Encoded(FRAME),
    DecodedFrame(HEADER_VALUE, VALUE),
    REFRAMED,
)


@pytest.mark.parametrize(
    ("evidence", "check"),
    [
        (replace(GOOD_FRAME, encoded=REFUSED, decoded=None, reframed=None), Check.FRAME_BYTES),
        (replace(GOOD_FRAME, reframed=Refusal("read", "BufferUnderflowException", "", 4)), Check.FRAME_BYTES),
        (replace(GOOD_FRAME, reframed=replace(REFRAMED, header_version=1)), Check.HEADER),
        (replace(GOOD_FRAME, reframed=replace(REFRAMED, body=OTHER_BINARY)), Check.FRAME_BYTES),
        (replace(GOOD_FRAME, reframed=replace(REFRAMED, written=FRAME[:-1])), Check.FRAME_BYTES),
        (replace(GOOD_FRAME, reframed=replace(REFRAMED, consumed_bytes=9)), Check.FRAME_BYTES),
        (replace(GOOD_FRAME, decoded=REFUSED), Check.FRAME_DECODE),
        (replace(GOOD_FRAME, decoded=DecodedFrame(HEADER_VALUE, OTHER)), Check.FRAME_DECODE),
        (replace(GOOD_FRAME, decoded=DecodedFrame(OTHER_HEADER, VALUE)), Check.FRAME_DECODE),
    ],
)  # fmt: skip
def test_each_difference_of_a_frame_is_reported(evidence, check):
    """A frame that differs in one part has one divergence; an equal frame has none."""
    assert tuple(judge_frame(GOOD_FRAME)) == ()
    assert only(judge_frame(evidence)).check == check


SCHEMA = (
    SchemaField("name", "COMPACT_NULLABLE_STRING"),
    SchemaField("count", "INT32"),
    SchemaField("hops", "COMPACT_ARRAY", "INT16"),
    SchemaField("note", "COMPACT_STRING", tag=0),
)


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        (SCHEMA[1:], "name"),
        (SCHEMA[:-1], "note"),
        ((*SCHEMA, SchemaField("more", "INT8")), "more"),
        ((SCHEMA[1], SCHEMA[0], *SCHEMA[2:]), "name"),
        ((SCHEMA[0], replace(SCHEMA[1], type="INT64"), *SCHEMA[2:]), "count"),
        ((replace(SCHEMA[0], type="COMPACT_STRING"), *SCHEMA[1:]), "name"),
        ((*SCHEMA[:3], replace(SCHEMA[3], tag=1)), "note"),
        ((*SCHEMA[:2], replace(SCHEMA[2], element="INT32"), SCHEMA[3]), "hops"),
    ],
)
def test_the_layout_is_compared_with_the_schema_of_the_class(fields, path):
    """Each difference in names, order, types, nullability and tags names its field."""
    assert list(judge_schema(LAYOUT, SCHEMA)) == []
    assert [(each.check, each.path) for each in judge_schema(LAYOUT, fields)] == [(Check.SCHEMA, path)]


PROBES = {
    field.name: FieldProbe(
        field.name,
        "primitive" if field.name == "count" else "accepted" if field.nullable else "refused",
        "written",
        default_binary(field),
        "String",
    )
    for field in LAYOUT.root.all_fields
}


@pytest.mark.parametrize(
    ("change", "check", "path"),
    [
        (lambda probes: probes.pop("count"), Check.PRESENCE, "count"),
        (
            lambda probes: probes.update(old=FieldProbe("old", "refused", "refused", b"", "int")),
            Check.PRESENCE,
            "old",
        ),
        (lambda probes: probes.update(name=replace(probes["name"], null="refused")), Check.NULLABLE, "name"),
        (lambda probes: probes.update(note=replace(probes["note"], null="accepted")), Check.NULLABLE, "note"),
        (lambda probes: probes.update(note=replace(probes["note"], other="dropped")), Check.PRESENCE, "note"),
        (
            lambda probes: probes.update(count=replace(probes["count"], default=bytes(4))),
            Check.DEFAULT,
            "count",
        ),
    ],
)
def test_the_layout_is_compared_with_the_behaviour_of_the_class(
    change: Callable[[dict[str, FieldProbe]], object], check, path
):
    """Each difference in presence, null and default names its field."""
    probes = dict(PROBES)
    assert list(judge_probes(LAYOUT, list(probes.values()))) == []
    change(probes)
    assert [(each.check, each.path) for each in judge_probes(LAYOUT, list(probes.values()))] == [
        (check, path)
    ]


def test_a_field_outside_its_versions_is_compared_with_the_class():
    """The class drops an ignorable field and refuses any other."""
    first = LAYOUTS.of(small_environment.cell("PingRequest", 0))
    probes = [
        FieldProbe(
            field.name,
            "primitive" if field.name == "count" else "refused",
            "written",
            default_binary(field),
            "",
        )
        for field in first.root.all_fields
    ]
    absent = [
        FieldProbe("hops", "accepted", "dropped", b"", "List"),
        FieldProbe("note", "refused", "refused", b"", "String"),
    ]

    assert list(judge_probes(first, [*probes, *absent])) == []
    swapped = [replace(absent[0], other="refused"), replace(absent[1], other="dropped")]
    assert [each.path for each in judge_probes(first, [*probes, *swapped])] == ["hops", "note"]


def test_the_header_version_is_compared_with_the_class():
    """A header version that differs from the class's is a divergence."""
    assert list(judge_header(LAYOUT, 2)) == []
    assert [each.check for each in judge_header(LAYOUT, 1)] == [Check.HEADER]


def test_the_default_of_an_array_and_of_a_struct_is_empty():
    """The second writer of defaults handles arrays and structs."""
    hops = next(field for field in LAYOUT.root.fields if field.name == "hops")

    assert hops.default is EMPTY
    assert default_binary(hops) == bytes(4)
    assert default_binary(replace(hops, default=None)) == b"\xff" * 4
