"""Lengths of text: bytes, not characters."""

from typing import Any

from kafkawire.schema import ScalarType
from wireproof.power.bug_classes import BugClass
from wireproof.power.mutants.codec_operator import CodecOperator, WrongPrimitive, WrongValue
from wireproof.power.mutants.site_conditions import of_type
from wireproof.power.mutants.source_copies import Patch

__all__ = ["UTF8_OPERATORS"]

_text = of_type(ScalarType.STRING)
_LENGTH = "(write_uvarint(len(text) + 1) if compact else write_int16(len(text)))"
_UNITS = '"".join(map(chr, memoryview(str.encode(value, "utf-16-le", "surrogatepass")).cast("H")))'


def _up_to_nul(value: Any) -> Any:
    return value.split("\0")[0] if isinstance(value, str) else value


def _without_mark(value: Any) -> Any:
    return value.removeprefix("\ufeff") if isinstance(value, str) else value


def _without_last_nul(value: Any) -> Any:
    return value.rstrip("\0") if isinstance(value, str) else value


UTF8_OPERATORS = (
    CodecOperator(
        "length-in-characters",
        BugClass.UTF8,
        "the length before a string counts characters",
        WrongPrimitive(_text, (Patch("wire.lengths", _LENGTH, _LENGTH.replace("len(text)", "len(value)")),)),
    ),
    CodecOperator(
        "length-in-utf16",
        BugClass.UTF8,
        "the length before a string counts UTF-16 units",
        WrongPrimitive(
            _text,
            (
                Patch(
                    "wire.lengths",
                    _LENGTH,
                    _LENGTH.replace("len(text)", 'len(str.encode(value, "utf-16-le")) // 2'),
                ),
            ),
        ),
    ),
    CodecOperator(
        "surrogates-in-utf8",
        BugClass.UTF8,
        "characters beyond the first plane are written and read as two surrogates of three bytes each",
        WrongPrimitive(
            _text,
            (
                Patch(
                    "wire.lengths",
                    "text = str.encode(value)",
                    f'text = str.encode({_UNITS}, "utf-8", "surrogatepass")',
                ),
                Patch(
                    "wire.lengths",
                    "return data[start:end].decode(), end",
                    'return data[start:end].decode("utf-8", "surrogatepass")'
                    '.encode("utf-16", "surrogatepass").decode("utf-16"), end',
                ),
            ),
        ),
    ),
    CodecOperator(
        "text-ends-at-nul",
        BugClass.UTF8,
        "a string is read up to its first NUL",
        WrongValue(_text, inward=_up_to_nul),
    ),
    CodecOperator(
        "byte-order-mark-taken-away",
        BugClass.UTF8,
        "a string is read without U+FEFF at its beginning",
        WrongValue(_text, inward=_without_mark),
    ),
    CodecOperator(
        "nul-at-the-end-taken-away",
        BugClass.UTF8,
        "a string is written without NUL at its end",
        WrongValue(_text, outward=_without_last_nul),
    ),
)
