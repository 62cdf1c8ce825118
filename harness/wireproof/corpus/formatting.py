"""Files of a corpus in the form that `corpus/FORMAT.md` says, out of whatever editors and merges left of it.

White space, line ends and the order of members mean nothing, so they are put right. What an entry says is
never touched: its id must be that of its line as it stands, or of its line in the right form.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from kafkawire.canonical import canonical
from kafkawire.errors import CodecError
from kafkawire.schema.layout import MessageLayout
from wireproof.corpus.corpus_entry import Entry, Golden, Malformed, Taken, Tree, id_of, split_line
from wireproof.corpus.corpus_errors import CorpusError, Problem
from wireproof.corpus.corpus_file import (
    CorpusFile,
    CorpusHead,
    digest_of,
    entry_from,
    head_from,
    head_line,
    head_of,
    in_order,
)
from wireproof.corpus.lint import LayoutsOf

__all__ = ["Formatted", "formatted"]

_SPACE: Final = re.compile(r"\s*")
_ID: Final = re.compile(r"[0-9a-f]{20}")


@dataclass(frozen=True, slots=True)
class Formatted:
    """A file in the right form.

    Attributes:
        parts: one for each head.
        notes: what was done beside form: entries that the head did not count, twins that went, new names.
    """

    parts: tuple[CorpusFile, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Row:
    """An object of JSON.

    Attributes:
        said: its id, as it stands there.
        own: the id that its text as it stands should have; ``""`` where it is not written as a line is.
    """

    number: int
    said: str
    own: str
    members: Tree


def formatted(text: str, place: str, layouts_of: LayoutsOf) -> Formatted:
    """A file, or several one behind the other, in the right form.

    Raises:
        CorpusError: with all that no form can put right: text that is no JSON, what was edited by hand,
            entries that are missing.
    """
    found = list(_rows(text, place))
    problems = [each for each in found if isinstance(each, Problem)]
    rows = [each for each in found if isinstance(each, _Row)]
    if not problems and (not rows or "corpus" not in rows[0].members):
        problems.append(Problem(place, 1, "it does not begin with the head of a file of a corpus"))
    parts: list[CorpusFile] = []
    notes: list[str] = []
    for group in [] if problems else _groups(rows):
        part = _part(group, place, layouts_of, problems, notes)
        parts += [part] if part else []
    if problems:
        raise CorpusError(*problems)
    return Formatted(tuple(parts), tuple(notes))


def _rows(text: str, place: str) -> Iterator[_Row | Problem]:
    """The objects, wherever their lines end."""
    decoder = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_no_constant)
    text = text.removeprefix("\ufeff")
    start = _past_space(text, 0)
    while start < len(text):
        number = text.count("\n", 0, start) + 1
        try:
            members, end = decoder.raw_decode(text, start)
        except ValueError as error:
            yield Problem(place, number, f"no entry: {error}")
            return
        said = members.get("id") if isinstance(members, dict) else None
        if isinstance(said, str) and _ID.fullmatch(said):
            yield _Row(number, said, _own(text[start:end]), members)
        else:
            yield Problem(place, number, "no entry: it has no id, and only wireproof makes entries")
        start = _past_space(text, end)


def _past_space(text: str, start: int) -> int:
    found = _SPACE.match(text, start)
    return found.end() if found else start


def _own(line: str) -> str:
    try:
        return split_line(line)[1]
    except ValueError:
        return ""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a member stands there twice")
    return members


def _no_constant(word: str) -> Any:
    raise ValueError(f"{word} is no JSON")


def _groups(rows: Sequence[_Row]) -> list[list[_Row]]:
    """The rows of each head, with it."""
    groups: list[list[_Row]] = []
    for row in rows:
        if "corpus" in row.members:
            groups.append([])
        groups[-1].append(row)
    return groups


def _part(
    rows: Sequence[_Row], place: str, layouts_of: LayoutsOf, problems: list[Problem], notes: list[str]
) -> CorpusFile | None:
    first, *rest = rows
    try:
        head = head_from(first.members)
    except ValueError as error:
        problems.append(Problem(place, first.number, str(error)))
        return None
    problems += _edited(first, split_line(head_line(head))[0], place)
    found: dict[str, Entry] = {}
    told = len(problems)
    for row in rest:
        entry = _entry(row, head, place, layouts_of)
        if isinstance(entry, Problem):
            problems.append(entry)
        else:
            found.setdefault(row.said, entry)
    if len(problems) == told:
        problems += _missing(first, head, found, place)
        notes += _merged(head, rest, found, place)
    kept = _named_apart(in_order(found.values()), place, notes)
    return CorpusFile(head_of(head.kind, head, kept), tuple(kept))


def _entry(row: _Row, head: CorpusHead, place: str, layouts_of: LayoutsOf) -> Entry | Problem:
    try:
        read = entry_from(head, row.members)
        entry = _in_form(read, *layouts_of(head.module, read.cell))
    except LookupError:
        return Problem(place, row.number, f"{row.members['cell']} is no cell that is known")
    except (ValueError, CodecError) as error:
        return Problem(place, row.number, str(error))
    for problem in _edited(row, id_of(entry), place):
        return problem
    return entry


def _edited(row: _Row, right: str, place: str) -> Iterator[Problem]:
    """That a row says something else than it did when it was written."""
    if row.said not in (right, row.own):
        words = f"edited by hand: its id is {row.said}, and of what it says it would be {right}"
        yield Problem(place, row.number, words)


def _missing(first: _Row, head: CorpusHead, found: Mapping[str, Entry], place: str) -> Iterator[Problem]:
    """That entries are gone. More than the head counts may have come by a merge."""
    said = {id(entry): each for each, entry in found.items()}
    orders = list(found), [said[id(entry)] for entry in in_order(found.values())]
    if len(found) < head.entries:
        words = f"the head counts {head.entries} entries, and there are {len(found)}"
        yield Problem(place, first.number, words)
    elif len(found) == head.entries and head.digest not in map(digest_of, orders):
        yield Problem(place, first.number, "these are not the entries that the head counts")


def _merged(head: CorpusHead, rows: Sequence[_Row], found: Mapping[str, Entry], place: str) -> Iterator[str]:
    if len(found) > head.entries:
        yield f"{place}: entries that the head did not count: {len(found) - head.entries}"
    if len(found) < len(rows):
        yield f"{place}: entries that stood there twice: {len(rows) - len(found)}"


def _in_form(entry: Entry, layout: MessageLayout, header: MessageLayout | None) -> Entry:
    """An entry whose values are canonical JSON."""
    match entry:
        case Golden():
            head = None if entry.header is None else _tree(_header(header), entry.header)
            return replace(entry, value=_tree(layout, entry.value), header=head)
        case Malformed(verdict=Taken() as taken):
            head = None if taken.header is None else _tree(_header(header), taken.header)
            return replace(entry, verdict=replace(taken, value=_tree(layout, taken.value), header=head))
        case Malformed():
            return entry


def _header(layout: MessageLayout | None) -> MessageLayout:
    if layout is None:
        raise ValueError("it has a header where its message has none")
    return layout


def _tree(layout: MessageLayout, tree: Tree) -> Tree:
    form = canonical(layout)
    found: Tree = json.loads(form.to_json(form.from_tree(tree)))
    return found


def _named_apart(entries: Sequence[Entry], place: str, notes: list[str]) -> list[Entry]:
    """No two of a cell and provenance with one name; the later ones get a number."""
    taken: set[tuple[str, str, str]] = set()
    named: list[Entry] = []
    for entry in entries:
        name, number = entry.name, 2
        while (entry.cell, entry.provenance, name) in taken:
            name, number = f"{entry.name}#{number}", number + 1
        taken.add((entry.cell, entry.provenance, name))
        if name != entry.name:
            notes.append(f"{place}: {entry.cell} had two entries {entry.name}; one is {name} now")
        named.append(entry if name == entry.name else replace(entry, name=name))
    return named
