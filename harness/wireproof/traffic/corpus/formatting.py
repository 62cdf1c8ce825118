"""Checks of corpus files, and their form (`corpus/FORMAT.md`) after editors and merges changed them.

White space, line ends and the order of members have no meaning: they are corrected. The content of an entry
never changes: its id must match its line as given, or its line in the right form.
"""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeAlias

from kafkawire.canonical import canonical
from kafkawire.errors import CodecError
from kafkawire.schema.layout import MessageLayout
from wireproof.base.grouping import grouped
from wireproof.model.cell import RECORDS_MODULE, CellId
from wireproof.model.coverage.record_set_model import record_coverage_model
from wireproof.model.divergence import without_indices
from wireproof.model.malformed_input import Mutation
from wireproof.model.oracle import Refusal
from wireproof.traffic.corpus.candidates import covering, entry_fingerprint, unused_name
from wireproof.traffic.corpus.corpus_entry import (
    AcceptedReading,
    CorpusError,
    Entry,
    GoldenEntry,
    MalformedEntry,
    Problem,
    Tree,
    id_of,
    split_line,
)
from wireproof.traffic.corpus.corpus_file import (
    CorpusFile,
    CorpusHead,
    digest_of,
    entry_from,
    head_from,
    head_line,
    head_of,
    sort_entries,
)
from wireproof.traffic.corpus.corpus_folder import corpus_file_path
from wireproof.traffic.fingerprint.fingerprinter import Fingerprinter

LayoutsOf: TypeAlias = Callable[[str, str], tuple[MessageLayout, MessageLayout | None]]
"""Maps module and cell to the layouts of the cell and its header; raises LookupError for an unknown cell."""


def lint_corpus_file(
    part: CorpusFile, place: str, layouts_of: LayoutsOf, *, in_folder: bool
) -> Iterator[Problem]:
    """Yield the problems of a file that was read; `in_folder`, its place has to match its head."""
    if in_folder and not Path(place).resolve().as_posix().endswith(f"/{corpus_file_path(part.head)}"):
        yield Problem(place, 1, f"its content belongs in {corpus_file_path(part.head)}")
    versions = [CellId.parse(entry.cell).version for entry in part.entries]
    if versions != sorted(versions):
        yield Problem(place, 1, "the entries are not in the order of their versions")
    names: set[tuple[str, str, str]] = set()
    for number, entry in enumerate(part.entries, 2):
        name = entry.cell, entry.provenance, entry.name
        if name in names:
            yield Problem(place, number, f"{entry.cell} has two entries {entry.name!r}")
        names.add(name)
        for message in _faults(part.head.module, entry, layouts_of):
            yield Problem(place, number, message)


def _faults(module: str, entry: Entry, layouts_of: LayoutsOf) -> Iterator[str]:
    try:
        layout, header = layouts_of(module, entry.cell)
    except LookupError:
        yield f"{entry.cell} is not a known cell"
        return
    if isinstance(entry, GoldenEntry) and (entry.header is None) != (header is None):
        yield "either the entry or its message has a header, but not both"
    held: GoldenEntry | AcceptedReading | Refusal
    held = entry if isinstance(entry, GoldenEntry) else entry.verdict
    if isinstance(held, Refusal):
        return
    yield from faults_of_value(layout, held.value, "value")
    if header is not None and held.header is not None:
        yield from faults_of_value(header, held.header, "header")


def faults_of_value(layout: MessageLayout, tree: Tree, member: str) -> Iterator[str]:
    """Iterate over the reasons why a tree is not the canonical JSON of a value."""
    form = canonical(layout)
    try:
        text = json.dumps(tree, ensure_ascii=False, separators=(",", ":"))
        same = form.to_json(form.from_tree(tree)) == text
    except CodecError as error:
        yield f"its {member} does not fit {layout.name} version {layout.version}: {error}"
        return
    if not same:
        yield f"its {member} is not in canonical form"


_SPACE: Final = re.compile(r"\s*")
_ID: Final = re.compile(r"[0-9a-f]{20}")


@dataclass(frozen=True, slots=True)
class _Row:
    """A JSON object, the id in it, and the id that its text should have, ``""`` without a line's form."""

    number: int
    written: str
    own: str
    members: Tree


def formatted(text: str, place: str, layouts_of: LayoutsOf) -> tuple[list[CorpusFile], list[str]]:
    """Format a file, or several in a row; return a part for each head, and notes about other changes.

    Notes are about entries that the head did not count, removed duplicates, and new names. Raises CorpusError
    if the text has problems that formatting cannot correct: it is not JSON, an entry was edited by hand, or
    entries are missing.
    """
    found = list(_rows(text, place))
    problems = [each for each in found if isinstance(each, Problem)]
    rows = [each for each in found if isinstance(each, _Row)]
    if not problems and (not rows or "corpus" not in rows[0].members):
        problems.append(Problem(place, 1, "the text does not begin with the head of a corpus file"))
    parts: list[CorpusFile] = []
    notes: list[str] = []
    for group in [] if problems else _groups(rows):
        part = _part(group, place, layouts_of, problems, notes)
        parts += [part] if part else []
    if problems:
        raise CorpusError(*problems)
    return parts, notes


def _rows(text: str, place: str) -> Iterator[_Row | Problem]:
    """Iterate over the objects, independent of line ends."""
    decoder = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_no_constant)
    text = text.removeprefix("\ufeff")
    start = _past_space(text, 0)
    while start < len(text):
        number = text.count("\n", 0, start) + 1
        try:
            members, end = decoder.raw_decode(text, start)
        except ValueError as error:
            yield Problem(place, number, f"not an entry: {error}")
            return
        said = members.get("id") if isinstance(members, dict) else None
        if isinstance(said, str) and _ID.fullmatch(said):
            yield _Row(number, said, _own(text[start:end]), members)
        else:
            yield Problem(place, number, "not an entry: it has no id, and only wireproof makes entries")
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
        raise ValueError("a member occurs twice")
    return members


def _no_constant(word: str) -> Any:
    raise ValueError(f"{word} is not JSON")


def _groups(rows: Sequence[_Row]) -> list[list[_Row]]:
    """Return the rows of each head, with the head."""
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
    before = len(problems)
    for row in rest:
        entry = _entry(row, head, place, layouts_of)
        if isinstance(entry, Problem):
            problems.append(entry)
        else:
            found.setdefault(row.written, entry)
    if len(problems) == before:
        problems += _missing(first, head, found, place)
        notes += _merged(head, rest, found, place)
    kept = _named_apart(sort_entries(found.values()), place, notes)
    return CorpusFile(head_of(head.kind, head, kept), tuple(kept))


def _entry(row: _Row, head: CorpusHead, place: str, layouts_of: LayoutsOf) -> Entry | Problem:
    try:
        read = entry_from(head, row.members)
        entry = _in_form(read, *layouts_of(head.module, read.cell))
    except LookupError:
        return Problem(place, row.number, f"{row.members['cell']} is not a known cell")
    except (ValueError, CodecError) as error:
        return Problem(place, row.number, str(error))
    for problem in _edited(row, id_of(entry), place):
        return problem
    return entry


def _edited(row: _Row, right: str, place: str) -> Iterator[Problem]:
    """Yield a problem if the content of a row has changed since wireproof wrote it."""
    if row.written not in (right, row.own):
        message = f"edited by hand: its id is {row.written}, the id of its content is {right}"
        yield Problem(place, row.number, message)


def _missing(first: _Row, head: CorpusHead, found: Mapping[str, Entry], place: str) -> Iterator[Problem]:
    """Yield a problem if entries are missing. A merge may have added more than the head counts."""
    written = {id(entry): each for each, entry in found.items()}
    orders = list(found), [written[id(entry)] for entry in sort_entries(found.values())]
    if len(found) < head.entries:
        message = f"the head counts {head.entries} entries, the file has {len(found)}"
        yield Problem(place, first.number, message)
    elif len(found) == head.entries and head.digest not in map(digest_of, orders):
        yield Problem(place, first.number, "these are not the entries that the head counts")


def _merged(head: CorpusHead, rows: Sequence[_Row], found: Mapping[str, Entry], place: str) -> Iterator[str]:
    if len(found) > head.entries:
        yield f"{place}: entries that the head did not count: {len(found) - head.entries}"
    if len(found) < len(rows):
        yield f"{place}: entries that occurred twice: {len(rows) - len(found)}"


def _in_form(entry: Entry, layout: MessageLayout, header: MessageLayout | None) -> Entry:
    """Return the entry with its values as canonical JSON."""
    match entry:
        case GoldenEntry():
            head = None if entry.header is None else _tree(_header(header), entry.header)
            return replace(entry, value=_tree(layout, entry.value), header=head)
        case MalformedEntry(verdict=AcceptedReading() as taken):
            head = None if taken.header is None else _tree(_header(header), taken.header)
            return replace(entry, verdict=replace(taken, value=_tree(layout, taken.value), header=head))
        case MalformedEntry():
            return entry


def _header(layout: MessageLayout | None) -> MessageLayout:
    if layout is None:
        raise ValueError("the entry has a header, but its message has none")
    return layout


def _tree(layout: MessageLayout, tree: Tree) -> Tree:
    form = canonical(layout)
    found: Tree = json.loads(form.to_json(form.from_tree(tree)))
    return found


def _named_apart(entries: Sequence[Entry], place: str, notes: list[str]) -> list[Entry]:
    """Give the later of two entries of a cell and provenance with equal names a number."""
    taken: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    named: list[Entry] = []
    for entry in entries:
        names = taken[entry.cell, entry.provenance]
        name = unused_name(entry.name, names)
        names.add(name)
        if name != entry.name:
            notes.append(f"{place}: {entry.cell} had two entries {entry.name}; one is {name} now")
        named.append(entry if name == entry.name else replace(entry, name=name))
    return named


_ALIKE_BYTES: Final = 64
"""Malformed bytes have equal weight if their lengths differ by less."""


def minimize(part: CorpusFile, layouts_of: LayoutsOf) -> tuple[CorpusFile, list[Entry]]:
    """Remove the entries that add nothing; return the file and those entries. A second call removes none.

    Raises:
        LookupError: a cell is unknown.
        CodecError: an entry's values do not fit its message.
    """
    groups = grouped(((entry.cell, entry.provenance), index) for index, entry in enumerate(part.entries))
    removed: set[int] = set()
    for (cell, _), indices in groups.items():
        entries = [part.entries[index] for index in indices]
        shown = _shown(part.head.module, entries, *layouts_of(part.head.module, cell))
        needed = _needed(shown)
        removed.update(index for position, index in enumerate(indices) if position not in needed)
    kept = [entry for index, entry in enumerate(part.entries) if index not in removed]
    return CorpusFile(head_of(part.head.kind, part.head, kept), tuple(kept)), [
        part.entries[index] for index in sorted(removed)
    ]


def classes_of_malformed(
    inputs: Iterable[tuple[bool, Mutation, AcceptedReading | Refusal, bytes]],
) -> list[tuple[int, int]]:
    """Return the reasons to keep each of some malformed bytes, as bits, and its weight.

    Args:
        inputs: for each whether it is a frame, the mutation, Kafka's verdict, and the bytes.
    """
    numbers: dict[object, int] = {}
    found = []
    for framed, mutation, verdict, data in inputs:
        bits = 0
        for point in reasons_to_keep(framed, mutation, verdict):
            bits |= 1 << numbers.setdefault(point, len(numbers))
        found.append((bits, len(data) // _ALIKE_BYTES))
    return found


def reasons_to_keep(framed: bool, mutation: Mutation, verdict: AcceptedReading | Refusal) -> Iterator[object]:
    """Iterate over the reasons to keep malformed bytes: the operator with Kafka's verdict, and the field."""
    outcome = verdict.error if isinstance(verdict, Refusal) else ("accepted", *verdict.leniencies)
    yield framed, mutation.operator.partition("-at-")[0].partition("=")[0], outcome
    yield framed, without_indices(mutation.path), isinstance(verdict, Refusal)


def _needed(shown: Sequence[tuple[int, int]]) -> set[int]:
    """Return the indices of a few entries that cover all classes; each covers one that no other does."""
    needed = set(covering(shown))
    for index in sorted(needed, key=lambda each: (shown[each][0].bit_count(), -shown[each][1], -each)):
        others = 0
        for other in needed - {index}:
            others |= shown[other][0]
        if not shown[index][0] & ~others:
            needed.remove(index)
    return needed


def _shown(
    module: str, entries: Sequence[Entry], layout: MessageLayout, header: MessageLayout | None
) -> list[tuple[int, int]]:
    """Return the classes of each entry of a cell as bits, and its weight."""
    golden = [each for each in entries if isinstance(each, GoldenEntry)]
    malformed = [each for each in entries if isinstance(each, MalformedEntry)]
    if malformed:
        return classes_of_malformed(
            (each.framed, each.change.mutation, each.verdict, each.data) for each in malformed
        )
    if module == RECORDS_MODULE:
        sets = record_coverage_model(layout.version)
        covered = [sets.look(canonical(layout).from_tree(each.value)) for each in golden]
    else:
        prints = Fingerprinter(header, layout)
        shown = [entry_fingerprint(each, prints, layout, header) for each in golden]
        numbering = prints.fingerprint_bits(shown)
        covered = [numbering.bits(each) for each in shown]
    return [(bits, len(each.frame)) for bits, each in zip(covered, golden, strict=True)]
