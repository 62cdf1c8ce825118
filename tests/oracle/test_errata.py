"""Each erratum is true on the jar it names, and gone where it was fixed: one that is not has to go."""

from typing import Any

import pytest

from kafka_classes import kafka
from kafkawire.compiler import interpret_layout
from kafkawire.schema import MessageKind, MessageLayout
from wireproof.checks import ERRATA, erratum_of
from wireproof.model import OracleValue, Refusal

MESSAGE = "ConsumerGroupMemberMetadataValue"
SIZES = [126, 127, 128, 16382, 16383, 16384]


def value_with(layout: MessageLayout, struct_bytes: int) -> dict[str, Any]:
    """A value whose tagged nullable struct takes so many bytes, its marker not counted."""
    (field,) = [field for field in layout.root.tagged if field.nullable and field.struct is not None]
    assert field.struct is not None
    codec = interpret_layout(MessageLayout(field.name, MessageKind.DATA, None, 0, field.struct))
    for length in range(struct_bytes - 16, struct_bytes):
        inner = {"supportedProtocols": [{"name": "", "metadata": bytes(length)}]}
        if codec.size(inner) == struct_bytes:
            return {field.name: inner}
    raise AssertionError(struct_bytes)


def test_every_entry_has_its_test() -> None:
    """The errata are those that this file reproduces."""
    assert [erratum.witness for erratum in ERRATA] == ["KAFKA-18199"]


@pytest.mark.parametrize("struct_bytes", SIZES)
def test_kafka_18199(struct_bytes: int) -> None:
    """3.8.1 cannot write a tagged nullable struct whose size prefix grows with the marker byte."""
    release = kafka("3.8.1")
    _, layout = release.cell(MESSAGE, 0)
    value = value_with(layout, struct_bytes)
    reply = release.write(MESSAGE, 0, value)
    if struct_bytes in (127, 16383):
        assert isinstance(reply, Refusal)
        found = erratum_of("3.8.1", layout, value, reply)
        assert found is not None
        assert found.witness == "KAFKA-18199"
    else:
        assert isinstance(reply, OracleValue)
        assert reply.written == interpret_layout(layout).encode(value)


@pytest.mark.parametrize("struct_bytes", SIZES)
def test_kafka_18199_is_fixed(struct_bytes: int) -> None:
    """3.9.2 writes each of them, with the bytes of our codec."""
    release = kafka("3.9.2")
    _, layout = release.cell(MESSAGE, 0)
    value = value_with(layout, struct_bytes)
    reply = release.write(MESSAGE, 0, value)
    assert isinstance(reply, OracleValue)
    assert reply.written == interpret_layout(layout).encode(value)


def test_an_erratum_excuses_only_what_it_names() -> None:
    """Another release, exception, stage or value is not excused."""
    _, layout = kafka("3.8.1").cell(MESSAGE, 0)
    struck, other = value_with(layout, 127), value_with(layout, 126)
    refusal = Refusal("write", "BufferOverflowException", "", 0)
    assert erratum_of("3.8.1", layout, struck, refusal) is not None
    assert erratum_of("3.9.0", layout, struck, refusal) is not None
    assert erratum_of("3.9.1", layout, struck, refusal) is None
    assert erratum_of("3.8.1", layout, other, refusal) is None
    assert erratum_of("3.8.1", layout, struck, Refusal("size", "BufferOverflowException", "", 0)) is None
    assert erratum_of("3.8.1", layout, struck, Refusal("write", "NullPointerException", "", 0)) is None
