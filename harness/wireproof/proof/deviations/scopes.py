"""The scope of a deviation: versions of messages, and places of them; parsed and formatted."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeAlias

Versions: TypeAlias = frozenset[int]
Scope: TypeAlias = Mapping[str, Versions]
"""Versions by message; no message at all means everywhere."""
Place: TypeAlias = tuple[frozenset[str], frozenset[str]]
"""Types, and paths without indices; empty ones mean any."""
CellVersion: TypeAlias = tuple[str, int]
"""A message and its version."""

_WORD: Final = re.compile(r"(?P<message>[A-Za-z]\w*)(?: (?P<versions>\d+(?:-\d+)?(?:, ?\d+(?:-\d+)?)*))?")
_TYPES: Final = re.compile(r" \[([a-z0-9, ]+)\]")


def scope_of(cells: Iterable[CellVersion]) -> dict[str, Versions]:
    """Return the versions of each message."""
    scope: dict[str, Versions] = {}
    for message, version in cells:
        scope[message] = scope.get(message, frozenset()) | {version}
    return scope


def cells_of(scope: Scope) -> Iterator[CellVersion]:
    """Yield each message and version of a scope."""
    for message, versions in scope.items():
        for version in sorted(versions):
            yield message, version


def joined_places(places: Iterable[Place]) -> frozenset[Place]:
    """Return the places; those with the same fields become one place with the types of all."""
    by_fields: dict[frozenset[str], list[frozenset[str]]] = {}
    for types, fields in places:
        by_fields.setdefault(fields, []).append(types)
    any_type: frozenset[str] = frozenset()
    return frozenset(
        (any_type.union(*types) if all(types) else any_type, fields) for fields, types in by_fields.items()
    )


def parse_scope(words: Iterable[str], known: Mapping[str, Iterable[int]] | None = None) -> Scope:
    """Parse ``FetchRequest 4-11, 13``; without versions, all versions in `known`. Ignore types and fields.

    Raises:
        ValueError: one of the words is not a message with its versions.
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


def widest(places: frozenset[Place]) -> frozenset[Place]:
    """Return the places that no other place covers."""
    return frozenset(
        place for place in places if not any(_covers(other, place) for other in places if other != place)
    )


def _covers(wide: Place, place: Place) -> bool:
    return all(not all_of or (some and some <= all_of) for all_of, some in zip(wide, place, strict=True))


def in_order(places: Iterable[Place]) -> list[Place]:
    """Return the places by their fields, then by their types."""
    return sorted(places, key=lambda place: (sorted(place[1]), sorted(place[0])))


def parse_narrow(words: Iterable[str], scope: Scope, wide: Place) -> dict[CellVersion, frozenset[Place]]:
    """Parse the types and the fields in ``FetchRequest 12 [string]: topics[].topic, rackId``.

    Args:
        scope: the scope that `parse_scope` finds in the words.
        wide: the types and the fields of a word that has none.

    Raises:
        ValueError: a message has a colon and no field.
    """
    cells: dict[CellVersion, frozenset[Place]] = {}
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
    return [f"{message} {ranges(versions)}" for message, versions in sorted(scope.items())]


def ranges(versions: Versions) -> str:
    """Format versions: ``4-11, 13``."""
    parts: list[list[int]] = []
    for each in sorted(versions):
        if parts and parts[-1][-1] == each - 1:
            parts[-1][1:] = [each]
        else:
            parts.append([each])
    return ", ".join("-".join(map(str, part)) for part in parts)
