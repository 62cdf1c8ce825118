"""A deviation: a trigger, the codec's action in place of Kafka's, and its scope."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from wireproof.model.repertoire import CodecDirection
from wireproof.proof.deviations.catalogue.trigger import (
    ENDINGS,
    MESSAGE,
    OF_FIELDS,
    SIBLING,
    SIZE,
    VALUE_ACTIONS,
    WITH_VALUE,
    Trigger,
    check_condition,
)
from wireproof.proof.deviations.catalogue.triggers import OF_VALUES, TRIGGERS
from wireproof.proof.deviations.scopes import (
    CellVersion,
    Place,
    Scope,
    Versions,
    cells_of,
    in_order,
    joined_places,
    ranges,
    scope_of,
    scope_text,
    widest,
)
from wireproof.proof.deviations.value_changes import VALUE_CHANGES
from wireproof.proof.deviations.wrong_layouts import RETAG

_FAMILIES: Final = frozenset(
    f"{compact}{each}" for compact in ("", "compact ") for each in ("string", "bytes", "records", "array")
) | {"struct", "tag section", "unsigned varint", "uuid", "bool", "field"}


@dataclass(frozen=True, slots=True)
class Deviation:
    """One thing that a codec does differently from Kafka.

    Attributes:
        trigger: a key of `TRIGGERS`.
        action: an action of the trigger, of `VALUE_ACTIONS`, or of `ENDINGS`.
        error: the class of error that the codec raises, or several classes separated by commas; empty if it
            raises none, and for a refusal, whose class is not compared.
        value: the value of an action of `WITH_VALUE`, as JSON.
        types: the types that show it, as `type_name` names them; empty for all types, and if the trigger has
            no type.
        fields: the paths without indices; empty for all fields.
        scope: the versions of each message; empty for every message.
        narrow: the types and fields of each message and version in which they differ from `types` and
            `fields`.
        outside: the versions of messages that do not show a deviation of every message.
    """

    direction: CodecDirection
    trigger: str
    action: str
    error: str = ""
    value: str = ""
    types: frozenset[str] = frozenset()
    fields: frozenset[str] = frozenset()
    scope: Scope = field(default_factory=dict)
    narrow: Mapping[CellVersion, frozenset[Place]] = field(default_factory=dict)
    outside: Scope = field(default_factory=dict)

    def __hash__(self) -> int:
        return hash(
            (self.direction, self.trigger, self.action, self.error, self.value, self.types, self.fields)
        )

    @property
    def row(self) -> Trigger:
        return TRIGGERS[self.direction, self.trigger]

    @property
    def families(self) -> frozenset[str]:
        """The groups of types that a codec handles with one function: ``compact string``, ``number``."""
        if self.trigger == "elements":
            return frozenset({"struct" if self.types == {"array of struct"} else "scalar"})
        names = {each.replace("nullable ", "").removesuffix(" of a tag") for each in self.all_types}
        return frozenset(each if each in _FAMILIES else "number" for each in names)

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
        """Test if it ends the answer at a value, which a codec may check after it has read all bytes."""
        read = self.direction is CodecDirection.DECODE
        return read and self.action in ENDINGS and self.trigger in OF_VALUES

    @property
    def operator(self) -> tuple[object, ...]:
        """The direction, the trigger and the action, with their parameters: all but the places."""
        return self.direction, self.trigger, self.action, self.error, self.value

    def mistake(self, message: str) -> tuple[object, ...]:
        """Return a key that is equal for deviations that are one thing to fix.

        Args:
            message: a message that shows it; it is part of the key for a deviation of a field's value.
        """
        place: tuple[str, ...] = ()
        if self.trigger in OF_FIELDS:
            names = sorted(self._names)
            place = tuple(names) if self._is_refused_value else (message, *names)
            place = (message,) if self.trigger == SIBLING else place
        return *self.operator, " ".join(sorted(self.families)), place

    def repeats(self, known: "Deviation", message: str) -> bool:
        """Test if this deviation, which a message shows, is the same mistake as a known one."""
        if self.operator != known.operator or not self.families <= known.families:
            return False
        if self.trigger not in OF_FIELDS:
            return True
        same_names = self._names == known._names or bool(self._names and self._names <= known._names)
        if not (same_names or self.trigger == SIBLING):
            return False
        return self._is_refused_value or not known.scope or message in known.scope

    @property
    def _names(self) -> frozenset[str]:
        return frozenset(each.rpartition(".")[2] for each in self.all_fields)

    @property
    def _is_refused_value(self) -> bool:
        """Test if a number is refused: one function does that for the fields of all messages."""
        return bool(self.value) and self.action not in WITH_VALUE

    def shown_in(self, message: str, version: int) -> "Deviation":
        """Return the deviation with one message and version as its scope."""
        return replace(self, scope={message: frozenset({version})})

    def within(self, message: str, version: int) -> "tuple[Deviation, ...]":
        """Return the deviation for each of its places in one message and version, without a scope.

        A deviation of whole messages keeps the message as its scope: the message's header is another message.
        """
        scope: Scope = {message: frozenset({version})} if self.trigger == MESSAGE else {}
        return tuple(
            replace(self, scope=scope, narrow={}, outside={}, types=types, fields=fields)
            for types, fields in in_order(self._places((message, version)))
        )

    def joined(self, other: "Deviation") -> "Deviation":
        """Return one deviation with the places of both; it is for every message if one of them is."""
        if not (self.scope and other.scope):
            return other._with(self) if self.scope else self._with(other)
        cells = self._cells()
        for cell, places in other._cells().items():
            cells[cell] = widest(cells.get(cell, places) | places)
        return self._of_cells(cells)

    def without(self, scope: Scope) -> "Deviation | None":
        """Return the deviation without some versions of messages; None if none is left."""
        if not self.scope:
            messages = (*self.outside, *scope)
            empty: Versions = frozenset()
            outside = {name: self.outside.get(name, empty) | scope.get(name, empty) for name in messages}
            narrow = {
                cell: places for cell, places in self.narrow.items() if cell[1] not in scope.get(cell[0], ())
            }
            return replace(self, outside=outside, narrow=narrow)
        cells = {
            (message, version): places
            for (message, version), places in self._cells().items()
            if version not in scope.get(message, ())
        }
        return self._of_cells(cells) if cells else None

    def united(self, other: "Deviation") -> "Deviation":
        """Return one deviation with exactly the places of both; all else must be equal.

        Raises:
            ValueError: both are for every message, in different fields.
        """
        both = self, other
        named = {cell for each in both for cell in (*each._cells(), *each.narrow, *cells_of(each.outside))}
        here = {cell: joined_places(self._at(cell) | other._at(cell)) for cell in named}
        if self.scope and other.scope:
            return self._of_cells(here)
        wide = joined_places((each.types, each.fields) for each in both if not each.scope)
        if len(wide) > 1:
            raise ValueError("two causes of every message are about different fields: they stay two")
        return self._everywhere_but(here, *wide)

    def places_text(self) -> list[str]:
        """Format the named cells with their types and fields, as `parse_scope` and `parse_narrow` read it."""
        words = []
        for message, versions in sorted((self.scope or scope_of(self.narrow)).items()):
            shown: dict[Place, set[int]] = {}
            for version in sorted(versions):
                for place in in_order(self._places((message, version))):
                    shown.setdefault(place, set()).add(version)
            for (types, fields), some in shown.items():
                kinds = f" [{', '.join(sorted(types))}]" if types != self.types else ""
                names = f": {', '.join(sorted(fields))}" if fields != self.fields else ""
                words.append(f"{message} {ranges(frozenset(some))}{kinds}{names}")
        return words

    def scope_words(self, everywhere: str) -> str:
        """Format the scope in one line; it begins with `everywhere` for a deviation of every message."""
        words = self.places_text()
        if not self.scope:
            outside = "; ".join(scope_text(self.outside))
            words.insert(0, f"{everywhere} but {outside}" if outside else everywhere)
        return "; ".join(words)

    def _places(self, cell: CellVersion) -> frozenset[Place]:
        return self.narrow.get(cell) or frozenset({(self.types, self.fields)})

    def _at(self, cell: CellVersion) -> frozenset[Place]:
        """Return the places in a cell; none if the cell is outside the scope."""
        return self._places(cell) if self.covers(*cell) else frozenset()

    def _cells(self) -> dict[CellVersion, frozenset[Place]]:
        return {cell: self._places(cell) for cell in cells_of(self.scope)}

    def _with(self, other: "Deviation") -> "Deviation":
        """Return this deviation of every message with another one's places in the cells that it covers."""
        covered = ((cell, self._at(cell), places) for cell, places in other._cells().items())
        more = {cell: widest(mine | places) for cell, mine, places in covered if mine}
        wide = frozenset({(self.types, self.fields)})
        narrow = {cell: places for cell, places in {**self.narrow, **more}.items() if places != wide}
        return replace(self, narrow=narrow)

    def _of_cells(self, cells: Mapping[CellVersion, frozenset[Place]]) -> "Deviation":
        shown = Counter(place for places in cells.values() for place in places)
        wide = min(in_order(shown), key=lambda place: (bool(place[1]), bool(place[0]), -shown[place]))
        narrow = {cell: places for cell, places in cells.items() if places != {wide}}
        return replace(self, scope=scope_of(cells), types=wide[0], fields=wide[1], narrow=narrow)

    def _everywhere_but(self, cells: Mapping[CellVersion, frozenset[Place]], wide: Place) -> "Deviation":
        """Return the deviation of every message, with other places, or none, in the given cells."""
        outside = scope_of(cell for cell, places in cells.items() if not places)
        narrow = {cell: places for cell, places in cells.items() if places and places != {wide}}
        return replace(self, scope={}, outside=outside, narrow=narrow, types=wide[0], fields=wide[1])

    def is_like(self, other: "Deviation") -> bool:
        """Test if the two have the same trigger and the same place: only one of them can be true."""
        one = self.direction, self.trigger, self.types, self.fields
        if one != (other.direction, other.trigger, other.types, other.fields):
            return False
        cells = {*cells_of(self.scope)}, {*cells_of(other.scope)}
        return not all(cells) or not cells[0].isdisjoint(cells[1])

    def replaces(self, other: "Deviation") -> bool:
        """Test if the other deviation has the same place, or is this one in a part of its fields."""
        return self.is_like(other) or (not self.fields and self == replace(other, fields=frozenset()))

    def covers(self, message: str, version: int) -> bool:
        """Test if a message at a version is in the scope."""
        if not self.scope:
            return version not in self.outside.get(message, ())
        return version in self.scope.get(message, ())

    def everywhere(self, outside: Scope) -> "Deviation":
        """Return the deviation for every message, in all fields of its types.

        Args:
            outside: the versions of messages that do something else.
        """
        return replace(self, scope={}, narrow={}, fields=frozenset(), types=self.all_types, outside=outside)

    def is_at(self, kind: str, path: str) -> bool:
        """Test if a type and a field are in the scope."""
        return (not self.types or kind in self.types) and (not self.fields or path in self.fields)

    def check(self) -> None:
        """Check that the catalogue has the trigger and the action; otherwise raise ValueError."""
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
        if self.trigger == SIZE and not self.value.isdecimal():
            raise ValueError(f"{self.value!r} is not a number of bytes or elements: write value = '4096'")
        if self.action == RETAG and not self.value.isdecimal():
            raise ValueError(f"{self.value!r} is not the number of a tag: write value = '5'")


def put(new: Sequence[Deviation], base: Sequence[Deviation]) -> list[Deviation]:
    """Return new deviations and those of a base that they do not replace."""
    return [*new, *(old for old in base if not any(each.replaces(old) for each in new))]
