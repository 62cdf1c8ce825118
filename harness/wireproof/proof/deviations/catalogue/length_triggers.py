"""The triggers at lengths, counts and unsigned varints, in both directions."""

from typing import Final

from wireproof.model.repertoire import CodecDirection
from wireproof.proof.deviations.catalogue.trigger import Trigger

NULL_READ: Final = {"null": "is read as null", "empty": "is read as empty"}
"""Actions of readers at a length below zero."""
LENGTH_TYPES: Final = ("int16", "int32")
"""The types of lengths that are not compact."""
VARINT_SIZES: Final = ("varint-two", "varint-three", "varint-four", "varint-five")
"""Triggers at varints of so many bytes or more."""

LENGTH_TRIGGERS: Final = (
    Trigger(
        "negative-length",
        CodecDirection.DECODE,
        "{} of a length below -1",
        "null, or refused",
        {
            **NULL_READ,
            "unsigned": "is taken for a large length",
            "back": "is read as empty, and the reader goes back by its length",
        },
    ),
    Trigger(
        "beyond-end",
        CodecDirection.DECODE,
        "{} whose length goes beyond the end",
        "refused",
        {
            "clamp": "is read as far as there are bytes",
            "past": "is read as far as there are bytes, and all of its length counts as read",
            "empty": "is read as empty, and the reader goes on at its first byte",
        },
    ),
    Trigger(
        "count-beyond-end",
        CodecDirection.DECODE,
        "{} with more elements than bytes are left",
        "refused",
        {
            "go-on": "is read until the bytes end",
            "clamp": "ends where the bytes end",
            "allocate": "is read until the bytes end, with memory for all of its elements taken before",
        },
    ),
    Trigger(
        "to-end", CodecDirection.DECODE, "{} whose length or count reaches the end of the bytes", "read", {}
    ),
    Trigger(
        "length",
        CodecDirection.DECODE,
        "the length of {}",
        "read as Kafka writes it",
        {
            "count": "is taken for the number of bytes or elements, not for one more",
            **{name: f"is read as an {name}" for name in LENGTH_TYPES},
        },
    ),
    Trigger(
        "varint-zero",
        CodecDirection.DECODE,
        "the byte 0x80 of an unsigned varint",
        "followed by the bits above",
        {"last": "ends the number"},
    ),
    *(
        Trigger(
            name,
            CodecDirection.DECODE,
            f"an unsigned varint of {name.removeprefix('varint-')} bytes or more",
            "read",
            actions,
        )
        for name, actions in zip(VARINT_SIZES, ({"byte": "is taken for one byte"}, {}, {}, {}), strict=True)
    ),
    Trigger(
        "varint-bits",
        CodecDirection.DECODE,
        "an unsigned varint of more than 32 bits",
        "read without the bits above",
        {"drop": "loses the bits above", "keep": "is read as the larger number"},
    ),
    Trigger(
        "varint-long",
        CodecDirection.DECODE,
        "an unsigned varint of more than five bytes",
        "refused",
        {
            "drop": "is read, and loses the bits above 32",
            "keep": "is read as the larger number",
            "five": "ends after five bytes",
        },
    ),
    Trigger(
        "text-length",
        CodecDirection.ENCODE,
        "the length of {} with a character beyond ASCII",
        "the number of bytes",
        {"characters": "counts characters"},
    ),
    Trigger(
        "length",
        CodecDirection.ENCODE,
        "the length of {}",
        "written in as few bytes as it takes",
        {
            "padded": "is written in one byte more",
            "count": "is written as the number of bytes or elements, not as one more",
            **{name: f"is written as an {name}" for name in LENGTH_TYPES},
        },
    ),
    Trigger(
        "varint-127",
        CodecDirection.ENCODE,
        "an unsigned varint whose highest seven bits are all 1",
        "written in as few bytes as it takes",
        {"padded": "is written in one byte more"},
    ),
    Trigger(
        "varint-128",
        CodecDirection.ENCODE,
        "an unsigned varint whose highest eight bits are 128",
        "written in as many bytes as it takes",
        {"cut": "is written without its last byte"},
    ),
)
