"""Defaults: their text and their value."""

import math
import struct
from typing import Any
from uuid import UUID

import pytest

from kafkawire.schema import EMPTY, ArrayType, FieldType, ScalarType, StructType, parse_default

_STRUCT = StructType("S")
_ARRAY = ArrayType(ScalarType.INT8)
_INTEGERS = (
    ScalarType.INT8,
    ScalarType.INT16,
    ScalarType.UINT16,
    ScalarType.INT32,
    ScalarType.UINT32,
    ScalarType.INT64,
)


@pytest.mark.parametrize(
    ("type_", "text", "value"),
    [
        (ScalarType.BOOL, "", False),
        (ScalarType.BOOL, "TRUE", True),
        (ScalarType.BOOL, "False", False),
        *((scalar, "", 0) for scalar in _INTEGERS),
        *((scalar, "0x7f", 127) for scalar in _INTEGERS),
        (ScalarType.INT8, "-128", -128),
        (ScalarType.INT16, "0x7FFF", 32767),
        (ScalarType.UINT16, "65535", 65535),
        (ScalarType.INT32, "0x7fffffff", 2**31 - 1),
        (ScalarType.INT32, "+5", 5),
        (ScalarType.INT32, "-0", 0),
        (ScalarType.INT32, "010", 8),
        (ScalarType.INT32, "-017", -15),
        (ScalarType.INT32, "00", 0),
        (ScalarType.UINT32, "2147483647", 2**31 - 1),
        (ScalarType.INT64, "-9223372036854775808", -(2**63)),
        (ScalarType.UUID, "", UUID(int=0)),
        (ScalarType.UUID, "AAAAAAAAAAAAAAAAAAAAAQ", UUID(int=1)),
        (ScalarType.UUID, "_-8AAAAAAAAAAAAAAAAAAA==", UUID(int=0xFFEF << 112)),
        (ScalarType.STRING, "", ""),
        (ScalarType.STRING, "null", None),
        (ScalarType.STRING, "ü %s // x", "ü %s // x"),
        (ScalarType.STRING, r"a\tb\\\"\101\u0041\uu00e9", 'a\tb\\"AAé'),
        (ScalarType.BYTES, "", b""),
        (ScalarType.BYTES, "null", None),
        (ScalarType.RECORDS, "", None),
        (ScalarType.RECORDS, "null", None),
        (_ARRAY, "", EMPTY),
        (_ARRAY, "null", None),
        (_STRUCT, "", EMPTY),
        (_STRUCT, "null", None),
    ],
)
def test_a_default_has_kafkas_value(type_: FieldType, text: str, value: Any) -> None:
    """The default of each type, absent or given, is that of Kafka's class."""
    parsed = parse_default(type_, text)
    assert parsed == value
    assert type(parsed) is type(value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", 0.0),
        ("1", 1.0),
        (" -1.5e3 ", -1500.0),
        ("5.", 5.0),
        (".5f", 0.5),
        ("2D", 2.0),
        ("1e400", math.inf),
        ("-Infinity", -math.inf),
        ("0x1p3", 8.0),
        ("-0x.8P1d", -1.0),
        ("0x1p9999", math.inf),
        ("-0x1p9999", -math.inf),
        ("-0.0", -0.0),
        ("NaN", math.nan),
    ],
)
def test_a_float_default_is_read_as_java_does(text: str, value: float) -> None:
    """Every text that Java's Double.parseDouble accepts is read, to the bit."""
    parsed = parse_default(ScalarType.FLOAT64, text)
    assert isinstance(parsed, float)
    assert struct.pack(">d", parsed) == struct.pack(">d", value)


@pytest.mark.parametrize("text", ["inf", "nan", "1_0", "1e", "0x1", "NaNd", "x", "1 2"])
def test_a_float_default_that_java_refuses_is_refused(text: str) -> None:
    """A text that Python accepts as a float and Java does not is refused."""
    with pytest.raises(ValueError, match="not a number"):
        parse_default(ScalarType.FLOAT64, text)
