"""Where Kafka itself is wrong: defects of released classes that the run meets, dated, with their witnesses.

An erratum says of one refusal by the oracle that it is Kafka's defect. It excuses nothing else: what does
not depend on that refusal is judged all the same. `tests/oracle/test_errata.py` shows each entry to be true
on the jar it names, and gone from the release that fixed it.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from kafkawire.compiler import interpret_layout
from kafkawire.schema.layout import FieldLayout, MessageLayout, StructLayout
from kafkawire.schema.model import MessageKind
from wireproof.model import Refusal

__all__ = ["ERRATA", "Erratum", "erratum_of"]


@dataclass(frozen=True, slots=True)
class Erratum:
    """A defect of Kafka's classes.

    Attributes:
        witness: Kafka's own number of it.
        summary: what is wrong, one sentence.
        noted: when it was seen here, on the jar of `seen_in`.
        first, fixed: the releases that have it: from `first` on, before `fixed`.
        stage, error: the refusal that it shows as (`Refusal`).
        touches: whether it strikes this value of this layout.
    """

    witness: str
    summary: str
    noted: date
    seen_in: str
    first: str
    fixed: str
    stage: str
    error: str
    touches: Callable[[MessageLayout, Mapping[str, Any]], bool]


def erratum_of(
    release: str, layout: MessageLayout, value: Mapping[str, Any], refusal: Refusal
) -> Erratum | None:
    """The erratum that explains why the release's class refuses the value; None where none does."""
    for erratum in ERRATA:
        known = _number(erratum.first) <= _number(release) < _number(erratum.fixed)
        alike = (refusal.stage, refusal.error) == (erratum.stage, erratum.error)
        if known and alike and erratum.touches(layout, value):
            return erratum
    return None


def _number(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split("."))


def _at_a_step_of_the_size(layout: MessageLayout, value: Mapping[str, Any]) -> bool:
    """Whether a tagged nullable struct's size prefix is longer with its marker byte than without it."""
    for field, body in _nullable_tagged(layout.root, value):
        assert field.struct is not None
        alone = MessageLayout(field.name, MessageKind.DATA, None, layout.version, field.struct)
        size = interpret_layout(alone).size(body)
        if _varint_bytes(size) != _varint_bytes(size + 1):
            return True
    return False


def _nullable_tagged(
    struct: StructLayout, value: Mapping[str, Any]
) -> Iterator[tuple[FieldLayout, dict[str, Any]]]:
    """Each tagged nullable struct that is not null in the value, wherever it stands."""
    for field in struct.all_fields:
        held = value.get(field.name)
        if field.struct is None or not held:
            continue
        if not field.is_array and field.tag is not None and field.nullable:
            yield field, held
        for each in held if field.is_array else (held,):
            yield from _nullable_tagged(field.struct, each)


def _varint_bytes(number: int) -> int:
    return max(1, -(-number.bit_length() // 7))


ERRATA: Final[tuple[Erratum, ...]] = (
    Erratum(
        witness="KAFKA-18199",
        summary="the size of a tagged nullable struct is reckoned without its marker byte",
        noted=date(2026, 11, 21),
        seen_in="3.8.1",
        first="3.5.0",
        fixed="3.9.1",
        stage="write",
        error="BufferOverflowException",
        touches=_at_a_step_of_the_size,
    ),
)
"""Each entry is met by a run and reproduced by a test; one that is neither has no place here."""
