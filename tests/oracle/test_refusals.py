"""Refused input: a reply at its place in the batch, with the stage."""

import struct
from dataclasses import replace

import pytest

from kafkawire.canonical import canonical
from kafkawire.schema import AbsentField, MessageLayout, ScalarType
from tests.support.oracles.kafka_classes import RELEASES, accepted, kafka, refused

each_release = pytest.mark.parametrize("version", RELEASES)


def text(content: bytes) -> bytes:
    return struct.pack(">i", len(content)) + content


def tags(*unknown: tuple[int, bytes]) -> bytes:
    return struct.pack(">i", len(unknown)) + b"".join(
        struct.pack(">i", tag) + text(data) for tag, data in unknown
    )


NAMES = text(b"a") + text(b"b")


@each_release
@pytest.mark.parametrize(
    ("value", "stage", "error"),
    [
        (b"", "build", "BufferUnderflowException"),
        (NAMES, "build", "BufferUnderflowException"),
        (NAMES + tags() + b"\0", "build", "LayoutMismatchException"),
        (struct.pack(">i", 100) + b"a", "build", "IllegalArgumentException"),
        (struct.pack(">i", -1) + text(b"") + tags(), "size", "NullPointerException"),
        (text(b"x" * 32768) + text(b"") + tags(), "size", "RuntimeException"),
        (NAMES + tags((9, b""), (9, b"")), "write", "RuntimeException"),
        (NAMES + tags((2**31 - 1, b"")), "write", "RuntimeException"),
    ],
    ids=["nothing", "cut", "tail", "length", "null", "32768 bytes", "tags twice", "highest tag"],
)
def test_a_refused_value_has_a_stage(version: str, value: bytes, stage: str, error: str) -> None:
    """The stages are building an instance, sizing it and writing it."""
    release = kafka(version)
    reply = refused(release.oracle.write(*release.cell("ApiVersionsRequest", 3), [value])[0])
    assert (reply.stage, reply.error) == (stage, error)


@each_release
def test_exhausted_memory_is_a_refusal(version: str) -> None:
    """An input that needs more memory than there is, is refused like any other; the next input is
    answered."""
    release = kafka(version)
    none = struct.pack(">i", -1)
    first, second = release.oracle.write(
        *release.cell("MetadataRequest", 1), [struct.pack(">i", 2**31 - 1), none]
    )
    assert (refused(first).stage, refused(first).error) == ("build", "OutOfMemoryError")
    assert accepted(second).value == none


@each_release
def test_the_longest_string_and_the_highest_tag_are_accepted(version: str) -> None:
    """One below each of those limits is accepted."""
    release = kafka(version)
    value = text(b"x" * 32767) + text(b"") + tags((2**31 - 2, b"\1"))
    reply = accepted(release.oracle.write(*release.cell("ApiVersionsRequest", 3), [value])[0])
    assert reply.value == value
    assert reply.predicted_bytes == len(reply.written) == reply.consumed_bytes


@each_release
def test_unsorted_tags_are_read_and_not_written(version: str) -> None:
    """Java reads unknown tags in any order, and then cannot write them."""
    reply = refused(kafka(version).reread("ApiVersionsRequest", 3, "02 61 02 62 02 0a 00 09 00"))
    assert reply.stage == "write"
    assert reply.consumed_bytes == 9


@each_release
def test_replies_are_in_the_order_of_a_batch(version: str) -> None:
    """Each input has its reply at its place, also after refused inputs, over several batches."""
    release = kafka(version)
    cell, layout = release.cell("SaslAuthenticateRequest", 0)
    bodies = [struct.pack(">i", size) + bytes(size) for size in (0, 3 << 20, 7, 9 << 20, 1)]
    bodies.insert(2, b"\0\0\0\5abc")
    replies = release.oracle.reread(cell, layout, bodies)
    assert len(replies) == len(bodies)
    assert refused(replies.pop(2)).stage == "read"
    bodies.pop(2)
    assert [accepted(reply).written for reply in replies] == bodies


@each_release
def test_an_empty_batch_has_no_replies(version: str) -> None:
    """An empty batch has no replies."""
    release = kafka(version)
    assert release.oracle.reread(*release.cell("ApiVersionsRequest", 3), []) == []


@each_release
def test_an_absent_field_that_is_set_is_refused(version: str) -> None:
    """If a wrong layout moves a field out of the version, the error names it where Java sets it."""
    release = kafka(version)
    cell, layout = release.cell("ApiVersionsRequest", 3)
    wrong = _without(layout, "clientSoftwareVersion")
    reply = accepted(release.oracle.reread(cell, wrong, [bytes.fromhex("0261 0262 00")])[0])
    assert reply.absent_set == ("clientSoftwareVersion",)
    assert reply.value == canonical(wrong).to_binary({"clientSoftwareName": "a"})


@each_release
def test_an_absent_inner_field_has_a_path_with_indices(version: str) -> None:
    """The path of such a field has the index of each element."""
    release = kafka(version)
    cell, layout = release.cell("MetadataRequest", 12)
    (topics, *others) = layout.root.fields
    assert topics.struct is not None
    kept = tuple(field for field in topics.struct.fields if field.name != "name")
    root = replace(layout.root, fields=(replace(topics, struct=replace(topics.struct, fields=kept)), *others))
    body = "03" + "00" * 16 + "00 00" + "00" * 16 + "02 61 00" + "01 00 00"
    wrong = release.oracle.reread(cell, replace(layout, root=root), [bytes.fromhex(body)])[0]
    assert accepted(wrong).absent_set == ("topics[0].name", "topics[1].name")


@each_release
def test_a_layout_of_another_type_is_refused(version: str) -> None:
    """A layout whose type the class cannot hold is refused value by value, without a failure of the
    oracle."""
    release = kafka(version)
    cell, layout = release.cell("ApiVersionsRequest", 3)
    name, *others = layout.root.fields
    root = replace(layout.root, fields=(replace(name, type=ScalarType.INT32, default=0), *others))
    wrong = replace(layout, root=root)
    reply = refused(release.oracle.reread(cell, wrong, [bytes.fromhex("0261 0262 00")])[0])
    assert (reply.stage, reply.error) == ("value", "LayoutMismatchException")
    assert "clientSoftwareName" in reply.message
    assert refused(release.oracle.write(cell, wrong, [bytes(4) + text(b"")])[0]).stage == "build"
    right = accepted(release.oracle.reread(cell, layout, [bytes.fromhex("0261 0262 00")])[0])
    assert right.value == NAMES + tags(), "the right layout is bound again"


@each_release
def test_a_field_that_the_class_lacks_is_refused(version: str) -> None:
    """So is a layout with a field that the class does not have."""
    release = kafka(version)
    cell, layout = release.cell("ApiVersionsRequest", 3)
    name, *others = layout.root.fields
    root = replace(layout.root, fields=(replace(name, name="noSuchField"), *others))
    reply = refused(release.oracle.reread(cell, replace(layout, root=root), [bytes.fromhex("0161 01 00")])[0])
    assert reply.stage in ("read", "value")


@each_release
def test_a_number_that_the_class_cannot_hold_is_refused(version: str) -> None:
    """A number wider than the Java field is refused instead of cut."""
    release = kafka(version)
    cell, layout = release.cell("ApiVersionsResponse", 0)
    code, *others = layout.root.fields
    root = replace(layout.root, fields=(replace(code, type=ScalarType.INT32), *others))
    reply = refused(release.oracle.write(cell, replace(layout, root=root), [struct.pack(">ii", 32768, 0)])[0])
    assert (reply.stage, reply.error) == ("build", "ArithmeticException")


def _without(layout: MessageLayout, name: str) -> MessageLayout:
    """Return the layout with a string field moved to other versions."""
    field = next(field for field in layout.root.fields if field.name == name)
    kept = tuple(other for other in layout.root.fields if other.name != name)
    absent = AbsentField(name, field.type, None, field.default, True, None, field.versions)
    return replace(layout, root=replace(layout.root, fields=kept, absent=(*layout.root.absent, absent)))
