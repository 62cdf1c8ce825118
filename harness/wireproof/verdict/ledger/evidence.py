"""The evidence of an entry: the parts of the traffic, messages, versions and fields that showed its cause.

An entry for all messages explains divergences at these places only. It does not explain other fields of the
same message, the same field in other parts of the traffic, or other messages.

Versions come before the colon; paths without indices come after it, with common prefixes written once. A line
without a colon is about the message itself.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, NamedTuple, TypeAlias

from wireproof.base.grouping import grouped
from wireproof.model.cell import FramePart
from wireproof.verdict.ledger.spans import Versions

FieldVersions: TypeAlias = Mapping[str, Versions]
"""Path without indices to versions; ``""`` is the message itself."""

_WIDTH: Final = 88
"""Characters of the paths in a line; a longer path has a line of its own."""

_Tree: TypeAlias = "dict[str, _Tree]"
_END: Final = ""
"""The key that marks the end of a path in a tree."""


def lines_of(fields: FieldVersions) -> list[str]:
    """Format the fields as lines, by version."""
    groups = grouped((fields[path], path) for path in sorted(fields))
    ordered = sorted(groups.items(), key=lambda item: [each.lowest for each in item[0].ranges])
    return [line for versions, paths in ordered for line in _group(str(versions), paths)]


def parse_lines(lines: Iterable[str]) -> dict[str, Versions]:
    """Read what `lines_of` writes. Raises ValueError if a line is not of this form."""
    found: dict[str, Versions] = {}
    for line in lines:
        text, colon, paths = line.partition(":")
        versions = _versions(text)
        for path in _unfolded(paths.strip()) if colon else [""]:
            known = found.get(path)
            found[path] = versions if known is None else known | versions
    return found


@cache
def _versions(text: str) -> Versions:
    """Parse versions, with one object for each text: thousands of lines name the same few ranges."""
    versions = Versions.parse(text)
    if versions == Versions.ALL:
        raise ValueError(f"{text!r} has an open end: expected the versions that show it, such as 1-3")
    return versions


def _group(versions: str, paths: list[str]) -> Iterator[str]:
    """Yield the lines of paths with the same versions."""
    if "" in paths:
        yield versions
    line = ""
    for piece in _pieces(_tree(path for path in paths if path), ""):
        if line and len(line) + len(piece) > _WIDTH:
            yield f"{versions}: {line}"
            line = ""
        line = f"{line}, {piece}" if line else piece
    if line:
        yield f"{versions}: {line}"


def _tree(paths: Iterable[str]) -> _Tree:
    root: _Tree = {}
    for path in paths:
        node = root
        for name in path.split("."):
            node = node.setdefault(name, {})
        node[_END] = {}
    return root


def _pieces(tree: _Tree, before: str) -> Iterator[str]:
    """Yield folded paths, each short enough for a line if possible."""
    for name, below in tree.items():
        path = f"{before}{name}"
        if _END in below:
            yield path
        chunk: _Tree = {}
        for key, each in _inner(below).items():
            if chunk and _length(path, {**chunk, key: each}) > _WIDTH:
                yield f"{path}.{_folded(chunk)}"
                chunk = {}
            if _length(path, {key: each}) > _WIDTH:
                yield from _pieces({key: each}, f"{path}.")
            else:
                chunk[key] = each
        if chunk:
            yield f"{path}.{_folded(chunk)}"


def _length(path: str, tree: _Tree) -> int:
    return len(path) + 1 + len(_folded(tree))


def _inner(tree: _Tree) -> _Tree:
    return {key: each for key, each in tree.items() if key != _END}


def _folded(tree: _Tree) -> str:
    pieces = []
    for name, below in tree.items():
        if _END in below:
            pieces.append(name)
        if inner := _inner(below):
            pieces.append(f"{name}.{_folded(inner)}")
    return pieces[0] if len(pieces) == 1 else f"{{{', '.join(pieces)}}}"


def _unfolded(text: str) -> list[str]:
    """The paths of a folded text. Raises ValueError if its braces do not match, or a name is empty."""
    paths: list[str] = []
    for piece in _split(text):
        before, brace, rest = piece.partition("{")
        if not brace:
            paths.append(piece)
        elif not rest.endswith("}") or not before.endswith("."):
            raise ValueError(f"{piece!r} is not a list of fields: write topics[].{{name, topicId}}")
        else:
            paths += [f"{before}{inner}" for inner in _unfolded(rest[:-1])]
    if not all(paths) or any(brace in path for path in paths for brace in "{} "):
        raise ValueError(f"{text!r} is not a list of fields: write topics[].{{name, topicId}}")
    return paths


def _split(text: str) -> Iterator[str]:
    """The pieces between the commas that are in no braces."""
    depth, start = 0, 0
    for place, letter in enumerate(text):
        depth += (letter == "{") - (letter == "}")
        if letter == "," and not depth:
            yield text[start:place].strip()
            start = place + 1
    yield text[start:].strip()


_Places: TypeAlias = Mapping[tuple[FramePart, str], FieldVersions]

_NO_FIELDS: Final[FieldVersions] = {}


class Location(NamedTuple):
    """One place of a cause; its field is the path without indices, ``""`` for the message."""

    part: FramePart
    message: str
    version: int
    field: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """A set of locations: for each part and message, in order, the fields and the versions that show them."""

    places: _Places = field(default_factory=dict)

    @classmethod
    def of(cls, locations: Iterable[Location]) -> "Evidence":
        found: dict[tuple[FramePart, str], dict[str, set[int]]] = {}
        for each in locations:
            fields = found.setdefault((each.part, each.message), {})
            fields.setdefault(each.field, set()).add(each.version)
        return cls(
            {
                place: {path: Versions.of(versions) for path, versions in sorted(found[place].items())}
                for place in sorted(found, key=_order)
            }
        )

    def __contains__(self, location: Location) -> bool:
        fields = self.places.get((location.part, location.message), _NO_FIELDS)
        return location.field in fields and location.version in fields[location.field]

    def __bool__(self) -> bool:
        return bool(self.places)

    def __iter__(self) -> Iterator[Location]:
        for (part, message), fields in self.places.items():
            for path, versions in fields.items():
                for each in versions.ranges:
                    yield from (Location(part, message, version, path) for version in each)

    def __or__(self, other: "Evidence") -> "Evidence":
        return Evidence.of([*self, *other])

    def __sub__(self, other: "Evidence") -> "Evidence":
        return self.where(lambda location: location not in other)

    def __and__(self, other: "Evidence") -> "Evidence":
        return self.where(lambda location: location in other)

    def where(self, holds: Callable[[Location], bool]) -> "Evidence":
        """Return the locations that satisfy a condition."""
        return Evidence.of(filter(holds, self))

    def has_in_any_version(self, location: Location) -> bool:
        """Return whether the field was seen in some version of the message, and in the same part."""
        return location.field in self.places.get((location.part, location.message), _NO_FIELDS)

    def fields_at(self, message: str, version: int) -> set[tuple[FramePart, str]]:
        return {
            (part, path)
            for part in FramePart
            for path, versions in self.places.get((part, message), _NO_FIELDS).items()
            if version in versions
        }

    def of_message(self, message: str) -> list[FieldVersions]:
        """Return the fields of a message, for each part with a location."""
        return [fields for (_, name), fields in self.places.items() if name == message]

    def messages(self, part: FramePart | None = None) -> list[str]:
        """Return the names of messages with a location, each once; of one part, if given."""
        return list(dict.fromkeys(name for each, name in self.places if part in (None, each)))

    def tables(self) -> dict[str, dict[str, list[str]]]:
        """Return the tables of a ledger file: by part and message, lines of fields."""
        found: dict[str, dict[str, list[str]]] = {}
        for (part, message), fields in self.places.items():
            found.setdefault(str(part), {})[message] = lines_of(fields)
        return found

    def words(self) -> list[str]:
        """Return the lines, each with its part and message: ``message/FetchRequest 4-7: topics[].topic``."""
        return [
            f"{part}/{message} {line}"
            for part, messages in self.tables().items()
            for message, lines in messages.items()
            for line in lines
        ]

    def summary(self) -> str:
        """Return the sums: ``message: 3 messages, 17 fields; header: 1 message, 1 field``."""
        return "; ".join(
            f"{part}: {_count(len(names), 'message')}, {_count(self._fields(part), 'field')}"
            for part in FramePart
            if (names := self.messages(part))
        )

    def _fields(self, part: FramePart) -> int:
        return sum(len(fields) for (each, _), fields in self.places.items() if each is part)


def parse_words(text: str) -> Evidence:
    """Parse one line of `Evidence.words`. Raises ValueError if the text is not of this form."""
    place, _, line = text.partition(" ")
    part, slash, message = place.partition("/")
    if not slash or not line.strip():
        raise ValueError(f"{text!r} is not valid: expected PART/MESSAGE VERSIONS: FIELDS")
    return parse_evidence({part: {message: line}})


def parse_evidence(tables: Any) -> Evidence:
    """Parse the evidence in the tables of a ledger. A message may have one line in place of a list.

    Raises ValueError if the tables are not of this form.
    """
    named = tables if isinstance(tables, Mapping) else {"": tables}
    places: dict[tuple[FramePart, str], FieldVersions] = {}
    for name, messages in named.items():
        if name not in list(FramePart) or not isinstance(messages, Mapping):
            parts = ", ".join(FramePart)
            raise ValueError(
                f"{name!r} is not a part: expected seen = {{ PART = {{ MESSAGE = LINES }} }}: PART is {parts}"
            )
        for message, lines in messages.items():
            listed = [lines] if isinstance(lines, str) else lines
            if not isinstance(listed, list) or not all(isinstance(line, str) for line in listed):
                raise ValueError(f'{message} has no lines: write {message} = "4-7: topics[].topic"')
            places[FramePart(name), message] = parse_lines(listed)
    return Evidence({place: dict(sorted(places[place].items())) for place in sorted(places, key=_order)})


def _order(place: tuple[FramePart, str]) -> tuple[int, str]:
    part, message = place
    return list(FramePart).index(part), message


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
