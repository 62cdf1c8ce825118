"""A testee of two parts, our codec and an adapter with the Python kit, with a bug planted in one of them.

Run as a program: ``python planted_sides.py BUG``. A bug of the codec changes the codec's bytes and objects; a
bug of the adapter changes the canonical values alone. `CODEC_BUGS` and `ADAPTER_BUGS` list them.
"""

import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[3]))

import wireproof_testee as kit

from kafkawire.canonical import canonical
from kafkawire.compiler import compile_layout
from kafkawire.errors import CodecError, DecodeError
from kafkawire.schema import resolve, with_absent_fields
from kafkawire.values import TAGS
from kafkawire.wire import write_uvarint
from tests.support.testees.own_testee import RecordSetCodec, schemas_of, specs

MESSAGE: Final = "MetadataRequest"
RECORD_SET: Final = "RecordBatch"
NAME: Final = "allowAutoTopicCreation"
OTHER: Final = "includeTopicAuthorizedOperations"

Value = dict[str, Any]
Change = Callable[[Value], Value]


def same(value: Value) -> Value:
    return value


class Bug(NamedTuple):
    """The changes of a value on its way: both parts make them where they name none.

    Attributes:
        reading, writing: in the codec, of its object; in the adapter, of canonical JSON.
        read, write: of the codec alone, in place of the codec's own.
    """

    reading: Change = same
    writing: Change = same
    read: Callable[[Any, bytes], tuple[Any, int]] | None = None
    write: Callable[[Any, Any], bytes] | None = None


def exchanged(value: Value) -> Value:
    if NAME not in value and OTHER not in value:
        return value
    there = {**value}
    one, two = there.pop(NAME, True), there.pop(OTHER, False)
    return {**there, NAME: two, OTHER: one}


def inverted(value: Value) -> Value:
    return {**value, OTHER: not value[OTHER]} if OTHER in value else value


def emptied(value: Value) -> Value:
    return {**value, "topics": []} if value.get("topics", ()) is None else value


def without(*names: str) -> Change:
    return lambda value: {name: each for name, each in value.items() if name not in names}


def defaulted(value: Value) -> Value:
    return {NAME: False, **value}


def renamed(one: str, other: str) -> Change:
    return lambda value: {other if name == one else name: each for name, each in value.items()}


def of_topics(change: Change) -> Change:
    def changed(value: Value) -> Value:
        topics = value.get("topics")
        return {**value, "topics": [change(each) for each in topics]} if topics else value

    return changed


def longer(topic: Value) -> Value:
    return {**topic, "name": f"{topic['name']}x"} if topic.get("name") else topic


def shorter(topic: Value) -> Value:
    return {**topic, "name": topic["name"].removesuffix("x")} if topic.get("name") else topic


def backwards(topic: Value) -> Value:
    ours = topic.get("topicId")
    if isinstance(ours, str):
        return {**topic, "topicId": f"{ours[24:32]}-{ours[9:23]}-{ours[32:]}{ours[:8]}"}
    return topic if ours is None else {**topic, "topicId": type(ours)(bytes=ours.bytes[::-1])}


def as_words(value: Value) -> Value:
    return {name: str(each) if type(each) is bool else each for name, each in value.items()}


def as_object(value: Value) -> Value:
    return {**value, OTHER: object()} if OTHER in value else value


def failing(value: Value) -> Value:
    return value if value.get("topics") is None else {**value, "topics": value["topic"]}


def unsorted_tags(codec: Any, value: Value) -> bytes:
    tags = value.get(TAGS, {})
    if list(tags) == sorted(tags):
        return bytes(codec.encode(value))
    out = bytearray(codec.encode({**value, TAGS: {}})[:-1])
    out += write_uvarint(len(tags))
    for tag, data in tags.items():
        out += write_uvarint(tag) + write_uvarint(len(data)) + data
    return bytes(out)


def read_without_section(codec: Any, data: bytes) -> tuple[Any, int]:
    value, consumed = codec.decode_from(data + b"\0", 0)
    return value, min(consumed - 1, len(data))


def read_instead(codec: Any, data: bytes, *, fault: str, value: Value) -> tuple[Any, int]:
    """Read a value in place of a refusal for this fault."""
    try:
        return codec.decode_from(data, 0)
    except DecodeError as error:
        if error.fault != fault:
            raise
        return value, len(data)


read_null = partial(read_instead, fault="null-not-allowed", value={"topics": [{"name": None}]})
"""Null is None in each field, whether it may be there or not."""


class Kept(NamedTuple):
    """An object that writes the bytes that it was read from."""

    value: Value
    data: bytes


def read_kept(codec: Any, data: bytes) -> tuple[Any, int]:
    value, consumed = codec.decode_from(data, 0)
    return Kept(exchanged(value), data), consumed


def write_kept(codec: Any, thing: Any) -> bytes:
    return thing.data if isinstance(thing, Kept) else bytes(codec.encode(thing))


def no_compression(value: Value) -> Value:
    return {**value, "batches": [{**each, "compression": 0} for each in value.get("batches", ())]}


read_any_compression = partial(read_instead, fault="invalid-codec", value={"batches": []})
"""A batch of a compression that does not exist is read as one without."""


def fails_always(codec: Any, data: bytes) -> tuple[Any, int]:
    raise IndexError(f"no byte {len(data)}")


CODEC_BUGS: Final = {
    "exchanged-both-ways": Bug(exchanged, exchanged),
    "exchanged-when-written": Bug(writing=exchanged),
    "exchanged-when-read": Bug(reading=exchanged),
    "null-written-empty": Bug(writing=emptied),
    "null-read-empty": Bug(reading=emptied),
    "inverted-both-ways": Bug(inverted, inverted),
    "uuid-backwards-both-ways": Bug(of_topics(backwards), of_topics(backwards)),
    "uuid-backwards-when-written": Bug(writing=of_topics(backwards)),
    "default-of-its-own": Bug(writing=defaulted),
    "tags-lost": Bug(without(TAGS), without(TAGS)),
    "tags-unsorted": Bug(write=unsorted_tags),
    "tag-section-left-out": Bug(
        read=read_without_section, write=lambda codec, value: bytes(codec.encode(value)[:-1])
    ),
    "null-accepted": Bug(read=read_null),
    "raises-when-read": Bug(read=fails_always),
    "raises-when-written": Bug(writing=failing),
    "keeps-its-bytes": Bug(read=read_kept, write=write_kept),
}
CODEC_BUGS_OF_SETS: Final = {
    "compression-taken-for-none": Bug(reading=no_compression, read=read_any_compression),
    "compression-lost": Bug(writing=no_compression),
}
ADAPTER_BUGS: Final = {
    "adapter-appends-x": Bug(reading=of_topics(longer)),
    "adapter-appends-x-and-takes-it": Bug(of_topics(longer), of_topics(shorter)),
    "adapter-appends-x-when-written": Bug(writing=of_topics(longer)),
    "adapter-empties-both-ways": Bug(without("topics"), without("topics")),
    "adapter-renames": Bug(renamed(NAME, "allowCreation"), renamed("allowCreation", NAME)),
    "adapter-drops-when-read": Bug(reading=without(NAME)),
    "adapter-drops-when-written": Bug(writing=without(NAME)),
    "adapter-exchanges-both-ways": Bug(exchanged, exchanged),
    "adapter-exchanges-when-read": Bug(reading=exchanged),
    "adapter-exchanges-when-written": Bug(writing=exchanged),
    "adapter-gives-words": Bug(reading=as_words),
    "adapter-gives-objects": Bug(reading=as_object),
    "adapter-null-written-empty": Bug(writing=emptied),
    "adapter-null-read-empty": Bug(reading=emptied),
    "adapter-inverts-both-ways": Bug(inverted, inverted),
    "adapter-default": Bug(writing=defaulted),
    "adapter-fails": Bug(reading=failing),
    "adapter-fails-when-written": Bug(writing=failing),
    "adapter-uuid-backwards": Bug(of_topics(backwards), of_topics(backwards)),
}
EVERY: Final = {**CODEC_BUGS, **CODEC_BUGS_OF_SETS, **ADAPTER_BUGS, "none": Bug()}


class Port(kit.Message):
    """Our codec, and the adapter of its values."""

    def __init__(self, message: str, version: int, name: str) -> None:
        layout = RecordSetCodec.layout if message == RECORD_SET else resolve(SPECS[message], version)
        self.codec: Any = RecordSetCodec() if message == RECORD_SET else compile_layout(layout)
        self.form, self.wide = canonical(layout), canonical(with_absent_fields(layout))
        self.codec_bug = Bug() if name in ADAPTER_BUGS else EVERY[name]
        self.adapter_bug = ADAPTER_BUGS.get(name, Bug())

    def read(self, data: bytes) -> tuple[Any, int]:
        read = self.codec_bug.read or (lambda codec, given: codec.decode_from(given, 0))
        value, consumed = read(self.codec, data)
        return value if isinstance(value, Kept) else self.codec_bug.reading(value), consumed

    def write(self, thing: Any) -> bytes:
        if isinstance(thing, Kept):
            return thing.data
        changed = self.codec_bug.writing(thing)
        write = self.codec_bug.write or (lambda codec, value: bytes(codec.encode(value)))
        return write(self.codec, changed)

    def to_value(self, thing: Any) -> Value:
        value = thing.value if isinstance(thing, Kept) else thing
        try:
            tree = json.loads(self.form.to_json(value))
        except CodecError:
            tree = {"topics": [{"name": None}]}  # the codec's object holds null where none may be
        return self.adapter_bug.reading(tree)

    def from_value(self, value: Value) -> Any:
        given = self.adapter_bug.writing(value)
        whole = self.wide.from_tree(given)
        thing = {name: whole[name] for name in given if name in whole}
        if TAGS in thing:
            thing[TAGS] = {int(tag): whole[TAGS][int(tag)] for tag in given[TAGS]}
        return thing


SPECS: Final = specs(schemas_of("4.4.0"))


def testee(name: str) -> kit.Testee:
    operations = "decode encode reencode"
    versions = range(SPECS[MESSAGE].valid_versions.highest + 1)
    return kit.Testee(
        name="planted",
        version="0",
        claims={MESSAGE: kit.claim(operations, versions), RECORD_SET: kit.claim(operations, (2,))},
        at=lambda message, version: Port(message, version, name),
        compressions=("none", "gzip", "snappy", "lz4", "zstd"),
        decode_errors=(DecodeError,),
        encode_errors=(CodecError,),
    )


def __getattr__(name: str) -> kit.Testee:
    """The testee of a bug, as ``python:planted_sides:BUG`` names it, with ``_`` for ``-``."""
    if name.replace("_", "-") not in EVERY:
        raise AttributeError(f"no bug {name!r}")
    return testee(name.replace("_", "-"))


def main(name: str) -> None:
    pipes = kit.take_stdio()
    kit.serve(testee(name), pipes)


if __name__ == "__main__":
    main(sys.argv[1])
