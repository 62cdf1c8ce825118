"""Parsing the text of a `default` to its value.

Source: Kafka's `FieldSpec.fieldDefault`. Its result is inserted into Java code, so the text of a string is
read again as a Java literal.
"""

import base64
import math
import re
from functools import lru_cache
from typing import Final, assert_never
from uuid import UUID

from kafkawire.schema.layout import EMPTY, Default
from kafkawire.schema.model import INTEGER_RANGES, ArrayType, FieldType, ScalarType, StructType
from kafkawire.schema.rule_table import SchemaRule


class DefaultError(ValueError):
    """A type does not have this default; `rule` is the rule that it breaks."""

    def __init__(self, rule: SchemaRule, text: str) -> None:
        super().__init__(text)
        self.rule = rule


@lru_cache(maxsize=4096)
def parse_default(field_type: FieldType, text: str) -> Default:
    """The value of a default: None is null, `EMPTY` the default of arrays and structs.

    Args:
        text: the text as written; ``""`` if there is none.

    Raises:
        DefaultError: the type has no such default; the text says what to write.
    """
    match field_type:
        case ArrayType() | StructType():
            return _empty_or_null(text, EMPTY)
        case ScalarType.BOOL:
            return _boolean(text)
        case ScalarType.FLOAT64:
            return _float(text)
        case ScalarType.UUID:
            return _uuid(text)
        case ScalarType.STRING:
            return None if text == "null" else _java_literal(text)
        case ScalarType.BYTES:
            return _empty_or_null(text, b"")
        case ScalarType.RECORDS:
            return None
        case (
            ScalarType.INT8
            | ScalarType.INT16
            | ScalarType.UINT16
            | ScalarType.INT32
            | ScalarType.UINT32
            | ScalarType.INT64
        ):
            return _integer(field_type, text)
        case _:
            assert_never(field_type)


def _empty_or_null(text: str, empty: Default) -> Default:
    if text not in ("", "null"):
        raise DefaultError(SchemaRule.DEFAULT_NOT_EMPTY, 'the default can only be left out, or be "null"')
    return None if text == "null" else empty


def _boolean(text: str) -> bool:
    if text.lower() not in ("", "true", "false"):
        raise DefaultError(SchemaRule.DEFAULT_BOOL, "the default of a bool is true or false")
    return text.lower() == "true"


def _integer(field_type: ScalarType, text: str) -> int:
    """An integer that is checked as decimal or hexadecimal (0x) digits, then read again as a Java literal.

    The two readings differ for decimals that begin with a zero (``010`` is eight in Java), for a sign after
    0x, and for a uint32 above 2^31 - 1, because the generator writes a literal of Java's int.
    """
    if text in ("", "0x"):
        return 0
    lowest, highest = INTEGER_RANGES[field_type]
    hexadecimal = re.fullmatch(r"0x([0-9a-fA-F]+)", text)
    decimal = re.fullmatch(r"[-+]?(0*)([0-9]+)", text)
    if re.fullmatch(r"0x[-+][0-9a-fA-F]{1,16}", text) and lowest <= int(text[2:], 16) <= highest:
        what = "the default has a sign after 0x, and the class does not compile: write digits there"
        raise DefaultError(SchemaRule.DEFAULT_INTEGER_LITERAL, what)
    if len(text) > 100 or not (hexadecimal or decimal):
        raise DefaultError(
            SchemaRule.DEFAULT_INTEGER,
            "the default is not a whole number: write it in decimal, or as 0x and hexadecimal digits",
        )
    number = int(hexadecimal[1], 16) if hexadecimal else int(text)
    if not lowest <= number <= highest:
        raise DefaultError(SchemaRule.DEFAULT_INTEGER, f"the default is not from {lowest} to {highest}")
    if field_type is ScalarType.UINT32 and number > _JAVA_INT:
        raise _not_an_int(hexadecimal is not None)
    if decimal and decimal[1]:
        try:
            return int(text, 8)
        except ValueError:
            raise DefaultError(
                SchemaRule.DEFAULT_INTEGER_LITERAL,
                "the default begins with a zero, so that Java reads it as octal",
            ) from None
    return number


_JAVA_INT: Final = (1 << 31) - 1


def _not_an_int(hexadecimal: bool) -> DefaultError:
    if hexadecimal:
        what = (
            "the default is a negative int of Java, and is read back as another number: stay below 0x80000000"
        )
        return DefaultError(SchemaRule.DEFAULT_UINT32_NEGATIVE, what)
    what = "the default is above every int of Java, and the class does not compile: stay below 2147483648"
    return DefaultError(SchemaRule.DEFAULT_INTEGER_LITERAL, what)


_FLOAT: Final = re.compile(r"[-+]?(?:NaN|Infinity|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?[fFdD]?)", re.ASCII)

_HEX_FLOAT: Final = re.compile(
    r"[-+]?0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)[pP][-+]?[0-9]+[fFdD]?"
)


def _float(text: str) -> float:
    """Parse a number as Java's `Double.parseDouble` does."""
    number = text.strip()
    if not text:
        return 0.0
    if _HEX_FLOAT.fullmatch(number):
        return _hex_float(number.rstrip("fFdD"))
    if not _FLOAT.fullmatch(number):
        raise DefaultError(
            SchemaRule.DEFAULT_FLOAT, "the default is not a number: write 1.5, NaN or Infinity, say"
        )
    if number.endswith("NaN"):
        return math.nan  # Java's NaN has no sign
    return float(number if number.endswith("Infinity") else number.rstrip("fFdD"))


def _hex_float(text: str) -> float:
    try:
        return float.fromhex(text)
    except OverflowError:
        return -math.inf if text.startswith("-") else math.inf


def _uuid(text: str) -> UUID:
    if not text:
        return UUID(int=0)
    count = _base64url_bytes(text)
    if count < _UUID_BYTES:
        what = "the default of a uuid is 16 bytes in base64url: 22 characters"
        raise DefaultError(SchemaRule.DEFAULT_UUID, what)
    if count > _UUID_BYTES:
        # The generator reads the first 16 bytes only; the class throws wherever an instance is made.
        what = f"the default has {count} bytes, a uuid 16: write 22 characters of base64url"
        raise DefaultError(SchemaRule.DEFAULT_UUID_LENGTH, what)
    return UUID(bytes=base64.urlsafe_b64decode(f"{text[:22]}=="))


_UUID_BYTES: Final = 16


def _base64url_bytes(text: str) -> int:
    """The number of bytes that Java's `Base64.getUrlDecoder` decodes from a text; 0 if it throws."""
    digits = text.rstrip("=")
    padding = len(text) - len(digits)
    if not re.fullmatch(r"[A-Za-z0-9_-]*", digits) or len(digits) % 4 == 1:
        return 0
    return len(digits) * 6 // 8 if padding in (0, -len(digits) % 4) else 0


_UNICODE_ESCAPE: Final = re.compile(r"\\\\|\\u+([0-9a-fA-F]{4})")
_ESCAPE: Final = re.compile(r"\\([0-3]?[0-7]{1,2}|[btnfr\"'\\])")
_NAMED: Final = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", '"': '"', "'": "'", "\\": "\\"}
_SPECIAL: Final = frozenset('\\"\n\r')
_MOST_CONSTANT_BYTES: Final = 65_535
"""The most bytes of a string in a class file, in its variant of UTF-8 (JVM specification, 4.4.7). javac also
limits the number of characters to this."""


def _java_literal(text: str) -> str:
    """The string that javac makes of the text between quotes, for the Java 11 that Kafka is compiled as.

    Unicode escapes are translated first (Java language specification, 3.3), then the others (3.10.6).
    """
    value = text if _SPECIAL.isdisjoint(text) else _unescaped(text)
    if len(value) > _MOST_CONSTANT_BYTES // 6 and (
        _constant_bytes(value) > _MOST_CONSTANT_BYTES or len(value) == _MOST_CONSTANT_BYTES
    ):
        what = f"the default is too long for Java: write at most {_MOST_CONSTANT_BYTES - 1} bytes"
        raise DefaultError(SchemaRule.DEFAULT_STRING_LITERAL, what)
    return value


def _unescaped(text: str) -> str:
    translated = _UNICODE_ESCAPE.sub(lambda found: chr(int(found[1], 16)) if found[1] else found[0], text)
    if not _SPECIAL.isdisjoint(_ESCAPE.sub("", translated)):
        raise DefaultError(
            SchemaRule.DEFAULT_STRING_LITERAL,
            "the default is pasted into Java as it is: no quotes, backslashes or line ends in it",
        )
    return _ESCAPE.sub(lambda found: _NAMED.get(found[1]) or chr(int(found[1], 8)), translated)


def _constant_bytes(text: str) -> int:
    above = sum(char > "\uffff" for char in text)
    return len(text.encode("utf-8", "surrogatepass")) + 2 * above + text.count("\0")
