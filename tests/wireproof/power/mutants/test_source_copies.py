"""Patched copies of the codec's modules, and the codecs that are made of them."""

import pytest

from kafkawire.compiler import compile_layout, interpret_layout
from kafkawire.errors import DecodeError
from kafkawire.headers import FrameCodec
from kafkawire.wire import write_uvarint
from tests.support.schemas.kitchen_sink import layout, message
from wireproof.model.layout_parts import field_in, struct_in
from wireproof.power.mutants.codec_operator import Patch, PatchMismatchError, SourceCopy
from wireproof.power.mutants.generation import patched_codec

LATE = Patch("wire.varints", "    while value > 0x7F:", "    while value > 0x80:")

TWO_NAMES = message(
    '{"name": "One", "type": "string", "versions": "0+"},'
    '{"name": "Two", "type": "string", "versions": "0+"},'
    '{"name": "Inner", "type": "[]Pair", "versions": "0+", "fields": ['
    '  {"name": "One", "type": "string", "versions": "0+"}]}'
)


def test_a_patch_changes_only_the_copy() -> None:
    """The copy has the bug; the original and another copy do not."""
    assert SourceCopy([LATE]).module("wire").write_uvarint(128) == b"\x80"
    assert SourceCopy().module("wire").write_uvarint(128) == write_uvarint(128) == b"\x80\x01"


@pytest.mark.parametrize("version", [0, 1, 2])
@pytest.mark.parametrize(
    ("module", "name"), [("compiled", "CompiledCodec"), ("interpreted", "InterpretedCodec")]
)
def test_a_copy_without_patches_is_the_codec(version: int, module: str, name: str) -> None:
    """Bytes and refusals are the same, also of generated code, which imports from the copy too."""
    ours, copied = (
        compile_layout(layout(version)),
        getattr(SourceCopy().module(f"compiler.{module}"), name)(layout(version)),
    )
    body = ours.encode(
        {"snapshot": b"", "name": "n" * 200, "topics": [{"topic": "t", "partitions": [{"offset": 5}]}]}
    )

    assert copied.encode(ours.decode(body)) == body
    assert copied.size(ours.decode(body)) == len(body)
    assert copied.decode(body) == ours.decode(body)
    with pytest.raises(DecodeError) as error:
        copied.decode(body[:-1])
    assert error.value.fault


def test_generated_code_calls_the_copy() -> None:
    """The helpers that the compiled codec calls are the patched ones."""
    codec = SourceCopy([LATE]).module("compiler.compiled").CompiledCodec(TWO_NAMES)

    assert codec.encode({"one": "x" * 127}) != compile_layout(TWO_NAMES).encode({"one": "x" * 127})


def test_frames_of_a_copy() -> None:
    """A frame codec of a copy accepts codecs of the original."""
    frames = (
        SourceCopy().module("headers").FrameCodec(interpret_layout(TWO_NAMES), interpret_layout(TWO_NAMES))
    )
    ours = FrameCodec(interpret_layout(TWO_NAMES), interpret_layout(TWO_NAMES))

    assert frames.encode({}, {}) == ours.encode({}, {})


@pytest.mark.parametrize("old", ["no such line", "    return"])
def test_a_patch_that_does_not_match_is_refused(old: str) -> None:
    """A line that does not occur exactly once is an error: the operator must be updated."""
    with pytest.raises(PatchMismatchError, match="times"):
        SourceCopy([Patch("wire.varints", old, "pass")])


def test_a_patch_of_a_field_touches_one_field() -> None:
    """The patched field is wrong; the similar field in its struct, and the field of the same name elsewhere,
    are right."""
    field = field_in(TWO_NAMES, "one")
    assert field is not None
    codec = patched_codec(TWO_NAMES, field, [LATE])
    right = interpret_layout(TWO_NAMES)

    text = "x" * 127
    assert codec.encode({"one": text}) != right.encode({"one": text})
    for value in ({"two": text}, {"inner": [{"one": text}]}, {}):
        assert codec.encode(value) == right.encode(value)
        assert codec.size(value) == right.size(value)
        assert codec.decode(right.encode(value)) == right.decode(right.encode(value))


def test_a_patch_of_a_struct_touches_one_struct() -> None:
    """The tag section of the patched struct is wrong; that of the message around it is right."""
    patch = Patch("wire.tags", "for tag in sorted(fields):", "for tag in fields:")
    struct = struct_in(TWO_NAMES, "inner[]")
    assert struct is not None
    codec = patched_codec(TWO_NAMES, struct, [patch])
    right, tags = interpret_layout(TWO_NAMES), {9: b"", 8: b""}

    assert codec.encode({"_tags": tags}) == right.encode({"_tags": tags})
    inner = {"inner": [{"one": "", "_tags": tags}]}
    assert codec.encode(inner) != right.encode(inner)
