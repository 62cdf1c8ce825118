"""Record sets and single varints: no layout describes their bytes; their deviations change values."""

from typing import Any, Final

from kafkawire.errors import CodecError
from kafkawire.primitives import VALUE, codec_of
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
from wireproof.proof.deviations.reading import DeviantReader
from wireproof.proof.deviations.record_sets.set_reading import RecordReader, read_record_set
from wireproof.proof.deviations.rules import EndingError, NamedField, Rules, struct_names
from wireproof.proof.deviations.value_changes import zero_of

_OF_SETS: Final = Decode | Encode | Size | Reencode | Copy
"""Requests about a record set that have a prediction."""
RECORD_SET: Final = record_set_spec().name
"""The layout of a record set; its data may be compressed."""
_VARINT: Final = "varint"
_BITS: Final = {"Varint": 32, "Varlong": 64}
"""The bits of signed varints."""


def is_record_set(layout: MessageLayout) -> bool:
    """Test if a layout is that of a record set: it describes values only."""
    return layout.name == RECORD_SET


def is_predictable(layout: MessageLayout, request: Request) -> bool:
    """Test if a model can predict the reply to a request about a message."""
    return isinstance(request, _OF_SETS) if is_record_set(layout) else not _has_encodings(layout.root)


def _has_encodings(struct: StructLayout) -> bool:
    return any(
        field.encoding is not None or (field.struct is not None and _has_encodings(field.struct))
        for field in struct.all_fields
    )


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


def read_single_varint(
    layout: MessageLayout, data: bytes, rules: Rules
) -> tuple[dict[str, Any], DeviantReader]:
    """Read a varint, a varlong or an unsigned varint outside of messages; return the reader, too.

    Raises:
        EndingError: the codec ends here.
    """
    place = NamedField.of(layout.root.fields[0], "")
    reader = RecordReader(data, 0, len(data), rules, kind=_VARINT, number=_VARINT)
    bits = _BITS.get(layout.name)
    number = reader.uvarint(VALUE) if bits is None else reader.varint(VALUE, bits)
    number = checked_number(rules, *place, number)
    return {VALUE: changed_value(rules, place, number)}, reader


def write_single_varint(layout: MessageLayout, value: dict[str, Any], rules: Rules) -> bytes:
    """Write a varint, a varlong or an unsigned varint outside of messages.

    Raises:
        EndingError: the codec ends here.
    """
    try:
        return codec_of(layout).encode(_changed(rules, layout.root, value, ""))
    except CodecError:
        raise EndingError from None


def record_set_reply(
    layout: MessageLayout, request: Request, reply: Reply, read: Rules, written: Rules
) -> Reply:
    """Predict a reply; it is the codec's own reply if that differs only in the compression.

    Raises:
        EndingError: the codec ends here.
        ValueError: the request has no prediction.
    """
    try:
        match request:
            case Encode(value):
                return _as_compressed(Encoded(_written(layout, value, written)), reply)
            case Size(value):
                return _as_compressed(Sized(len(_written(layout, value, written))), reply)
            case Decode(data):
                return Decoded(_read(layout, data, read))
            case Reencode(data) | Copy(data):
                value = _read(layout, data, read)
                return _as_compressed(Reencoded(_written(layout, value, written)), reply)
    except (CodecError, AttributeError, TypeError):  # the writer of record sets expects the right types
        read.at("refused", "", "")
        raise EndingError from None
    raise ValueError(f"no prediction for {type(request).__name__}")


def _read(layout: MessageLayout, data: bytes, rules: Rules) -> dict[str, Any]:
    try:
        records = read_record_set(data, rules)
    except EndingError as ending:
        if not ending.error:
            rules.at_refusal()
        raise
    return _changed(rules, layout.root, to_value(records), "")


def _written(layout: MessageLayout, value: dict[str, Any], rules: Rules) -> bytes:
    return write_whole(layout, _changed(rules, layout.root, value, ""))


def _as_compressed(made: Encoded | Reencoded | Sized, reply: Reply) -> Reply:
    """Return the codec's reply if it is right but compressed by another library; else the predicted one."""
    if type(reply) is not type(made) or made == reply:
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
