"""Lengths, counts and endings that lie: mutants that read what is right, and stumble over what is wrong."""

from collections.abc import Mapping
from typing import Final

from kafkawire.schema import ScalarType
from wireproof.model import RECORDS_MODULE
from wireproof.power.mutants.codec_operator import Deviation, WrongPrimitive, WrongRecords
from wireproof.power.mutants.sites import (
    Site,
    either,
    every,
    is_array,
    is_compact,
    is_in_place,
    is_message,
    is_nullable_struct,
    of_type,
)

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


def _is_never_null(site: Site) -> bool:
    return site.field is not None and not site.field.nullable


def _ends_a_legacy_message(site: Site) -> bool:
    root = site.layout.root
    return site.field is not None and not root.flexible and site.field is root.fields[-1]


HOSTILE_DEVIATIONS: Final[Mapping[str, Deviation]] = {
    "room-for-the-declared-count": WrongPrimitive(every(_is_small, is_array, is_in_place)),
    "room-for-the-declared-bytes": WrongPrimitive(every(_is_small, _blob, is_in_place)),
    "negative-length-is-empty": WrongPrimitive(every(_is_small, _counted, lambda site: not is_compact(site))),
    "varint-without-end": WrongPrimitive(every(_is_small, _counted, is_compact)),
    "bad-text-crashes": WrongPrimitive(every(_is_small, _text, is_in_place)),
    "forbidden-null-read": WrongPrimitive(every(_is_small, _counted, _is_never_null)),
    "truncation-crashes": WrongPrimitive(every(_is_small, _counted, is_compact)),
    "text-cut-short": WrongPrimitive(every(_is_small, _text, _ends_a_legacy_message)),
    "bad-text-passed-over": WrongPrimitive(every(_is_small, _text, is_in_place)),
    "largest-count-never-ends": WrongPrimitive(every(_is_small, is_array, is_in_place, _is_outermost)),
    "empty-tag-ends-the-process": WrongPrimitive(every(_is_small, _has_tagged_fields)),
    "marker-2-is-null": WrongPrimitive(every(_is_small, is_nullable_struct, is_in_place)),
    "decompresses-without-limit": WrongRecords(
        lambda site: is_message(site) and site.cell.module == RECORDS_MODULE
    ),
    "room-for-the-declared-records": WrongRecords(
        lambda site: is_message(site) and site.cell.module == RECORDS_MODULE and site.cell.version == 2
    ),
}
