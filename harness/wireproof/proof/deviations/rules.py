"""The deviations of one message in one direction, by trigger; and the triggers met and deviations fired."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple, TypeAlias

from kafkawire.schema.layout import FieldLayout, StructLayout
from kafkawire.schema.model import ScalarType
from kafkawire.values import TAGS
from wireproof.model.repertoire import CodecDirection
from wireproof.proof.deviations.catalogue.trigger import BODY, CRASH, FRAME, NEIGHBOURS, REFUSE, SIZE
from wireproof.proof.deviations.deviation import Deviation
from wireproof.proof.deviations.wrong_layouts import ADDED, in_place

TAG_SECTION: Final = "tag section"
KNOWN_CODES: Final = range(-1, 151)
"""The error codes that a release of Kafka may have."""
ENDLESS: Final = "hang"
"""The error of a codec that takes all of its time or memory."""
_NUMBERS: Final = frozenset({"int8", "int16", "uint16", "int32", "uint32", "int64", "float64"})
_PREFIXED: Final = ("string", "bytes", "records", "array")
_PLAIN: Final = {each: each.value for each in ScalarType}
_BASES: Final = {ScalarType.STRING: "string", ScalarType.BYTES: "bytes", ScalarType.RECORDS: "records"}


class EndingError(Exception):
    """The codec gives no value or bytes.

    Attributes:
        error: the class of error; empty for a refusal.
    """

    def __init__(self, error: str = "") -> None:
        super().__init__(error)
        self.error = error


def type_name(field: FieldLayout, *, element: bool = False) -> str:
    """Name a field's type as Kafka's `Type` does: ``compact nullable string``, ``array``, ``int32``.

    Args:
        element: name the type of an array's elements, which are never null.
    """
    if field.is_array and not element:
        base = "array"
    elif field.struct is not None:
        return "nullable struct" if field.nullable and not element else "struct"
    else:
        assert field.scalar is not None
        base = _BASES.get(field.scalar, "")
        if not base:
            return _PLAIN[field.scalar]
    nullable = "nullable " if field.nullable and not element else ""
    return f"{'compact ' if field.compact else ''}{nullable}{base}"


class OtherReplyError(Exception):
    """The prediction cannot be the codec's reply any more."""


class NamedField(NamedTuple):
    """A field of a struct with its type's name and its path."""

    field: FieldLayout
    kind: str
    path: str

    @classmethod
    def of(cls, field: FieldLayout, prefix: str) -> "NamedField":
        """Return a field of the struct at a prefix."""
        return cls(field, type_name(field), f"{prefix}{field.name}")


def _named(fields: Iterable[FieldLayout], prefix: str) -> tuple[NamedField, ...]:
    return tuple(NamedField.of(each, prefix) for each in fields)


@dataclass(frozen=True, slots=True)
class StructNames:
    """The fields of a struct with the names of their types and their paths.

    Attributes:
        fields: the fields that are not tagged.
        absent: the fields of other versions, without tags.
        other_tags: the tagged fields of other versions, by their tags.
        by_tag: the tagged fields by their tags.
        reserved: the tags of other versions.
        names: the names of all its fields, and the key of unknown tags.
    """

    layout: StructLayout
    fields: tuple[NamedField, ...]
    tagged: tuple[NamedField, ...]
    absent: tuple[NamedField, ...]
    other_tags: Mapping[int, NamedField]
    by_tag: Mapping[int, FieldLayout]
    reserved: frozenset[int]
    names: frozenset[str]


_MOST_STRUCTS: Final = 1 << 12
"""Structs that are kept: more than the messages of a release have."""
_structs: Final[dict[tuple[int, str], StructNames]] = {}


def struct_names(layout: StructLayout, prefix: str) -> StructNames:
    """Return the fields of a struct with their names; they are kept.

    They are looked up by the identity of their layout: to hash or to compare the tree would cost more.
    """
    key = id(layout), prefix
    found = _structs.get(key)
    if found is None:
        if len(_structs) >= _MOST_STRUCTS:
            _structs.clear()
        found = _structs[key] = StructNames(
            layout,  # while it is kept, no other layout has its id
            _named(layout.fields, prefix),
            _named(layout.tagged, prefix),
            _named(in_place(layout.absent, flexible=layout.flexible), prefix),
            {
                each.tag: NamedField.of(each, prefix)
                for each in in_place(layout.absent, flexible=True, tagged=True)
                if each.tag is not None and layout.flexible
            },
            {each.tag: each for each in layout.tagged if each.tag is not None},
            layout.reserved_tags,
            frozenset({TAGS, *(each.name for each in layout.all_fields)}),
        )
    return found


def family_of(types: Iterable[str]) -> frozenset[str]:
    """Return the types that a codec reads and writes with the same code: nullable or not, or numbers."""
    found = frozenset(types)
    for each in found:
        if each in _NUMBERS:
            found |= _NUMBERS
        elif each in (BODY, FRAME):
            found |= {BODY, FRAME}
        elif each.split()[-1] in _PREFIXED:
            plain = each.replace("nullable ", "")
            compact = "compact " if plain.startswith("compact ") else ""
            found |= {plain, f"{compact}nullable {plain.removeprefix(compact)}"}
    return found


def widened(deviation: Deviation) -> Deviation:
    """Return the deviation for the whole family of its types; one of signs or large numbers is unchanged."""
    if deviation.trigger in ("sign", "beyond-int32", "beyond-53-bits"):
        return deviation
    return replace(deviation, types=family_of(deviation.types))


RulesByTrigger: TypeAlias = Mapping[str, Sequence[Deviation]]

_NONE: Final[RulesByTrigger] = {}


def rules_of(
    deviations: Iterable[Deviation], message: str, version: int
) -> tuple[RulesByTrigger, RulesByTrigger]:
    """Return the deviations of reading and of writing a message; those limited to fields come first."""
    found: dict[CodecDirection, dict[str, list[Deviation]]] = {each: {} for each in CodecDirection}
    for each in sorted(deviations, key=lambda each: not each.fields):
        if each.covers(message, version):
            found[each.direction].setdefault(each.trigger, []).append(each)
    return found[CodecDirection.DECODE], found[CodecDirection.ENCODE]


class Rules:
    """The deviations that apply, by trigger.

    Attributes:
        fired: the deviations that replaced Kafka's action, each with the type and the field.
        met: the triggers that were met, with type and field; None if they are not traced.
        moves: whether fields may be in another order, or some of other versions be there.
        layouts: whether fields may have other layouts.
        values: whether fields may have other values.
        expected: the value or the bytes of the codec's reply; None if the whole prediction is asked for.
        content: the decompressed size of the record sets that were read, in bytes.
    """

    __slots__ = (
        *("_by_trigger", "content", "expected", "fired", "last", "layouts", "met", "moves", "values"),
    )

    def __init__(self, rules: RulesByTrigger = _NONE, *, trace: bool = False) -> None:
        self._by_trigger = rules
        self.fired: list[tuple[Deviation, str, str]] = []
        self.met: dict[tuple[str, str, str], None] | None = {} if trace else None
        self.last: tuple[str, str, str] | None = None
        self.content = 0
        self.expected: Any = None
        self.moves = trace or NEIGHBOURS in rules or ADDED in rules
        self.layouts = trace or "layout" in rules
        self.values = trace or "value" in rules

    def at(self, trigger: str, kind: str, path: str) -> str:
        """Return the action at a trigger; empty for Kafka's.

        Raises:
            EndingError: the action ends the answer.
        """
        if self.met is not None:
            self.last = trigger, kind, path
            self.met[self.last] = None
        found = self._by_trigger.get(trigger)
        if found is None:
            return ""
        for each in found:
            if each.is_at(kind, path):
                self.fired.append((each, kind, path))
                if each.action in (REFUSE, CRASH):
                    raise EndingError(each.error if each.action == CRASH else "")
                return each.action
        return ""

    def of(self, trigger: str) -> Sequence[Deviation]:
        """Return the deviations at a trigger."""
        return self._by_trigger.get(trigger, ())

    def concern(self, trigger: str) -> bool:
        """Test if a trigger has a deviation, or is traced."""
        return self.met is not None or trigger in self._by_trigger

    def has(self, trigger: str, action: str) -> bool:
        """Test if a deviation has an action at a trigger, at any type and field."""
        return any(each.action == action for each in self._by_trigger.get(trigger, ()))

    def at_refusal(self, trigger: str = "refused", kind: str = "", path: str = "") -> str:
        """Return the action at a refusal of the reference; empty for Kafka's. `last` keeps the trigger before
        it.

        Raises:
            EndingError: the action ends the answer.
        """
        last = self.last
        try:
            return self.at(trigger, kind, path)
        finally:
            self.last = last

    def of_field(self, kind: str, path: str, value: Any) -> Deviation | None:
        """Return the deviation of a field's value; None for Kafka's value. One that ends the answer may apply
        to a single value only."""
        if self.met is not None:
            self.met["value", kind, path] = None
        for each in self._by_trigger.get("value", ()):
            if each.is_at(kind, path):
                if each.action in (REFUSE, CRASH):
                    if each.value and each.value != json.dumps(value, default=str):
                        continue
                    self.fired.append((each, kind, path))
                    raise EndingError(each.error)
                return each
        return None

    def at_code(self, code: int, kind: str, path: str) -> str:
        """Return the action at an error code; empty for Kafka's.

        A deviation names the lowest code that the codec does not know. Without a code, it is about the codes
        that no release of Kafka has.

        Raises:
            EndingError: the action ends the answer.
        """
        if self.met is not None:
            self.met["unknown-code", kind, path] = None
        if code in KNOWN_CODES and all(
            code < int(each.value or len(KNOWN_CODES)) for each in self._by_trigger.get("unknown-code", ())
        ):
            return ""
        return self.at("unknown-code", kind, path)

    def at_size(self, size: int, kind: str, path: str) -> None:
        """Apply the deviations of a codec that refuses a text, bytes or an array of some size or more.

        Args:
            size: the number of bytes or elements.

        Raises:
            EndingError: a deviation ends the answer.
        """
        if self.met is not None:
            self.met[SIZE, kind, path] = None
        for each in self._by_trigger.get(SIZE, ()):
            if size >= int(each.value) and each.is_at(kind, path):
                self.fired.append((each, kind, path))
                raise EndingError(each.error if each.action == CRASH else "")

    def note(self, deviation: Deviation, kind: str, path: str) -> None:
        """Note that a deviation of a value changed it."""
        self.fired.append((deviation, kind, path))

    def constant(self, trigger: str, kind: str, path: str) -> str:
        """Return the value of the deviation that fired last at a trigger."""
        return next(each.value for each, *_ in reversed(self.fired) if each.trigger == trigger)
