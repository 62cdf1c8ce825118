"""Messages whose values hold record sets in place of the bytes of their records fields.

A codec that reads the records with the message has no place for their bytes. Its values are compared by the
content of the record sets, like values of the message ``RecordBatch``: compressed bytes may differ.
"""

import copy
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from kafkawire.canonical import canonical
from kafkawire.compiler import fastest_codec
from kafkawire.errors import CodecError
from kafkawire.records import (
    Batch,
    Compression,
    Message,
    RecordSet,
    decode_records,
    encode_records,
    from_value,
    record_set_layout,
    record_set_spec,
    to_value,
)
from kafkawire.schema.layout import MessageLayout, StructLayout
from kafkawire.schema.model import ScalarType
from wireproof.model.adapter import (
    NO_VALUE,
    Copy,
    Crashed,
    Decode,
    Decoded,
    Encode,
    EncodeFrame,
    Equal,
    Reencode,
    Request,
    Size,
    Unsupported,
)
from wireproof.model.case_source import RecordLimit
from wireproof.proof.adapters.testee.protocol_values import RecordTree, sparse_json
from wireproof.proof.testees.description.hello import Hello

RECORD_SET: Final = record_set_spec().name
"""The name of record sets as a message; its version is the highest magic in the set."""

_PREFIX: Final = 12
"""Base offset (int64) and size (int32)."""
_MAGIC_AT: Final = 16


def parse_record_set(tree: Any) -> Decoded | Crashed:
    """Parse the record set in a testee's answer; return a crash if it is not one.

    The batches may be of any magic, whichever version was requested.
    """
    try:
        records = from_value(canonical(record_set_layout(2)).from_tree(tree))
    except CodecError as error:
        return Crashed(NO_VALUE, f"what it decoded is no record set: {error}")
    return Decoded(to_value(records))


def codecs_of_request(request: Request) -> frozenset[str]:
    """Return the compressions of the batches of a request, by name."""
    match request:
        case Encode(value) | Size(value):
            numbers = {int(batch.get("compression", 0)) for batch in value.get("batches", ())}
        case Decode(data) | Reencode(data):
            numbers = set(_codecs_of_bytes(data))
        case _:
            numbers = set()
    return frozenset(codec.name.lower() for codec in Compression if codec in numbers)


def _codecs_of_bytes(data: bytes) -> Iterator[int]:
    """Yield the compressions in the attributes of the batches."""
    start = 0
    while start + _MAGIC_AT < len(data):
        attributes = start + (_MAGIC_AT + 6 if data[start + _MAGIC_AT] == 2 else _MAGIC_AT + 1)
        size = int.from_bytes(data[start + 8 : start + _PREFIX], "big", signed=True)
        end = start + _PREFIX + size
        if size <= 0 or not attributes < end <= len(data):
            return
        yield data[attributes] & 7
        start = end


RECORD_BYTES: Final = "record-bytes"
"""The reason if the bytes of a records field are no record set that the codec claims."""

_LAYOUT: Final = record_set_layout(2)
"""The layout of sets of batches of any magic."""


class NoRecordSetError(Exception):
    """The bytes of a records field are no record set, or a set that the codec does not claim."""


def holds_records(layout: MessageLayout) -> bool:
    """Return whether a message has a records field."""
    return any(field.scalar is ScalarType.RECORDS for _, _, field in layout.walk())


@dataclass(frozen=True, slots=True)
class RecordValues:
    """Converts requests about a message, and the answers to them.

    The codec is asked for batches of the magics and the compressions that it claims for ``RecordBatch``, or
    of all magics if it does not claim that message.
    """

    layout: MessageLayout
    hello: Hello

    def asked(self, request: Request) -> Request | Unsupported:
        """Return the request with record sets in its values; `Unsupported` if it holds other bytes."""
        try:
            match request:
                case Encode(value, omitted):
                    return Encode(self._with_sets(value), omitted)
                case Size(value, omitted):
                    return Size(self._with_sets(value), omitted)
                case EncodeFrame(header, value):
                    return EncodeFrame(header, self._with_sets(value))
                case Equal(data, other):
                    self._check(data)
                    self._check(other)
                case Decode(data) | Reencode(data) | Copy(data):
                    self._check(data)
        except NoRecordSetError as error:
            return Unsupported(RECORD_BYTES, str(error))
        return request

    def with_bytes(self, tree: Any, data: bytes) -> Any:
        """Return the value of an answer with bytes in its records fields.

        They are the bytes of the decoded message, if these have the same content.

        Args:
            data: the message.

        Raises:
            CodecError: a records field of the answer holds no record set.
            NoRecordSetError: the message is malformed, and a set in the answer is empty: its bytes may be no
                record set.
        """
        tree, value = copy.deepcopy(tree), self._read(data)
        places = [*_places(self.layout.root, tree)]
        sets = [from_value(canonical(_LAYOUT).from_tree(holder[name])) for holder, name in places]
        if value is None and not all(records.batches for records in sets):
            raise NoRecordSetError("a malformed message may hold bytes that are no record set")
        originals = [*_contents(self.layout, value)]
        if len(originals) != len(places):
            originals = [b""] * len(places)
        for (holder, name), records, original in zip(places, sets, originals, strict=True):
            alike = _content(original) == to_value(records)
            holder[name] = (original if alike else encode_records(records)).hex()
        return tree

    def settled(self, written: bytes, value: Mapping[str, Any] | bytes) -> bytes:
        """Return the codec's bytes; each record set is replaced by the given one if both have equal content.

        Args:
            value: the value that was written, or the message that was read and written again.
        """
        given, own = self._read(value) if isinstance(value, bytes) else value, self._read(written)
        codec = fastest_codec(self.layout)
        if own is None or codec.encode(own) != written:
            return written
        places, originals = [*_places(self.layout.root, own)], [*_contents(self.layout, given)]
        if len(places) != len(originals):
            return written
        for (holder, name), original in zip(places, originals, strict=True):
            content = _content(holder[name])
            if content is not None and content == _content(original):
                holder[name] = original
        return codec.encode(own)

    def _with_sets(self, value: dict[str, Any]) -> dict[str, Any]:
        made = copy.deepcopy(value)
        for holder, name in _places(self.layout.root, made):
            text = sparse_json(_LAYOUT, to_value(self._set_of(holder[name])))
            holder[name] = RecordTree(json.loads(text))
        return made

    def _check(self, data: bytes) -> None:
        for held in _contents(self.layout, self._read(data)):
            self._set_of(held)

    def _set_of(self, data: Any) -> RecordSet:
        try:
            records = decode_records(data)
        except (CodecError, TypeError) as error:
            raise NoRecordSetError(f"a records field holds bytes that are no record set: {error}") from error
        if not all(map(self._takes, records.batches)):
            raise NoRecordSetError("a records field holds batches that the codec does not claim")
        if records.tail and RecordLimit.TAIL in self.hello.record_limits:
            raise NoRecordSetError("a records field ends with a batch that is cut off")
        return records

    def _takes(self, batch: Batch) -> bool:
        compression = Compression.NONE if isinstance(batch, Message) else batch.compression
        claims = self.hello.claims
        claimed = RECORD_SET not in claims.versions or claims.any_of(RECORD_SET, batch.magic)
        return claimed and compression in self.hello.codecs(batch.magic)

    def _read(self, data: bytes) -> dict[str, Any] | None:
        """Return the value of a message; None if it is malformed."""
        try:
            value: dict[str, Any] = fastest_codec(self.layout).decode(data)
        except CodecError:
            return None
        return value


def _contents(layout: MessageLayout, value: Mapping[str, Any] | None) -> Iterator[Any]:
    return (holder[name] for holder, name in _places(layout.root, value))


def _places(struct: StructLayout, value: Any) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield each records field of a value that is not null: its struct and its name."""
    for field in struct.all_fields if isinstance(value, Mapping) else ():
        held = value.get(field.name)
        if held is None:
            continue
        if field.struct is not None:
            for each in held if field.is_array and isinstance(held, list) else [held]:
                yield from _places(field.struct, each)
        elif field.scalar is ScalarType.RECORDS:
            yield value, field.name


def _content(data: Any) -> dict[str, Any] | None:
    """Return the content of a record set; None for other bytes."""
    try:
        return to_value(decode_records(data))
    except (CodecError, TypeError):
        return None
