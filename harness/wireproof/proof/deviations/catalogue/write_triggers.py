"""The triggers of a writer."""

from typing import Final

from wireproof.model.repertoire import CodecDirection
from wireproof.proof.deviations.catalogue.trigger import END_OF_MESSAGE, Trigger
from wireproof.proof.deviations.wrong_layouts import INFLEXIBLE, INTEGER_TYPES, SKIP

UNKNOWN_TAGS: Final = {
    "cut": "loses its last byte",
    "first": "is dropped where another one is before it",
    "one-byte": "is dropped where its tag is above 127",
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
        {"drop": "is dropped", "write": "is written", "count": "is counted, and not written"},
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
        "tag-default",
        CodecDirection.ENCODE,
        "a tagged field at its default",
        "left out",
        {"write": "is written", "given": "is written where the caller gives it"},
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
        "length",
        CodecDirection.ENCODE,
        "the length of {}",
        "written in as few bytes as it takes",
        {"padded": "is written in one byte more"},
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
        {SKIP: "is not written", **{name: f"is written as an {name}" for name in INTEGER_TYPES}},
    ),
    Trigger(
        "message",
        CodecDirection.ENCODE,
        "the message",
        "written",
        {INFLEXIBLE: "is written without tags and compact lengths"},
    ),
)
