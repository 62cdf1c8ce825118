"""Lengths, counts and endings that lie: mutants that read what is right, and stumble over what is wrong."""

from kafkawire.schema import ScalarType
from wireproof.model import RECORDS_MODULE
from wireproof.power.bug_classes import BugClass
from wireproof.power.mutants.codec_operator import CodecOperator, WrongPrimitive, WrongRecords
from wireproof.power.mutants.site_conditions import (
    either,
    every,
    is_array,
    is_compact,
    is_in_place,
    is_message,
    is_nullable_struct,
    of_type,
)
from wireproof.power.mutants.sites import Site
from wireproof.power.mutants.source_copies import Patch

__all__ = ["HOSTILE_OPERATORS"]

_LENGTHS, _VARINTS, _READING = "wire.lengths", "wire.varints", "compiler._interpreted_decode"

_text = of_type(ScalarType.STRING)
_blob = of_type(ScalarType.BYTES, ScalarType.RECORDS)
_counted = every(is_in_place, either(is_array, _text, _blob))


def _is_small(site: Site) -> bool:
    """A message of few fields: there is a mutation for each byte, and all are read before one is judged."""
    return sum(1 for _ in site.layout.walk()) <= 16


def _is_outermost(site: Site) -> bool:
    """A field of the message itself: there are not many bytes that lead to it."""
    return not site.struct_path


def _has_tagged_fields(site: Site) -> bool:
    return site.field is None and bool(site.struct.tagged)


def _is_legacy(site: Site) -> bool:
    return not is_compact(site)


def _is_never_null(site: Site) -> bool:
    return site.field is not None and not site.field.nullable


def _ends_a_legacy_message(site: Site) -> bool:
    root = site.layout.root
    return site.field is not None and not root.flexible and site.field is root.fields[-1]


_FIRST_BYTE = (
    '    except IndexError:\n        raise DecodeError(Fault.TRUNCATED, "", "a varint has no first byte"'
)

HOSTILE_OPERATORS = (
    CodecOperator(
        "room-for-the-declared-count",
        BugClass.HOSTILE,
        "an array gets room for as many elements as its count declares",
        WrongPrimitive(
            every(_is_small, is_array, is_in_place),
            (
                Patch(_LENGTHS, "    if count > len(data) - start:", "    if False:"),
                Patch(
                    _READING,
                    "        items: list[Value] = []\n",
                    "        items: list[Value] = [None] * len(indexes)\n        items.clear()\n",
                ),
            ),
        ),
    ),
    CodecOperator(
        "room-for-the-declared-bytes",
        BugClass.HOSTILE,
        "bytes get as much room as their length declares, before they are read",
        WrongPrimitive(
            every(_is_small, _blob, is_in_place),
            (
                Patch(
                    _LENGTHS,
                    "    if end > len(data):\n        raise truncated(data, start, length, pos)\n"
                    "    return data[start:end], end",
                    "    bytearray(length)\n"
                    "    if end > len(data):\n        raise truncated(data, start, length, pos)\n"
                    "    return data[start:end], end",
                ),
            ),
        ),
    ),
    CodecOperator(
        "negative-length-is-empty",
        BugClass.HOSTILE,
        "a length below -1 is taken for 0",
        WrongPrimitive(
            every(_is_small, _counted, _is_legacy),
            (
                Patch(
                    _LENGTHS,
                    "    if not 0 <= length <= MAX_LENGTH:",
                    "    if length < 0:\n        return 0, end\n    if not 0 <= length <= MAX_LENGTH:",
                ),
            ),
        ),
    ),
    CodecOperator(
        "varint-without-end",
        BugClass.HOSTILE,
        "a varint may have any number of bytes",
        WrongPrimitive(
            every(_is_small, _counted, is_compact),
            (
                Patch(_VARINTS, "    while shift < bits:", "    while True:"),
                Patch(
                    _VARINTS,
                    "            if result >> bits:",
                    "            result &= (1 << bits) - 1\n            if False:",
                ),
            ),
        ),
    ),
    CodecOperator(
        "bad-text-crashes",
        BugClass.HOSTILE,
        "bytes that are not UTF-8 are an exception of the language",
        WrongPrimitive(
            every(_is_small, _text, is_in_place),
            (
                Patch(
                    _LENGTHS,
                    "    except UnicodeDecodeError as error:",
                    "    except ZeroDivisionError as error:",
                ),
            ),
        ),
    ),
    CodecOperator(
        "forbidden-null-read",
        BugClass.HOSTILE,
        "null is read where the version has none",
        WrongPrimitive(
            every(_is_small, _counted, _is_never_null),
            (
                Patch(
                    _LENGTHS,
                    "def _check_null(nullable: bool, pos: int) -> None:\n    if not nullable:",
                    "def _check_null(nullable: bool, pos: int) -> None:\n    if False:",
                ),
            ),
        ),
    ),
    CodecOperator(
        "truncation-crashes",
        BugClass.HOSTILE,
        "a message that ends before a length is an exception of the language",
        WrongPrimitive(
            every(_is_small, _counted, is_compact),
            (
                Patch(
                    _VARINTS,
                    _FIRST_BYTE,
                    _FIRST_BYTE.replace("IndexError", "ZeroDivisionError"),
                ),
            ),
        ),
    ),
    CodecOperator(
        "text-cut-short",
        BugClass.HOSTILE,
        "a text that goes on past the end is read as far as it goes",
        WrongPrimitive(
            every(_is_small, _text, _ends_a_legacy_message),
            (
                Patch(
                    _LENGTHS,
                    "    end = start + length\n    if length > MAX_STRING_BYTES:",
                    "    end = min(start + length, len(data))\n    if length > MAX_STRING_BYTES:",
                ),
            ),
        ),
    ),
    CodecOperator(
        "bad-text-passed-over",
        BugClass.HOSTILE,
        "bytes that are not UTF-8 are left out of a text",
        WrongPrimitive(
            every(_is_small, _text, is_in_place),
            (
                Patch(
                    _LENGTHS,
                    "return data[start:end].decode(), end",
                    'return data[start:end].decode(errors="ignore"), end',
                ),
            ),
        ),
    ),
    CodecOperator(
        "largest-count-never-ends",
        BugClass.HOSTILE,
        "the largest count that there can be is read for ever",
        WrongPrimitive(
            every(_is_small, is_array, is_in_place, _is_outermost),
            (
                Patch(
                    _LENGTHS,
                    "    if count > len(data) - start:",
                    "    while count == MAX_LENGTH:\n        pass\n    if count > len(data) - start:",
                ),
            ),
        ),
    ),
    CodecOperator(
        "empty-tag-ends-the-process",
        BugClass.HOSTILE,
        "a known tagged field of size 0 takes the process down",
        WrongPrimitive(
            every(_is_small, _has_tagged_fields),
            (
                Patch(
                    _READING,
                    "            raise DecodeError(Fault.TAG_SIZE",
                    '            size or __import__("os").abort()\n'
                    "            raise DecodeError(Fault.TAG_SIZE",
                ),
            ),
        ),
    ),
    CodecOperator(
        "marker-2-is-null",
        BugClass.HOSTILE,
        "a nullable struct of the marker 2 is null",
        WrongPrimitive(
            every(_is_small, is_nullable_struct, is_in_place),
            (Patch(_LENGTHS, "    if marker not in (1, -1):", "    if marker not in (1, -1, 2):"),),
        ),
    ),
    CodecOperator(
        "decompresses-without-limit",
        BugClass.HOSTILE,
        "compressed records are decompressed to any length",
        WrongRecords(
            lambda site: is_message(site) and site.cell.module == RECORDS_MODULE,
            (
                Patch(
                    "records.decoding",
                    "self._decompress(codec, data, magic, self.left)",
                    "self._decompress(codec, data, magic, 1 << 40)",
                ),
            ),
        ),
    ),
    CodecOperator(
        "room-for-the-declared-records",
        BugClass.HOSTILE,
        "the records of a batch get room for as many as its count declares",
        WrongRecords(
            lambda site: is_message(site) and site.cell.module == RECORDS_MODULE and site.cell.version == 2,
            (
                Patch(
                    "records._record_loop",
                    "    records: list[Record] = []\n",
                    "    records: list[Record] = [Record()] * count\n    records.clear()\n",
                ),
            ),
        ),
    ),
)
