"""A deviation: a trigger, the action in place of Kafka's, and where a codec does so."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from wireproof.model import CodecDirection
from wireproof.proof.deviations.catalogue.conditions import check_condition
from wireproof.proof.deviations.catalogue.trigger import MESSAGE, OF_FIELDS, SIBLING
from wireproof.proof.deviations.catalogue.triggers import (
    ENDINGS,
    OF_VALUES,
    TRIGGERS,
    VALUE_ACTIONS,
    WITH_VALUE,
    Trigger,
)
from wireproof.proof.deviations.value_changes import VALUE_CHANGES

__all__ = ["Deviation", "Scope", "Versions", "parse_narrow", "parse_scope", "scope_text"]

Versions: TypeAlias = frozenset[int]
Scope: TypeAlias = Mapping[str, Versions]
"""Versions by message; no message at all means everywhere."""
_Place: TypeAlias = tuple[frozenset[str], frozenset[str]]
"""Types, and paths without indices."""
_Cell: TypeAlias = tuple[str, int]
"""A message and its version."""

_FAMILIES: Final = frozenset(
    f"{compact}{each}" for compact in ("", "compact ") for each in ("string", "bytes", "records", "array")
) | {"struct", "tag section", "unsigned varint", "uuid", "bool", "field"}
_WORD: Final = re.compile(r"(?P<message>[A-Za-z]\w*)(?: (?P<versions>\d+(?:-\d+)?(?:, ?\d+(?:-\d+)?)*))?")

_TYPES: Final = re.compile(r" \[([a-z0-9, ]+)\]")


@dataclass(frozen=True, slots=True)
class Deviation:
    """One thing that a codec does otherwise than Kafka.

    Attributes:
        trigger: of `TRIGGERS`.
        action: of the trigger, of `VALUE_ACTIONS`, or of `ENDINGS`.
        error: the class of error that the codec raises; empty where it raises none, and for a refusal, whose
            class says nothing.
        value: of an action of `WITH_VALUE` the value, as JSON.
        types: the types in which it shows, as `type_name` words them; empty for any, and where the trigger
            has no type.
        fields: the paths without indices; empty for any.
        scope: the versions of each message; empty for every message.
        narrow: the places in a message and version of the scope, each with types and fields, where they are
            not `types` and `fields`.
        outside: of a deviation of every message, the versions of messages that do not show it.
    """

    direction: CodecDirection
    trigger: str
    action: str
    error: str = ""
    value: str = ""
    types: frozenset[str] = frozenset()
    fields: frozenset[str] = frozenset()
    scope: Scope = field(default_factory=dict)
    narrow: Mapping[_Cell, frozenset[_Place]] = field(default_factory=dict)
    outside: Scope = field(default_factory=dict)

    def __hash__(self) -> int:
        return hash(
            (self.direction, self.trigger, self.action, self.error, self.value, self.types, self.fields)
        )

    @property
    def row(self) -> Trigger:
        return TRIGGERS[self.direction, self.trigger]

    @property
    def family(self) -> str:
        """The part that one function of a codec handles: ``compact string``, ``number``, ``array``."""
        if self.trigger == "elements":
            return "struct" if self.types == {"array of struct"} else "scalar"
        names = {each.replace("nullable ", "").removesuffix(" of a tag") for each in self.types}
        return " ".join(sorted(each if each in _FAMILIES else "number" for each in names))

    @property
    def all_fields(self) -> frozenset[str]:
        """The fields of every message and version together."""
        return self.fields.union(*(fields for places in self.narrow.values() for _, fields in places))

    @property
    def all_types(self) -> frozenset[str]:
        """The types of every message and version together."""
        return self.types.union(*(types for places in self.narrow.values() for types, _ in places))

    @property
    def ends_late(self) -> bool:
        """Test if it ends the answer at a value, which a codec may look at after it has read all bytes."""
        read = self.direction is CodecDirection.DECODE
        return read and self.action in ENDINGS and self.trigger in OF_VALUES

    def mistake(self, message: str) -> tuple[object, ...]:
        """Return what makes two deviations one thing to fix; of a field's value the message is a part of it.

        Args:
            message: one that shows it.
        """
        place: tuple[str, ...] = ()
        if self.trigger in OF_FIELDS:
            names = sorted({each.rpartition(".")[2] for each in self.all_fields})
            refused = self.value and self.action not in WITH_VALUE  # a number is refused in one function
            place = tuple(names) if refused else (message, *names)
            place = (message,) if self.trigger == SIBLING else place
        return self.direction, self.trigger, self.action, self.error, self.value, self.family, place

    def shown_in(self, message: str, version: int) -> "Deviation":
        """Return the deviation of one message and version, as a scope."""
        return replace(self, scope={message: frozenset({version})})

    def within(self, message: str, version: int) -> "tuple[Deviation, ...]":
        """Return the deviation without a scope, as it is in one message and version, for each place there.

        One of whole messages keeps that message as its scope: the message's header is another one.
        """
        scope: Scope = {message: frozenset({version})} if self.trigger == MESSAGE else {}
        return tuple(
            replace(self, scope=scope, narrow={}, outside={}, types=types, fields=fields)
            for types, fields in _in_order(self._places((message, version)))
        )

    def joined(self, other: "Deviation") -> "Deviation":
        """Return one deviation with the places of both; one for every message wins."""
        if not (self.scope and other.scope):
            return other if self.scope else self
        cells = dict(self._cells())
        for cell, places in other._cells():
            cells[cell] = _widest(cells.get(cell, places) | places)
        return self._of_cells(cells)

    def without(self, scope: Scope) -> "Deviation | None":
        """Return the deviation without some versions of messages; None where nothing is left."""
        if not self.scope:
            messages = (*self.outside, *scope)
            empty: Versions = frozenset()
            outside = {name: self.outside.get(name, empty) | scope.get(name, empty) for name in messages}
            return replace(self, outside=outside)
        cells = {
            (message, version): places
            for (message, version), places in self._cells()
            if version not in scope.get(message, ())
        }
        return self._of_cells(cells) if cells else None

    def places_text(self) -> list[str]:
        """Format the scope with its types and fields, as `parse_scope` and `parse_narrow` read it."""
        words = []
        for message, versions in sorted(self.scope.items()):
            shown: dict[_Place, set[int]] = {}
            for version in sorted(versions):
                for place in _in_order(self._places((message, version))):
                    shown.setdefault(place, set()).add(version)
            for (types, fields), some in shown.items():
                kinds = f" [{', '.join(sorted(types))}]" if types != self.types else ""
                names = f": {', '.join(sorted(fields))}" if fields != self.fields else ""
                words.append(f"{message} {_spans(frozenset(some))}{kinds}{names}")
        return words

    def everywhere_text(self, words: str) -> str:
        """Format the scope of a deviation of every message: `words`, and the messages outside."""
        outside = "; ".join(scope_text(self.outside))
        return f"{words} but {outside}" if outside else words

    def _places(self, cell: _Cell) -> frozenset[_Place]:
        return self.narrow.get(cell) or frozenset({(self.types, self.fields)})

    def _cells(self) -> Iterator[tuple[_Cell, frozenset[_Place]]]:
        for message, versions in self.scope.items():
            for version in sorted(versions):
                yield (message, version), self._places((message, version))

    def _of_cells(self, cells: Mapping[_Cell, frozenset[_Place]]) -> "Deviation":
        scope: dict[str, Versions] = {}
        for message, version in cells:
            scope[message] = scope.get(message, frozenset()) | {version}
        shown = Counter(place for places in cells.values() for place in places)
        wide = min(_in_order(shown), key=lambda place: (bool(place[1]), bool(place[0]), -shown[place]))
        narrow = {cell: places for cell, places in cells.items() if places != {wide}}
        return replace(self, scope=scope, types=wide[0], fields=wide[1], narrow=narrow)

    def is_like(self, other: "Deviation") -> bool:
        """Test if the two are of one trigger and one place: only one of them can be true."""
        one = self.direction, self.trigger, self.types, self.fields
        return one == (other.direction, other.trigger, other.types, other.fields)

    def covers(self, message: str, version: int) -> bool:
        """Test if a message at a version is in the scope."""
        if not self.scope:
            return version not in self.outside.get(message, ())
        return version in self.scope.get(message, ())

    def everywhere(self, outside: Scope) -> "Deviation":
        """Return the deviation as one of every message, in all fields of its types.

        Args:
            outside: the versions of messages that do something else.
        """
        return replace(self, scope={}, narrow={}, fields=frozenset(), types=self.all_types, outside=outside)

    def is_at(self, kind: str, path: str) -> bool:
        """Test if a type and a field are in the scope."""
        return (not self.types or kind in self.types) and (not self.fields or path in self.fields)

    def check(self) -> None:
        """Check that the catalogue has the trigger and the action.

        Raises:
            ValueError: it has not.
        """
        row = TRIGGERS.get((self.direction, self.trigger))
        if row is None:
            names = ", ".join(name for direction, name in TRIGGERS if direction == self.direction)
            raise ValueError(
                f"there is no trigger {self.trigger!r} of {self.direction}: expected one of {names}"
            )
        known = {*row.actions, *ENDINGS, *(VALUE_ACTIONS if self.trigger == "value" else ())}
        if self.trigger == SIBLING:
            known = {*VALUE_CHANGES}
            check_condition(self.value)
        if self.action not in known:
            words = ", ".join(sorted(known))
            raise ValueError(
                f"the trigger {self.trigger} has no action {self.action!r}: expected one of {words}"
            )


def parse_scope(words: Iterable[str], known: Mapping[str, Iterable[int]] | None = None) -> Scope:
    """Parse ``FetchRequest 4-11, 13``; without versions all that `known` has. Types and fields are left.

    Raises:
        ValueError: one of them is not a message with its versions.
    """
    scope: dict[str, Versions] = {}
    for word in words:
        found = _WORD.fullmatch(_TYPES.sub("", word.partition(":")[0]).strip())
        if found is None:
            raise ValueError(f"{word!r} is not a message with its versions, such as 'FetchRequest 4-11'")
        message, text = found["message"], found["versions"]
        before = scope.get(message, frozenset())
        if text is None:
            scope[message] = before.union((known or {}).get(message, range(1 << 15)))
            continue
        spans = (part.strip().partition("-") for part in text.split(","))
        numbers = (range(int(low), int(high or low) + 1) for low, _, high in spans)
        scope[message] = before.union(number for each in numbers for number in each)
    return scope


def _widest(places: frozenset[_Place]) -> frozenset[_Place]:
    """Return the places without those that another one covers."""
    return frozenset(
        place for place in places if not any(_covers(other, place) for other in places if other != place)
    )


def _covers(wide: _Place, place: _Place) -> bool:
    return all(not all_of or (some and some <= all_of) for all_of, some in zip(wide, place, strict=True))


def _in_order(places: Iterable[_Place]) -> list[_Place]:
    return sorted(places, key=lambda place: (sorted(place[1]), sorted(place[0])))


def parse_narrow(words: Iterable[str], scope: Scope, wide: _Place) -> dict[_Cell, frozenset[_Place]]:
    """Parse the types and the fields in ``FetchRequest 12 [string]: topics[].topic, rackId``.

    Args:
        scope: of the words.
        wide: the types and the fields of words without any.

    Raises:
        ValueError: a message has a colon and no field.
    """
    cells: dict[_Cell, frozenset[_Place]] = {}
    for word in words:
        head, colon, text = word.partition(":")
        found = _TYPES.search(head)
        place = wide[0] if found is None else _names(found[1]), _names(text) if colon else wide[1]
        if colon and not place[1]:
            raise ValueError(f"{word!r} has no field after the colon")
        for message, versions in parse_scope([head], scope).items():
            for version in versions:
                cells[message, version] = cells.get((message, version), frozenset()) | {place}
    return {cell: places for cell, places in cells.items() if places != {wide}}


def _names(text: str) -> frozenset[str]:
    return frozenset(filter(None, map(str.strip, text.split(","))))


def scope_text(scope: Scope) -> list[str]:
    """Format a scope as `parse_scope` reads it."""
    return [f"{message} {_spans(versions)}" for message, versions in sorted(scope.items())]


def _spans(versions: Versions) -> str:
    parts: list[list[int]] = []
    for each in sorted(versions):
        if parts and parts[-1][-1] == each - 1:
            parts[-1][1:] = [each]
        else:
            parts.append([each])
    return ", ".join("-".join(map(str, part)) for part in parts)
