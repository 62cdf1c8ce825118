"""The catalogue of deviations: the triggers, and the actions that a codec can take in place of Kafka's.

Real codecs differed at these triggers: at bytes that Kafka's readers refuse or accept, and at values. An
action is one word. Those in `ENDINGS` are the same at every trigger, and a reader need not handle them.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from wireproof.model.repertoire import CodecDirection
from wireproof.proof.deviations.catalogue.length_triggers import LENGTH_TRIGGERS, NULL_READ
from wireproof.proof.deviations.catalogue.trigger import (
    CONSTANT,
    ELEMENTS,
    END_OF_MESSAGE,
    LATIN_1,
    NEIGHBOURS,
    SIBLING,
    SIZE,
    Trigger,
)
from wireproof.proof.deviations.catalogue.write_triggers import RECORD_TRIGGERS, UNKNOWN_TAGS, WRITE_TRIGGERS
from wireproof.proof.deviations.wrong_layouts import (
    ADDED,
    AFTER,
    FLEXIBLE,
    INFLEXIBLE,
    OTHER_TAG,
    OTHER_TYPES,
    SKIP,
    UNKNOWN,
)

LONG_TAG: Final = 128
"""Bytes of a tagged field; more of them are long."""
_ELEMENTS: Final[Mapping[str, str]] = {
    "sorted": "is put in order",
    "sorted-by-first": "is put in the order of its first field",
    "sorted-as-words": "is put in the order of its first field, sorted as words",
    "map": "becomes a map by its first field, in order, of equal ones the last",
    "reversed": "is put in the reverse order",
    "unique": "loses repeated elements",
    "unique-key": "loses elements with a key that was there before",
}
_OF_BOTH: Final[Sequence[tuple[str, str, Mapping[str, str]]]] = (
    ("not-empty", "{} that is not empty", {"one-less": "stops before its last element"}),
    (ELEMENTS, "{} with more than one element", _ELEMENTS),
    (
        "unknown-code",
        "an error code that no release of Kafka has",
        {"minus-one": "becomes -1", "zero": "becomes 0"},
    ),
    ("negative", "{} below zero", {"zero": "becomes 0"}),
    ("below-minus-one", "{} below -1", {"minus-one": "becomes -1"}),
    ("beyond-int32", "{} beyond an int32", {}),
    ("beyond-53-bits", "{} beyond 2^53", {"double": "goes through a float64, which loses bits"}),
    ("not-finite", "{} that is not finite", {"zero": "becomes 0.0"}),
    (
        "non-ascii",
        "{} with a character beyond ASCII",
        {
            "question": "has a question mark for each",
            "characters": "loses the bytes beyond its number of characters",
            LATIN_1: "is in ISO 8859-1",
        },
    ),
    (SIBLING, "the field, where others of its struct have certain values,", {}),
    (NEIGHBOURS, "the field", {"swapped": "changes places with the field after it"}),
    (SIZE, "{} of some size or more", {}),
    ("astral", "{} with a character beyond U+FFFF", {"replace": "has U+FFFD for each"}),
)

OF_VALUES: Final = frozenset(("value", *(name for name, *_ in _OF_BOTH)))
"""Triggers of values that were read."""

_READ: Final = (
    Trigger("null", CodecDirection.DECODE, "{} that is null", "null", {"empty": "is read as empty"}),
    Trigger("empty", CodecDirection.DECODE, "{} that is empty", "empty", {"null": "is read as null"}),
    Trigger(
        "null-not-allowed",
        CodecDirection.DECODE,
        "{} of length -1, where the version has no null,",
        "refused",
        NULL_READ,
    ),
    Trigger(
        "long-text", CodecDirection.DECODE, "{} of more than 32,767 bytes", "refused", {"read": "is read"}
    ),
    Trigger(
        "end",
        CodecDirection.DECODE,
        "{} after the end of the bytes",
        "refused",
        {
            "zero": "is read as zero",
            "default": "is read as its default, and the bytes that are left are not read",
        },
    ),
    Trigger("far-end", CodecDirection.DECODE, "{} at a position that 63 bits do not hold", "refused", {}),
    Trigger(
        "missing",
        CodecDirection.DECODE,
        "a field that begins where the bytes end",
        "refused",
        {"default": "has its default"},
    ),
    Trigger(
        "ill-formed-text",
        CodecDirection.DECODE,
        "{} that is not UTF-8",
        "replaced by U+FFFD, or refused",
        {
            "replace": "has U+FFFD in place of each ill-formed part",
            "replace-bytes": "has U+FFFD in place of each ill-formed byte",
            "ignore": "loses the ill-formed bytes",
            "bytes": "keeps its bytes",
            "surrogates": "keeps surrogates",
            "latin-1": "is read as ISO 8859-1",
        },
    ),
    Trigger(
        "sign",
        CodecDirection.DECODE,
        "the sign of {}",
        "read",
        {"unsigned": "is read as a bit of the number"},
    ),
    Trigger(
        "bool-above-1",
        CodecDirection.DECODE,
        "a bool whose byte is neither 0 nor 1",
        "true",
        {"false": "is read as false"},
    ),
    Trigger(
        "type",
        CodecDirection.DECODE,
        "{}",
        "read as a value of its type",
        {"other": "is read as a value of another type"},
    ),
    Trigger(
        "marker",
        CodecDirection.DECODE,
        "a nullable struct whose marker is neither -1 nor 1",
        "present if the marker is not negative",
        {"sign": "is present where the marker is not negative", "null": "is null", "present": "is present"},
    ),
    Trigger(
        "tags",
        CodecDirection.DECODE,
        "a tag section",
        "read",
        {"byte": "is taken for one byte", "skip": "is not read"},
    ),
    Trigger("with-tags", CodecDirection.DECODE, "a tag section that is not empty", "read", {}),
    Trigger(
        "tag-order",
        CodecDirection.DECODE,
        "a tag that is not above the one before it",
        "refused",
        {"accept": "is read"},
    ),
    Trigger(
        "tag-number",
        CodecDirection.DECODE,
        "a tag above 2^31 - 2",
        "read, and not written",
        {"accept": "is read"},
    ),
    Trigger(
        "tag-of-other-version",
        CodecDirection.DECODE,
        "the tag of a field that other versions have",
        "refused",
        {"keep": "is kept as an unknown one", "drop": "is dropped"},
    ),
    Trigger(
        "tag-size",
        CodecDirection.DECODE,
        "a tagged field whose size is not that of its data",
        "refused",
        {"accept": "is read by its data alone", "size": "is read, and its size is believed"},
    ),
    Trigger(
        "tag-size-negative",
        CodecDirection.DECODE,
        "an unknown tagged field whose size is above 2^31 - 1",
        "refused",
        {"back": "is dropped, and the reader goes back by 2^32 less its size"},
    ),
    Trigger(
        "tagged",
        CodecDirection.DECODE,
        "a tagged field whose data cannot be read",
        "refused",
        {"default": "is read as its default"},
    ),
    Trigger("long-tag", CodecDirection.DECODE, f"a tagged field of more than {LONG_TAG} bytes", "read", {}),
    Trigger(
        "known-tag",
        CodecDirection.DECODE,
        "a tagged field of the version",
        "read",
        {"drop": "is skipped", "keep": "is kept as an unknown one"},
    ),
    Trigger(
        "unknown-tag",
        CodecDirection.DECODE,
        "an unknown tagged field",
        "kept",
        {
            "drop": "is dropped",
            "short": "is read with one byte less than its size, and dropped",
            "short-keep": "is read with one byte less than its size",
            **UNKNOWN_TAGS,
        },
    ),
    Trigger(
        "default",
        CodecDirection.DECODE,
        "the default of a tagged field that is not there",
        "that of the schema",
        {CONSTANT: "is another value"},
    ),
    Trigger(
        "trailing",
        CodecDirection.DECODE,
        "bytes after the message",
        "left for the caller",
        {"take": "count as read"},
    ),
    Trigger("value", CodecDirection.DECODE, "the field", "read", {}),
    Trigger(
        "layout",
        CodecDirection.DECODE,
        "the field",
        "read",
        {
            SKIP: "is not read",
            UNKNOWN: "is taken for an unknown one",
            **OTHER_TAG,
            **{name: f"is read as {name}" for name in OTHER_TYPES},
        },
    ),
    Trigger(
        ADDED, CodecDirection.DECODE, "the field", "not there", {AFTER: "is read in a version that lacks it"}
    ),
    Trigger(
        "api-versions-error",
        CodecDirection.DECODE,
        "an ApiVersionsResponse with an error code",
        "read",
        {"version-0": "is read as version 0 (KIP-511)", "stop": "is not read beyond the code"},
    ),
    Trigger(
        "frame-size",
        CodecDirection.DECODE,
        "a frame whose size is not that of its bytes",
        "refused",
        {"accept": "is read by its bytes alone", "within": "is read within its size, if it has the bytes"},
    ),
    Trigger("frame-head", CodecDirection.DECODE, "a frame that is cut within its size", "refused", {}),
    Trigger(
        "stream",
        CodecDirection.DECODE,
        "a frame that comes in parts",
        "read with its last part",
        {"early": "is read before its last part is there"},
    ),
    Trigger(
        "equal",
        CodecDirection.DECODE,
        "an object that was read of the same bytes as another",
        "equal, with the same hash",
        {"unequal": "is not equal to it", "hash": "is equal to it, and has another hash"},
    ),
    Trigger(
        "unequal",
        CodecDirection.DECODE,
        "an object that was read of other bytes than another",
        "not equal",
        {"equal": "is equal to it"},
    ),
    Trigger(
        "unequal-tags",
        CodecDirection.DECODE,
        "an object that was read with other unknown tags than another, and else with the same bytes",
        "not equal",
        {"equal": "is equal to it"},
    ),
    Trigger(
        END_OF_MESSAGE,
        CodecDirection.DECODE,
        "the end of the message",
        "counted",
        {
            "one-more": "is counted one byte too late",
            "one-less": "is counted one byte too early",
            "without-size": "is counted without the four bytes of the frame's size",
        },
    ),
    Trigger(
        "refused",
        CodecDirection.DECODE,
        "bytes that Kafka refuses",
        "refused",
        {"defaults": "are read as a message of defaults"},
    ),
    Trigger(
        "message",
        CodecDirection.DECODE,
        "the message",
        "read",
        {
            INFLEXIBLE: "is read without tags and compact lengths",
            FLEXIBLE: "is read with tags and compact lengths",
        },
    ),
)

UNKNOWN_VERSION: Final = "unknown-version"
_OF_VERSIONS: Final = ("a version that the message does not have", "refused", {"accept": "is taken"})

TRIGGERS: Final[Mapping[tuple[CodecDirection, str], Trigger]] = {
    (each.direction, each.name): each
    for each in (
        *_READ,
        *LENGTH_TRIGGERS,
        *RECORD_TRIGGERS,
        *WRITE_TRIGGERS,
        *(
            Trigger(name, direction, words, "taken as it is", actions)
            for direction in CodecDirection
            for name, words, actions in _OF_BOTH
        ),
        *(Trigger(UNKNOWN_VERSION, direction, *_OF_VERSIONS) for direction in CodecDirection),
    )
}
"""Every trigger by its direction and name."""
