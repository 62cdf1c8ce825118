"""Operators for tests of the mutant pool: one without a change, one without effect, and ones that crash."""

import os
import signal
from dataclasses import replace

from kafkawire.compiler import MessageCodec
from kafkawire.schema import MessageLayout
from tests.support.environments import small_environment
from wireproof.power.mutants.codec_operator import (
    CodecOperator,
    Patch,
    WrongConduct,
    WrongLayout,
    WrongPrimitive,
    WrongValue,
)
from wireproof.power.mutants.sites import Site
from wireproof.power.summary import BugClass


def has_text(site: Site) -> bool:
    return site.field is not None and str(site.field.type) == "string" and site.field.tag is None


def is_message(site: Site) -> bool:
    return site.field is None and not site.path


def without_versions(site: Site) -> MessageLayout:
    """Change the versions of a message, which no byte shows."""
    return replace(site.layout, versions=replace(site.layout.versions, highest=99))


def die(codec: MessageCodec) -> MessageCodec:
    os.kill(os.getpid(), signal.SIGKILL)
    return codec


def stumble(codec: MessageCodec) -> MessageCodec:
    raise ZeroDivisionError("a fault of the harness")


SAME = CodecOperator(
    "the-original",
    BugClass.UTF8,
    "nothing: the text of one module differs, and no more",
    WrongPrimitive(
        has_text, (Patch("wire.lengths", "    text = utf8(value)\n", "    text = utf8((value))\n"),)
    ),
)

EFFECTLESS = CodecOperator(
    "no-effect",
    BugClass.FIELDS,
    "a layout has other versions, which no byte shows",
    WrongLayout(is_message, without_versions),
)

EMPTY_FOR_NULL = CodecOperator(
    "empty-for-null",
    BugClass.NULL,
    "a null string is written as an empty one",
    WrongPrimitive(
        lambda site: has_text(site) and site.field is not None and site.field.nullable,
        (
            Patch(
                "wire.lengths",
                r'return b"\0" if compact else b"\xff\xff"' + "\n",
                'return b"\\1"[: 1 if compact else 0] or b"\\0\\0"\n',
            ),
        ),
    ),
)

READ_EMPTY = CodecOperator(
    "read-empty",
    BugClass.NULL,
    "every string is read as an empty one",
    WrongValue(has_text, inward=lambda value: ""),
)

DEADLY = CodecOperator("deadly", BugClass.BUFFERS, "takes its process down", WrongConduct(is_message, die))

STUMBLING = CodecOperator(
    "stumbling", BugClass.BUFFERS, "trips the harness", WrongConduct(is_message, stumble)
)


def operators() -> dict[str, CodecOperator]:
    return {
        operator.name: operator
        for operator in (EMPTY_FOR_NULL, READ_EMPTY, SAME, EFFECTLESS, DEADLY, STUMBLING)
    }


def small_operators() -> dict[str, CodecOperator]:
    """For the release of two messages, whose oracle knows nothing of the shape."""
    return {
        name: replace(operator, phases=small_environment.PHASES) for name, operator in operators().items()
    }


def filled(layout: MessageLayout) -> dict[str, str]:
    """A value with text in every field that holds some."""
    return {field.name: "x" for field in layout.root.fields if str(field.type) == "string"}
