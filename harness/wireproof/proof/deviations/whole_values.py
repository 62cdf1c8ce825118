"""Record sets and single varints: no layout describes their bytes; their deviations change values."""

from typing import Any, Final

from kafkawire.errors import CodecError
from kafkawire.primitives import codec_of, is_varint
from kafkawire.records import decode_records, encode_records, from_value, record_set_spec, to_value
from kafkawire.schema.layout import MessageLayout, StructLayout
from wireproof.model.adapter import (
    Copy,
    Decode,
    Decoded,
    Encode,
    Encoded,
    Reencode,
    Reencoded,
    Reply,
    Request,
    Size,
    Sized,
)
from wireproof.proof.deviations.field_values import (
    changed_value,
    checked_number,
    checked_text,
    rearranged_elements,
)
from wireproof.proof.deviations.record_reading import read_record_set
from wireproof.proof.deviations.rules import EndingError, NamedField, Rules, struct_names
from wireproof.proof.deviations.value_changes import zero_of

WHOLE_REQUESTS: Final = Decode | Encode | Size | Reencode | Copy
"""Requests about such a value that have a prediction."""
RECORD_SET: Final = record_set_spec().name
"""The layout of a record set; its data may be compressed."""


def is_whole(layout: MessageLayout) -> bool:
    """Test if a layout describes values only."""
    return layout.name == RECORD_SET or is_varint(layout.name)


def read_whole(layout: MessageLayout, data: bytes) -> dict[str, Any]:
    """Read a value of any layout.

    Raises:
        DecodeError: the reference refuses the bytes.
    """
    return to_value(decode_records(data)) if layout.name == RECORD_SET else codec_of(layout).decode(data)


def write_whole(layout: MessageLayout, value: dict[str, Any]) -> bytes:
    """Write a value of any layout.

    Raises:
        EncodeError: the reference refuses the value.
    """
    return encode_records(from_value(value)) if layout.name == RECORD_SET else codec_of(layout).encode(value)


def whole_reply(layout: MessageLayout, request: Request, reply: Reply, read: Rules, written: Rules) -> Reply:
    """Predict a reply; it is the codec's own reply if that differs only in the compression.

    Raises:
        EndingError: the codec ends here.
        ValueError: the request has no prediction.
    """
    try:
        match request:
            case Encode(value):
                return _as_compressed(layout, Encoded(_written(layout, value, written)), reply)
            case Size(value):
                return _as_compressed(layout, Sized(len(_written(layout, value, written))), reply)
            case Decode(data):
                return Decoded(_read(layout, data, read))
            case Reencode(data) | Copy(data):
                value = _read(layout, data, read)
                return _as_compressed(layout, Reencoded(_written(layout, value, written)), reply)
    except (CodecError, AttributeError, TypeError):  # the writer of record sets expects the right types
        read.at("refused", "", "")
        raise EndingError from None
    raise ValueError(f"no prediction for {type(request).__name__}")


def _read(layout: MessageLayout, data: bytes, rules: Rules) -> dict[str, Any]:
    if layout.name != RECORD_SET:
        return _changed(rules, layout.root, codec_of(layout).decode(data), "")
    try:
        records = read_record_set(data, rules)
    except EndingError as ending:
        if not ending.error:
            rules.at_refusal()
        raise
    return _changed(rules, layout.root, to_value(records), "")


def _written(layout: MessageLayout, value: dict[str, Any], rules: Rules) -> bytes:
    return write_whole(layout, _changed(rules, layout.root, value, ""))


def _as_compressed(layout: MessageLayout, made: Encoded | Reencoded | Sized, reply: Reply) -> Reply:
    """Return the codec's reply if it is right but compressed by another library; else the predicted one."""
    if layout.name != RECORD_SET or type(reply) is not type(made) or made == reply:
        return made
    if isinstance(reply, Sized):
        return reply  # the size depends on the compression library
    assert isinstance(made, Encoded | Reencoded)
    assert isinstance(reply, Encoded | Reencoded)
    try:
        alike = decode_records(made.data) == decode_records(reply.data)
    except CodecError:
        return made
    return reply if alike else made


def _changed(rules: Rules, struct: StructLayout, value: dict[str, Any], prefix: str) -> dict[str, Any]:
    named = struct_names(struct, prefix)
    places = {each.field.name: each for each in named.fields + named.tagged}
    return {
        name: _of_field(rules, places[name], item) if name in places else item for name, item in value.items()
    }


def _of_field(rules: Rules, place: NamedField, value: Any) -> Any:
    field, kind, path = place
    if value is None:
        value = zero_of(field) if rules.at("null", kind, path) == "empty" else None
    elif isinstance(value, list) and field.struct is not None:
        value = [_changed(rules, field.struct, item, f"{path}[].") for item in value]
        value = rearranged_elements(rules, field, path, value)
    elif isinstance(value, str):
        value = checked_text(rules, kind, path, value)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        value = checked_number(rules, field, kind, path, value)
    if value in ("", b"", []) and rules.at("empty", kind, path) == "null":
        value = None
    return changed_value(rules, place, value)
