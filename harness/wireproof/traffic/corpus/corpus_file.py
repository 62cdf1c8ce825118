"""A file of entries of one message: a head line, then a line for each entry.

A stream may hold several such files in a row: each head begins a new one.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from hashlib import sha256
from typing import Any, Final, TypeVar

from wireproof.base.text.parsing import parse_json
from wireproof.model.cell import CellId
from wireproof.traffic.corpus.corpus_entry import (
    ID_CHARACTERS,
    CorpusError,
    Entry,
    GoldenEntry,
    Problem,
    Provenance,
    Tree,
    as_line,
    entry_of,
    id_of,
    line_of,
    object_in,
    split_line,
)

FORMAT: Final = 1
"""The version of the format (corpus/FORMAT.md), in each head under ``corpus``."""

_RANK: Final = {each: rank for rank, each in enumerate(Provenance)}
_HEAD_FRONT: Final = f'"corpus":{FORMAT},'
_E = TypeVar("_E", bound=Entry)


class CorpusKind(StrEnum):
    """The kind of the entries of a file."""

    GOLDEN = "golden"
    MALFORMED = "malformed"


@dataclass(frozen=True, slots=True)
class CorpusHead:
    """The members that all entries of a file share.

    Attributes:
        tool: the program that wrote the file: ``wireproof 0.1.0``.
        jars: the SHA-256, by file name, of the jars with the Kafka classes that made or checked the entries.
        uncovered: value classes that no entry covers, by reason: ``PATH/CLASS`` to versions. Classes that no
            value can have are not among them.
        digest: the digest of their ids, which shows a removed entry.
    """

    kind: CorpusKind
    release: str
    module: str
    message: str
    tool: str
    jars: Mapping[str, str] = field(hash=False)
    uncovered: Mapping[str, Mapping[str, str]] = field(default_factory=dict, hash=False)
    entries: int = 0
    digest: str = ""


@dataclass(frozen=True, slots=True)
class CorpusFile:
    """The content of a file."""

    head: CorpusHead
    entries: tuple[Entry, ...]


def head_of(kind: CorpusKind, like: CorpusHead, entries: Sequence[Entry]) -> CorpusHead:
    """Return the head for entries, with the message, tool and jars of `like`."""
    ids = [id_of(entry) for entry in entries]
    uncovered = like.uncovered if kind is CorpusKind.GOLDEN else {}
    return replace(like, kind=kind, uncovered=uncovered, entries=len(ids), digest=digest_of(ids))


def digest_of(ids: Sequence[str]) -> str:
    """Return the digest of entries' ids, in their order."""
    return sha256("\n".join(ids).encode()).hexdigest()[:ID_CHARACTERS]


def corpus_file_text(part: CorpusFile) -> str:
    return "".join(f"{line}\n" for line in (head_line(part.head), *map(line_of, part.entries)))


def head_line(head: CorpusHead) -> str:
    """Return the line of a head, without the line's end."""
    members: dict[str, Any] = {
        "corpus": FORMAT,
        "kind": str(head.kind),
        "release": head.release,
        "module": head.module,
        "message": head.message,
        "tool": head.tool,
        "jars": dict(sorted(head.jars.items())),
        "entries": head.entries,
        "digest": head.digest,
    }
    if head.kind is CorpusKind.GOLDEN:
        members["uncovered"] = {
            reason: dict(sorted(classes.items())) for reason, classes in sorted(head.uncovered.items())
        }
    return as_line(members)


def sort_entries(entries: Iterable[_E]) -> list[_E]:
    """Return entries in the order of a file: by version, then by provenance, then as given."""
    return sorted(entries, key=lambda entry: (CellId.parse(entry.cell).version, _RANK[entry.provenance]))


def split_corpus_files(text: str) -> list[str]:
    """Return the files in a stream of several, each with its head."""
    parts: list[list[str]] = []
    for line in text.split("\n")[: -1 if text.endswith("\n") else None]:
        if _HEAD_FRONT in line[:64] or not parts:
            parts.append([])
        parts[-1].append(line)
    return ["".join(f"{line}\n" for line in lines) for lines in parts]


def read_corpus_file(text: str, place: str) -> CorpusFile:
    """Read a file, which must be complete and unchanged.

    Raises CorpusError if it has problems; the error holds all of them.
    """
    found = list(_lines(text, place))
    problems = [each for each in found if isinstance(each, Problem)]
    rows = [each for each in found if not isinstance(each, Problem)]
    if not rows or "corpus" not in rows[0].members:
        problem = Problem(place, 1, "the first line is not the head of a corpus file")
        raise CorpusError(*(problems or [problem]))
    head: CorpusHead | None = None
    entries: list[Entry] = []
    for row in rows:
        try:
            if head is None:
                head = head_from(row.members)
            else:
                entries.append(entry_from(head, row.members))
        except ValueError as error:
            problems.append(Problem(place, row.number, str(error)))
    if head is not None and not problems:
        problems.extend(_count_problems(head, [row.id for row in rows[1:]], place))
    if head is None or problems:
        raise CorpusError(*problems)
    return CorpusFile(head, tuple(entries))


@dataclass(frozen=True, slots=True)
class _Row:
    number: int
    id: str
    members: Tree


def _lines(text: str, place: str) -> Iterator[_Row | Problem]:
    if text and not text.endswith("\n"):
        yield Problem(place, text.count("\n") + 1, "the last line is cut short")
        return
    for number, line in enumerate(text.split("\n")[:-1], 1):
        try:
            written, expected = split_line(line)
            members = parse_json(line)
        except ValueError as error:
            yield Problem(place, number, f"not an entry: {error}")
            continue
        if written != expected:
            message = f"edited by hand: its id is {written}, the id of its text is {expected}"
            yield Problem(place, number, message)
        yield _Row(number, written, members)


def _count_problems(head: CorpusHead, ids: Sequence[str], place: str) -> Iterator[Problem]:
    if len(ids) != head.entries:
        yield Problem(place, 1, f"the head counts {head.entries} entries, the file has {len(ids)}")
    elif digest_of(ids) != head.digest:
        yield Problem(place, 1, "the digest in the head does not match these entries in this order")
    if len(set(ids)) != len(ids):
        yield Problem(place, 1, "an entry occurs twice")


def head_from(members: Tree) -> CorpusHead:
    """Build a head from the members of its line. Raises ValueError if a member is missing or wrong."""
    try:
        return _head(members)
    except KeyError as error:
        raise ValueError(f"the head has no {error.args[0]}") from None


def _head(members: Tree) -> CorpusHead:
    if members["corpus"] != FORMAT:
        raise ValueError(f"unknown format {members['corpus']!r}: expected {FORMAT}")
    texts = [members[name] for name in ("release", "module", "message", "tool", "digest")]
    if not all(isinstance(each, str) for each in texts):
        raise ValueError("release, module, message, tool and digest must be texts")
    release, module, message, tool, digest = texts
    if type(members["entries"]) is not int:
        raise ValueError("entries must be a number")
    uncovered = object_in({"uncovered": {}, **members}, "uncovered")
    return CorpusHead(
        CorpusKind(members["kind"]),
        release,
        module,
        message,
        tool,
        object_in(members, "jars"),
        {reason: object_in(uncovered, reason) for reason in uncovered},
        members["entries"],
        digest,
    )


def entry_from(head: CorpusHead, members: Tree) -> Entry:
    """Build an entry from the members of its line, in a file with that head.

    Raises ValueError if a member is missing or wrong, or the entry does not belong in this file.
    """
    entry = entry_of(members)
    cell = CellId.parse(entry.cell)
    if (cell.release, cell.message) != (head.release, head.message):
        raise ValueError(f"{entry.cell} is not a cell of this file")
    if isinstance(entry, GoldenEntry) != (head.kind is CorpusKind.GOLDEN):
        raise ValueError(f"the entry does not belong in a file of {head.kind} entries")
    return entry
