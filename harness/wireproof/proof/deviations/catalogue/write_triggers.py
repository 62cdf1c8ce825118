"""The triggers of a writer, and those in the bytes of record sets."""

from typing import Final

from wireproof.model.repertoire import CodecDirection
from wireproof.proof.deviations.catalogue.trigger import CONSTANT, END_OF_MESSAGE, Trigger
from wireproof.proof.deviations.wrong_layouts import (
    ADDED,
    AFTER,
    FLEXIBLE,
    INFLEXIBLE,
    OTHER_TAG,
    OTHER_TYPES,
    SKIP,
)

UNKNOWN_TAGS: Final = {
    "cut": "loses its last byte",
    "first": "is dropped where another one is before it",
    "one-byte": "is dropped where its tag is above 127",
    "not-empty": "is dropped where it has no bytes",
    "first-127": "is dropped where 127 others are before it",
}
"""Parts of the unknown tagged fields that a codec keeps."""

WRITE_TRIGGERS: Final = (
    Trigger(
        "null", CodecDirection.ENCODE, "{} that is null", "written as null", {"empty": "is written as empty"}
    ),
    Trigger(
        "null-not-allowed",
        CodecDirection.ENCODE,
        "{} that is null, where the version has no null,",
        "refused",
        {
            "null": "is written as null",
            "empty": "is written as empty",
            "default": "is written as its default",
        },
    ),
    Trigger(
        "empty", CodecDirection.ENCODE, "{} that is empty", "written as empty", {"null": "is written as null"}
    ),
    Trigger(
        "absent",
        CodecDirection.ENCODE,
        "a field that the caller leaves out",
        "written as its default",
        {
            "zero": "is written as zero, empty or false",
            "null": "is written as null",
            "empty": "is written as empty",
            "minus-one": "is written as -1",
            "constant": "is written with a default of the codec's own",
            "skip": "is not written",
        },
    ),
    Trigger(
        "range",
        CodecDirection.ENCODE,
        "{} beyond its type",
        "refused",
        {"wrap": "is written without its high bits", "clamp": "is written as the nearest that fits"},
    ),
    Trigger("type", CodecDirection.ENCODE, "{} of another type", "refused", {}),
    Trigger(
        "long-text",
        CodecDirection.ENCODE,
        "{} of more than 32,767 bytes",
        "refused",
        {"write": "is written", "wrap": "is written after a length without its high bits"},
    ),
    Trigger(
        "surrogate",
        CodecDirection.ENCODE,
        "{} with a lone surrogate",
        "written as a question mark",
        {
            "question": "is written with a question mark",
            "replace": "is written with U+FFFD",
            "pass": "is written as three bytes",
            "bytes": "is written as the bytes that were read",
        },
    ),
    Trigger(
        "other-version",
        CodecDirection.ENCODE,
        "a field that only other versions have",
        "refused",
        {"drop": "is dropped"},
    ),
    Trigger(
        "tag-of-other-version",
        CodecDirection.ENCODE,
        "a tagged field that only other versions have",
        "not written",
        {"write": "is written"},
    ),
    Trigger(
        "unknown-tag",
        CodecDirection.ENCODE,
        "an unknown tagged field",
        "written",
        {"drop": "is dropped", "no-size": "is written without its size", **UNKNOWN_TAGS},
    ),
    Trigger(
        "tag-number",
        CodecDirection.ENCODE,
        "an unknown tagged field of a tag above 2^31 - 2",
        "refused",
        {
            "drop": "is dropped",
            "write": "is written",
            "count": "is taken for an int32: one that is negative is counted, and not written",
        },
    ),
    Trigger(
        "unknown-tag-again",
        CodecDirection.ENCODE,
        "an unknown tagged field of an object that was read",
        "written",
        {"drop": "is dropped"},
    ),
    Trigger("tag-zero", CodecDirection.ENCODE, "an unknown tagged field of tag 0", "written", {}),
    Trigger(
        "known-as-unknown",
        CodecDirection.ENCODE,
        "an unknown tag that a field of the version has",
        "refused",
        {"drop": "is dropped", "write": "is written"},
    ),
    Trigger(
        "tags-not-in-version",
        CodecDirection.ENCODE,
        "a tagged field, where the version has no tags,",
        "refused",
        {"drop": "is dropped"},
    ),
    Trigger(
        "tag-size",
        CodecDirection.ENCODE,
        "the size of a tagged field",
        "the number of its bytes",
        {"one-more": "is written as one more", "one-less": "is written as one less"},
    ),
    Trigger(
        "tag-default",
        CodecDirection.ENCODE,
        "a tagged field at its default",
        "left out",
        {
            "write": "is written",
            "given": "is written where the caller gives it",
            "new": "is written where the caller gives it to a new object",
            "truthy": "is written unless it is zero, empty, false or null, which are left out at any default",
        },
    ),
    Trigger(
        "default",
        CodecDirection.ENCODE,
        "the default of a tagged field, which is left out,",
        "that of the schema",
        {CONSTANT: "is another value"},
    ),
    Trigger(
        "tags",
        CodecDirection.ENCODE,
        "a tag section",
        "written",
        {"empty": "is written as empty", "skip": "is not written"},
    ),
    Trigger(
        "tag-order",
        CodecDirection.ENCODE,
        "a section with several tags",
        "written by ascending tag",
        {
            "unknown-first": "begins with the unknown ones",
            "given": "keeps the order of the caller",
            "reversed": "is written by descending tag",
        },
    ),
    Trigger(
        "marker",
        CodecDirection.ENCODE,
        "the marker of a nullable struct",
        "1, or -1 for null (0 for null in a tagged field)",
        {
            "null": "is 0 in place of -1 where the struct is null (-1 in place of 0 in a tagged field)",
            "present": "is 0 in place of 1 where the struct is there",
            "skip": "is not written where the struct is there",
        },
    ),
    Trigger(
        END_OF_MESSAGE,
        CodecDirection.ENCODE,
        "the end of the message",
        "written",
        {"zero": "is written with a zero byte behind it", "lost": "is written without its last byte"},
    ),
    Trigger(
        "size",
        CodecDirection.ENCODE,
        "the size of the message",
        "that of its bytes",
        {"one-more": "is announced as one byte more"},
    ),
    Trigger("value", CodecDirection.ENCODE, "the field", "written", {}),
    Trigger(
        "layout",
        CodecDirection.ENCODE,
        "the field",
        "written",
        {SKIP: "is not written", **OTHER_TAG, **{name: f"is written as {name}" for name in OTHER_TYPES}},
    ),
    Trigger(
        ADDED,
        CodecDirection.ENCODE,
        "the field",
        "not there",
        {AFTER: "is written in a version that lacks it"},
    ),
    Trigger(
        "message",
        CodecDirection.ENCODE,
        "the message",
        "written",
        {
            INFLEXIBLE: "is written without tags and compact lengths",
            FLEXIBLE: "is written with tags and compact lengths",
        },
    ),
)


RECORD_TRIGGERS: Final = tuple(
    Trigger(name, CodecDirection.DECODE, words, kafka, actions)
    for name, words, kafka, actions in (
        ("cut-head", "a set that is cut off before its first magic", "left for the caller", {}),
        ("not-records", "{} in a message that are not a record set, or end before its magic,", "read", {}),
        ("cut-off", "a batch that is cut off", "left for the caller", {}),
        (
            "batch-size",
            "a batch whose size is not that of its content",
            "refused",
            {"content": "ends where its content ends", "tail": "is left for the caller"},
        ),
        (
            "huge-batch",
            "a batch whose end is more than 2^31 - 1 bytes away",
            "refused",
            {"tail": "is left for the caller"},
        ),
        (
            "short-batch",
            "a batch of a size that none has, with fewer bytes than its header has,",
            "refused",
            {"tail": "is left for the caller"},
        ),
        ("batch-end", "{} with bytes after its content", "refused", {"skip": "is read without them"}),
        (
            "magic",
            "a batch of a magic above 2",
            "refused",
            {"2": "is read as one of magic 2", "tail": "is left for the caller"},
        ),
        (
            "checksum",
            "{} with a wrong checksum",
            "refused",
            {"accept": "is read", "late": "is refused after its content"},
        ),
        (
            "codec",
            "{} of a compression that it cannot have",
            "refused",
            {"none": "is taken as it is", "keep": "is read"},
        ),
        ("compressed", "{} that cannot be decompressed", "refused", {"empty": "are read as nothing"}),
        ("no-stream", "{} without a byte", "refused", {"empty": "are read as nothing"}),
        ("no-blocks", "{} that are the header of a stream alone", "read as nothing", {}),
        ("several-streams", "{} of several streams", "read", {}),
        (
            "record-size",
            "a record whose length is not that of its content",
            "refused",
            {"content": "ends where its content ends", "size": "is read, and its length is believed"},
        ),
    )
)
