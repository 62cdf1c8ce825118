"""Diagnoses: known programming errors, recognized by their effect on a field.

The names are those of the operators with which `wireproof power` plants the same errors into codecs.
A diagnosis is a guess for the reader; no verdict depends on it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from wireproof.model.divergence import ByteEvidence, Divergence
from wireproof.proof.checks.check_table import Check


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The probable cause of a finding: a sentence without its full stop, and the operator that plants it."""

    operator: str
    words: str


@dataclass(frozen=True, slots=True)
class _Symptom:
    """A divergence with the bytes of its field on both sides; empty where they are not known."""

    divergence: Divergence
    codec: bytes
    oracle: bytes

    @property
    def kind(self) -> str:
        return self.divergence.kind

    @property
    def type(self) -> str:
        return self.divergence.field_type

    def numbers(self) -> tuple[int, int] | None:
        """The integers of both sides; None for a field of another type or width."""
        if self.type not in _WIDTHS or {len(self.codec), len(self.oracle)} != {_WIDTHS[self.type]}:
            return None
        signed = not self.type.startswith("uint")
        codec, oracle = (int.from_bytes(side, "big", signed=signed) for side in (self.codec, self.oracle))
        return codec, oracle


_WIDTHS: Final = {"int8": 1, "int16": 2, "uint16": 2, "int32": 4, "uint32": 4, "int64": 8}


def diagnose(divergence: Divergence) -> Diagnosis | None:
    """Return the known error whose effect the divergence shows; None if no known error does."""
    return next(_diagnoses(_symptom(divergence)), None)


def _symptom(divergence: Divergence) -> _Symptom:
    evidence = divergence.bytes or ByteEvidence()
    sides = []
    for side in (evidence.codec, evidence.oracle):
        found = b""
        for start, end, name in () if side is None else side.fields:
            if name == divergence.path and side is not None:
                found = side.data[max(0, start - side.start) : max(0, end - side.start)]
        sides.append(_content(found) if divergence.field_type == "string" else found)
    return _Symptom(divergence, *sides)


def _content(data: bytes) -> bytes:
    """The bytes of a string without its length prefix: an int16, or an unsigned varint of length + 1."""
    if len(data) - 2 == int.from_bytes(data[:2], "big"):
        return data[2:]
    size = next((at + 1 for at, byte in enumerate(data) if byte < 0x80), 0)
    return data[size:]


def _diagnoses(symptom: _Symptom) -> Iterator[Diagnosis]:
    for operator, (words, shows) in KNOWN_ERRORS.items():
        if shows(symptom):
            yield Diagnosis(operator, words)


def _length_in_characters(symptom: _Symptom) -> bool:
    """Test if the codec cut the text: it took the number of characters for the number of bytes."""
    if symptom.type != "string" or not symptom.codec or symptom.codec == symptom.oracle:
        return False
    try:
        text = symptom.oracle.decode()
    except UnicodeDecodeError:
        return False
    # The codec may drop an incomplete character at the cut.
    cut = len(text) - 3 <= len(symptom.codec) <= len(text) < len(symptom.oracle)
    return cut and symptom.oracle.startswith(symptom.codec)


def _ascii_only(symptom: _Symptom) -> bool:
    text = symptom.oracle.decode(errors="replace")
    return not symptom.oracle.isascii() and symptom.codec == text.encode("ascii", "replace")


def _no_astral(symptom: _Symptom) -> bool:
    """Characters of four bytes were written as two surrogates of three bytes, or as replacements."""
    has_four = any(byte >= 0xF0 for byte in symptom.oracle)
    return symptom.type == "string" and has_four and symptom.codec != symptom.oracle and bool(symptom.codec)


def _number(shows: Callable[[int, int, int], bool]) -> Callable[[_Symptom], bool]:
    """Return a test of a symptom that compares the integers of both sides, given the field's bits."""

    def tested(symptom: _Symptom) -> bool:
        numbers = symptom.numbers()
        return numbers is not None and numbers[0] != numbers[1] and shows(*numbers, 8 * len(symptom.codec))

    return tested


def _low(value: int, bits: int) -> int:
    """The lower bits of an integer, read as a signed integer of that width."""
    rest = value & (1 << bits) - 1
    return rest - (1 << bits) if rest >> (bits - 1) else rest


def _as_double(codec: int, oracle: int, bits: int) -> bool:
    return bits == 64 and abs(oracle) > 1 << 53 and codec == min(int(float(oracle)), (1 << 63) - 1)


def _uuid_swapped(symptom: _Symptom) -> bool:
    data = symptom.oracle
    return symptom.type == "uuid" and data[:8] != data[8:] and symptom.codec == data[8:] + data[:8]


def _uuid_little_endian(symptom: _Symptom) -> bool:
    data = symptom.oracle
    mixed = data[3::-1] + data[5:3:-1] + data[7:5:-1] + data[8:]
    return symptom.type == "uuid" and data != mixed and symptom.codec in (mixed, data[::-1])


def _of_kind(*kinds: str) -> Callable[[_Symptom], bool]:
    return lambda symptom: symptom.kind in kinds


def _begins(check: Check, *words: str) -> Callable[[_Symptom], bool]:
    return lambda symptom: symptom.divergence.check == check and symptom.kind.startswith(words)


def _of_code(symptom: _Symptom) -> bool:
    last = symptom.divergence.path.rpartition(".")[2]
    return last == "errorCode" and symptom.kind.startswith(("refused:", "crashed:"))


KNOWN_ERRORS: Final[dict[str, tuple[str, Callable[[_Symptom], bool]]]] = {
    "length-in-characters": (
        "the length of a text is counted in characters, not in bytes",
        _length_in_characters,
    ),
    "ascii-only": ("text is encoded as ASCII, not as UTF-8", _ascii_only),
    "no-astral-characters": ("characters beyond U+FFFF are not encoded as UTF-8 has them", _no_astral),
    "null-as-empty": ("null is taken for empty", _of_kind("empty-for-null")),
    "empty-as-null": ("empty is taken for null", _of_kind("null-for-empty")),
    "unknown-tags-lost": ("tagged fields are lost", _of_kind("tags-lost")),
    "array-reversed": ("the elements of an array come in another order", _of_kind("reordered")),
    "byte-after": ("bytes are written that the message does not have", _of_kind("extra-bytes")),
    "last-byte-lost": ("bytes of the message are not written", _of_kind("missing-bytes")),
    "default-other": (
        "the codec's default of a field is not that of the schema",
        lambda symptom: symptom.kind.startswith("default:"),
    ),
    "int64-as-double": ("an int64 goes through a float64, which has 53 bits", _number(_as_double)),
    "int64-as-int32": (
        "an int64 keeps its lower 32 bits",
        _number(lambda codec, oracle, bits: bits == 64 and codec in (_low(oracle, 32), oracle & 0xFFFFFFFF)),
    ),
    "half-width": (
        "an integer keeps the lower half of its bits",
        _number(
            lambda codec, oracle, bits: codec in (_low(oracle, bits // 2), oracle & ((1 << bits // 2) - 1))
        ),
    ),
    "negatives-as-zero": (
        "a negative integer becomes 0",
        _number(lambda codec, oracle, bits: oracle < 0 and codec == 0),
    ),
    "high-bit-lost": (
        "the highest bit of an integer is lost",
        _number(lambda codec, oracle, bits: codec == oracle & ((1 << (bits - 1)) - 1)),
    ),
    "uuid-halves-swapped": ("the two halves of a uuid are swapped", _uuid_swapped),
    "uuid-little-endian": ("a uuid is written in little-endian order", _uuid_little_endian),
    "unknown-code-refused": ("an error code that the codec does not know is refused", _of_code),
    "size-off-by-one": (
        "the announced size is not computed as the bytes are written",
        lambda symptom: symptom.divergence.check == Check.SIZE and symptom.kind == "differs",
    ),
    "reads-past-the-end": (
        "the codec does not compare a length with the bytes that are left",
        _of_kind("read-past-end"),
    ),
    "cut-accepted": ("the end of the bytes is not checked", _begins(Check.CUT, "accepted")),
    "cut-crashes": (
        "the end of the bytes is not checked: the codec ends in an error that it does not declare",
        _begins(Check.CUT, "crashed:"),
    ),
}
"""The meaning of each operator, and the test that recognizes its effect; the most specific first."""
