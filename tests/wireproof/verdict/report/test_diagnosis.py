"""A diagnosis names the error that an operator of `wireproof power` planted into a real encoding."""

import uuid
from typing import Any, Final

import pytest

from kafkawire.compiler import compile_layout
from kafkawire.schema import SchemaSet, read_message, resolve
from kafkawire.schema.layout import MessageLayout
from wireproof.model.divergence import Divergence
from wireproof.power.testees.operator import FieldOperator
from wireproof.power.testees.operators import OPERATORS
from wireproof.proof.checks.check_table import Check
from wireproof.proof.checks.comparing.divergences import byte_differences
from wireproof.verdict.report.diagnosis import KNOWN_ERRORS, diagnose

_MESSAGE: Final = """{
  "apiKey": 1, "type": "request", "name": "Probe", "validVersions": "0-1", "flexibleVersions": "1+",
  "fields": [
    { "name": "text", "type": "string", "versions": "0+", "nullableVersions": "0+" },
    { "name": "wide", "type": "int64", "versions": "0+" },
    { "name": "number", "type": "int32", "versions": "0+" },
    { "name": "id", "type": "uuid", "versions": "0+" },
    { "name": "list", "type": "[]int32", "versions": "0+", "nullableVersions": "0+" }
  ]
}"""

_UUID: Final = uuid.UUID(bytes=bytes(range(16)))
_PLANTED: Final[list[tuple[str, str, Any]]] = [
    ("length-in-characters", "text", "grün und süß"),
    ("ascii-only", "text", "Grün"),
    ("no-astral-characters", "text", "a\U0001f600b"),
    ("null-as-empty", "text", None),
    ("empty-as-null", "text", ""),
    ("null-as-empty", "list", None),
    ("empty-as-null", "list", []),
    ("int64-as-double", "wide", (1 << 60) + 1),
    ("int64-as-int32", "wide", (1 << 40) + 7),
    ("half-width", "number", (1 << 20) + 7),
    ("negatives-as-zero", "number", -5),
    ("high-bit-lost", "number", -(1 << 31) + (1 << 20) + 9),
    ("uuid-halves-swapped", "id", _UUID),
    ("uuid-little-endian", "id", _UUID),
]


def layout(version: int) -> MessageLayout:
    spec, problems = read_message(_MESSAGE, "Probe.json")
    assert spec is not None, problems
    return resolve(SchemaSet("1.0.0", {"clients": {"Probe": spec}}).modules["clients"]["Probe"], version)


def difference(version: int, right: dict[str, Any], wrong: dict[str, Any]) -> Divergence:
    found = layout(version)
    codec = compile_layout(found)
    sides = codec.encode(wrong), codec.encode(right)
    return next(byte_differences(found, Check.BYTES, "codec", "the bytes differ from Kafka's", *sides))


@pytest.mark.parametrize("version", [0, 1])
@pytest.mark.parametrize(("name", "field", "value"), _PLANTED)
def test_a_planted_error_is_diagnosed(name: str, field: str, value: Any, version: int) -> None:
    """In both encodings of lengths, and among fields with other values."""
    operator = OPERATORS[name]
    assert isinstance(operator, FieldOperator)
    (wanted,) = [each for each in layout(version).root.fields if each.name == field]
    assert operator.fits(wanted)
    plain = {"text": "x", "wide": 1, "number": 2, "id": uuid.UUID(int=1), "list": [3]}
    right = {**plain, field: value}

    found = diagnose(difference(version, right, {**plain, field: operator.change(value, wanted)}))

    assert found is not None
    assert found.operator == name


@pytest.mark.parametrize(
    ("divergence", "operator"),
    [
        (Divergence(Check.CUT, "codec", "", kind="accepted"), "cut-accepted"),
        (Divergence(Check.CUT, "codec", "", kind="crashed:IndexError"), "cut-crashes"),
        (Divergence(Check.DECODE, "codec", "", kind="read-past-end"), "reads-past-the-end"),
        (Divergence(Check.SIZE, "codec", ""), "size-off-by-one"),
        (Divergence(Check.DECODE, "codec", "", "a[1].errorCode", kind="refused:X"), "unknown-code-refused"),
        (Divergence(Check.BYTES, "codec", "", "_tags", kind="tags-lost"), "unknown-tags-lost"),
        (Divergence(Check.BYTES, "codec", "", "a", kind="default:differs"), "default-other"),
        (Divergence(Check.BYTES, "codec", "", "a"), None),
        (Divergence(Check.BYTES, "codec", "", "a", "int32"), None),
    ],
)  # fmt: skip
def test_a_kind_is_diagnosed(divergence: Divergence, operator: str | None) -> None:
    found = diagnose(divergence)
    assert (None if found is None else found.operator) == operator


def test_an_unknown_error_has_no_diagnosis() -> None:
    """A number that is wrong in another way is not called by the name of a known one."""
    right = {"text": "x", "wide": 1, "number": 1000, "id": _UUID, "list": []}
    assert diagnose(difference(0, right, {**right, "number": 1001})) is None


def test_every_diagnosis_is_an_operator() -> None:
    assert set(KNOWN_ERRORS) <= set(OPERATORS)
