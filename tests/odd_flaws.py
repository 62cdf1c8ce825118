"""Flaws for tests of the court itself: one that is none, one that nothing can come of, and deadly ones."""

import os
import signal
from dataclasses import replace

import small_bench
from kafkawire.compiler import MessageCodec
from kafkawire.schema import MessageLayout
from wireproof.power import BugClass, Flaw
from wireproof.power.copies import Patch
from wireproof.power.flaw import WrongConduct, WrongLayout, WrongPrimitive, WrongValue
from wireproof.power.spots import Spot


def has_text(spot: Spot) -> bool:
    return spot.field is not None and str(spot.field.type) == "string" and spot.field.tag is None


def is_message(spot: Spot) -> bool:
    return spot.field is None and not spot.path


def without_versions(spot: Spot) -> MessageLayout:
    """What versions a message has shows in no byte."""
    return replace(spot.layout, versions=replace(spot.layout.versions, highest=99))


def die(codec: MessageCodec) -> MessageCodec:
    os.kill(os.getpid(), signal.SIGKILL)
    return codec


def stumble(codec: MessageCodec) -> MessageCodec:
    raise ZeroDivisionError("a fault of the harness")


SAME = Flaw(
    "the-original",
    BugClass.UTF8,
    "nothing: the text of one module differs, and no more",
    WrongPrimitive(
        has_text, (Patch("wire.lengths", "    text = utf8(value)\n", "    text = utf8((value))\n"),)
    ),
)

EFFECTLESS = Flaw(
    "no-effect",
    BugClass.FIELDS,
    "a layout tells other versions, which no byte shows",
    WrongLayout(is_message, without_versions),
)

EMPTY_FOR_NULL = Flaw(
    "empty-for-null",
    BugClass.NULL,
    "a null string is written as an empty one",
    WrongPrimitive(
        lambda spot: has_text(spot) and spot.field is not None and spot.field.nullable,
        (
            Patch(
                "wire.lengths",
                r'return b"\0" if compact else b"\xff\xff"' + "\n",
                'return b"\\1"[: 1 if compact else 0] or b"\\0\\0"\n',
            ),
        ),
    ),
)

READ_EMPTY = Flaw(
    "read-empty",
    BugClass.NULL,
    "every string is read as an empty one",
    WrongValue(has_text, inward=lambda value: ""),
)

DEADLY = Flaw("deadly", BugClass.BUFFERS, "takes its process down", WrongConduct(is_message, die))

STUMBLING = Flaw("stumbling", BugClass.BUFFERS, "trips the harness", WrongConduct(is_message, stumble))


def flaws() -> dict[str, Flaw]:
    return {flaw.name: flaw for flaw in (EMPTY_FOR_NULL, READ_EMPTY, SAME, EFFECTLESS, DEADLY, STUMBLING)}


def small_flaws() -> dict[str, Flaw]:
    """For the release of two messages, whose oracle knows nothing of the shape."""
    return {name: replace(flaw, phases=small_bench.PHASES) for name, flaw in flaws().items()}


def filled(layout: MessageLayout) -> dict[str, str]:
    """A value with text in every field that holds some."""
    return {field.name: "x" for field in layout.root.fields if str(field.type) == "string"}
