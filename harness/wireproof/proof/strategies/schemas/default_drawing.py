"""Drawing defaults that a type takes, in every way of writing them.

Source: Kafka's `FieldSpec.fieldDefault`.
"""

import base64
from typing import Any, Final

from wireproof.proof.strategies.schemas.choices import Choices, chance, pick

__all__ = ["INTEGER_BITS", "draw_default"]

INTEGER_BITS: Final = {"int8": 8, "int16": 16, "uint16": 16, "int32": 32, "uint32": 32, "int64": 64}
_UNSIGNED: Final = frozenset({"uint16", "uint32"})

_FLOATS: Final = (
    *("1.5", "-1", "NaN", "Infinity", "-Infinity", "-0.0", "0", "1e300", "4.9e-324", ".5", "5."),
    *("1f", "1.25D", "0x1p3", "-0x1.8p-2", " 2 ", "1e999", "-NaN"),
)
_STRINGS: Final = (
    *("a", "unknown", "ü", "日本", "\U0001f600", " ", "NULL", "0x10", "// no comment", "/* nor this */"),
    *('\\"', "\\\\", "\\n", "\\u0041", "\\7", "%s", "'", "x" * 200),
)


def draw_default(choices: Choices, field_type: str) -> Any:
    """A default other than null, as the value of the key; JSON's null is the same as no default."""
    if chance(choices, 4):
        return None if chance(choices, 50) else ""
    if field_type in INTEGER_BITS:
        return _integer(choices, field_type)
    match field_type:
        case "bool":
            return pick(choices, ("true", "false", True, False, "TRUE", "False"))
        case "float64":
            return pick(choices, (*_FLOATS, 1.5, -2))
        case "uuid":
            return _uuid(choices)
        case "string":
            return pick(choices, (*_STRINGS, 5, True))
        case "records":
            return pick(choices, ("", "null", "ignored"))
        case _:
            return ""


def _integer(choices: Choices, field_type: str) -> Any:
    bits = INTEGER_BITS[field_type]
    # javac takes the default of a uint32 for an int.
    highest = (1 << (bits if field_type == "uint16" else bits - 1)) - 1
    lowest = 0 if field_type in _UNSIGNED else -highest - 1
    number = pick(choices, (1, 0, 5, highest, lowest, lowest // 2, highest // 3))
    ways: tuple[Any, ...] = (str(number), str(number), number)
    if number >= 0:
        ways += (f"0x{number:x}", f"0x{number:X}", f"+{number}", f"0x0{number:x}")
        ways += (f"0{number:o}", "0x") if number < 8 else ()
    return pick(choices, ways)


def _uuid(choices: Choices) -> str:
    raw = bytes(choices.below(256) for _ in range(16)) if chance(choices, 70) else bytes(16)
    if chance(choices, 20):
        raw = b"\xff" * 16
    text = base64.urlsafe_b64encode(raw).decode()
    return text if chance(choices, 30) else text.rstrip("=")
