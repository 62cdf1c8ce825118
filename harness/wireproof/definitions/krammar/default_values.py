"""The values of defaults, as franz-go's generator reads their text.

Source: `SetDefault` and `GetTypeDefault` of each type in franz-go's generator, which uses Go's `strconv`.
"""

import math
import re
from typing import Final, TypeAlias

from wireproof.definitions.krammar.definition_model import (
    INTEGER_RANGES,
    KrammarScalar,
    KrammarType,
    NullableString,
)

DefaultValue: TypeAlias = bool | int | float | None

_BOOLEANS: Final = {
    **dict.fromkeys(("1", "t", "T", "TRUE", "true", "True"), True),
    **dict.fromkeys(("0", "f", "F", "FALSE", "false", "False"), False),
}
_INTEGER: Final = re.compile(
    r"(?P<sign>[-+]?)(?:0[xX](?P<hexadecimal>[0-9a-fA-F]{1,40})|0[bB](?P<binary>[01]{1,80})"
    r"|0[oO]?(?P<octal>[0-7]{1,40})|(?P<decimal>\d{1,40}))",
    re.ASCII,
)
_FLOAT: Final = re.compile(r"[-+]?(?:\d{1,40}\.?\d{0,40}|\.\d{1,40})(?:e[-+]?\d{1,4})?", re.ASCII | re.I)
_BASES: Final = {"hexadecimal": 16, "binary": 2, "octal": 8, "decimal": 10}
_NULLABLE: Final = (KrammarScalar.NULLABLE_STRING, KrammarScalar.NULLABLE_BYTES)
_WITHOUT_DEFAULT: Final = (
    KrammarScalar.STRING,
    KrammarScalar.BYTES,
    KrammarScalar.VARINT_STRING,
    KrammarScalar.VARINT_BYTES,
)


def default_value(type_: KrammarType, text: str) -> DefaultValue:
    """The value of a default, None for null; an enum is given as its integer type.

    Raises ValueError if the type has no such default; the text says what to write.
    """
    if type_ is KrammarScalar.BOOL:
        if text not in _BOOLEANS:
            raise ValueError(f"the default {text[:40]!r} of a bool is not true or false")
        return _BOOLEANS[text]
    if type_ is KrammarScalar.FLOAT64:
        value = float(text) if _FLOAT.fullmatch(text) else math.inf
        if math.isinf(value):  # Go has no literal of it either
            raise ValueError(f"the default {text[:40]!r} is not a finite number: write 1.5, say")
        return value or 0.0  # the generated Go has no negative zero
    if type_ in _NULLABLE or isinstance(type_, NullableString):
        if text != "null":
            raise ValueError(f"the default {text[:40]!r} is not null, the only one of a nullable type")
        return None
    if isinstance(type_, KrammarScalar) and type_ in INTEGER_RANGES:
        return _integer(text, *INTEGER_RANGES[type_])
    raise ValueError(f"a field of type {type_} has no default: remove it")


def _integer(text: str, lowest: int, highest: int) -> int:
    match = _INTEGER.fullmatch(text)
    kind = match.lastgroup if match else None
    if match is None or kind is None or kind == "sign":
        if text in ("0", "+0", "-0"):
            return 0
        words = f"the default {text[:40]!r} is not a whole number: write it in decimal, or as 0x and digits"
        raise ValueError(words)
    number = int(match[kind], _BASES[kind])
    number = -number if match["sign"] == "-" else number
    if not lowest <= number <= highest:
        raise ValueError(f"the default {text[:40]} is not from {lowest} to {highest}")
    return number


def can_be_tagged(type_: KrammarType) -> bool:
    """Test if the generator knows when a tagged field of this type is left out."""
    return type_ not in _WITHOUT_DEFAULT
