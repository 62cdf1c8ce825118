"""Fields of one message with the versions that show them, in lines: ``4-7, 9: topics[].{name, topicId}``.

Versions come before the colon; paths without indices come after it, with common prefixes written once. A line
without a colon is about the message itself.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Final, TypeAlias

from wireproof.verdict.ledger.spans import Versions

__all__ = ["FieldVersions", "lines_of", "parse_lines"]

FieldVersions: TypeAlias = Mapping[str, Versions]
"""Path without indices to versions; ``""`` is the message itself."""

_WIDTH: Final = 88
"""Characters of the paths in a line; a longer path has a line of its own."""

_Tree: TypeAlias = "dict[str, _Tree]"
_END: Final = ""
"""The key, in a tree, of the end of a path."""


def lines_of(fields: FieldVersions) -> list[str]:
    """Format the fields as lines, by version."""
    groups: dict[Versions, list[str]] = {}
    for path in sorted(fields):
        groups.setdefault(fields[path], []).append(path)
    ordered = sorted(groups.items(), key=lambda item: [each.lowest for each in item[0].ranges])
    return [line for versions, paths in ordered for line in _group(str(versions), paths)]


def parse_lines(lines: Iterable[str]) -> dict[str, Versions]:
    """Read what `lines_of` writes.

    Raises:
        ValueError: a line is not of this form.
    """
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
    """The paths of a folded text.

    Raises:
        ValueError: its braces do not match, or a name is empty.
    """
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
