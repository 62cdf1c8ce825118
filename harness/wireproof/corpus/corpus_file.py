"""A file of entries: all of one message, a line each, behind a line that says what they are.

A stream of several such files one behind the other is read as well: each head begins a new one.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256
from typing import Any, Final

from wireproof.corpus.corpus_entry import (
    ID_CHARACTERS,
    Entry,
    Golden,
    Provenance,
    Tree,
    as_line,
    entry_of,
    line_of,
    split_line,
)
from wireproof.corpus.corpus_errors import CorpusError, Problem
from wireproof.model import CellId
from wireproof.parsing import parse_json

__all__ = [
    "FORMAT",
    "CorpusHead",
    "CorpusKind",
    "CorpusFile",
    "head_of",
    "corpus_file_text",
    "read_corpus_file",
    "split_corpus_files",
]

FORMAT: Final = 1
"""The version of the format (corpus/FORMAT.md); it stands in each head as ``corpus``."""

_RANK: Final = {each: rank for rank, each in enumerate(Provenance)}
_HEAD_FRONT: Final = f'"corpus":{FORMAT},'


class CorpusKind(StrEnum):
    """The kind of the entries of a file."""

    GOLDEN = "golden"
    MALFORMED = "malformed"


@dataclass(frozen=True, slots=True)
class CorpusHead:
    """The members that all entries of a file share.

    Attributes:
        tool: what wrote it: ``wireproof 0.1.0``.
        jars: file name to SHA-256 of the jars with Kafka's classes that the entries were made or checked
            with.
        uncovered: classes of values that no entry meets, by the reason: ``PATH/CLASS`` to versions. What no
            value can meet is not among them.
        entries: how many there are.
        digest: of their ids; so one that is taken away is missed.
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

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of its entries."""
        return tuple(split_line(line_of(entry))[0] for entry in self.entries)


def head_of(kind: CorpusKind, like: CorpusHead, entries: Sequence[Entry]) -> CorpusHead:
    """The head for entries, with what `like` says of message, tool and jars."""
    ids = [split_line(line_of(entry))[0] for entry in entries]
    uncovered = like.uncovered if kind is CorpusKind.GOLDEN else {}
    return CorpusHead(
        kind,
        like.release,
        like.module,
        like.message,
        like.tool,
        like.jars,
        uncovered,
        len(ids),
        digest_of(ids),
    )


def digest_of(ids: Sequence[str]) -> str:
    """The digest of entries' ids, in their order."""
    return sha256("\n".join(ids).encode()).hexdigest()[:ID_CHARACTERS]


def corpus_file_text(part: CorpusFile) -> str:
    """The file."""
    return "".join(f"{line}\n" for line in (head_line(part.head), *map(line_of, part.entries)))


def head_line(head: CorpusHead) -> str:
    """The head as its line, without the line's end."""
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


def in_order(entries: Iterable[Entry]) -> list[Entry]:
    """The order of a file: by version, then by provenance, then as they came."""
    return sorted(entries, key=lambda entry: (CellId.parse(entry.cell).version, _RANK[entry.provenance]))


def split_corpus_files(text: str) -> list[str]:
    """The files in a stream of several, each with its head."""
    parts: list[list[str]] = []
    for line in text.split("\n")[: -1 if text.endswith("\n") else None]:
        if _HEAD_FRONT in line[:64] or not parts:
            parts.append([])
        parts[-1].append(line)
    return ["".join(f"{line}\n" for line in lines) for lines in parts]


def read_corpus_file(text: str, place: str) -> CorpusFile:
    """The content of a file, whole and unchanged.

    Raises:
        CorpusError: with all that is wrong with it.
    """
    found = list(_lines(text, place))
    problems = [each for each in found if isinstance(each, Problem)]
    rows = [each for each in found if not isinstance(each, Problem)]
    if not rows or "corpus" not in rows[0].members:
        problem = Problem(place, 1, "the first line is no head of a file of a corpus")
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
            said, is_ = split_line(line)
            members = parse_json(line)
        except ValueError as error:
            yield Problem(place, number, f"no entry: {error}")
            continue
        if said != is_:
            words = f"edited by hand: its id is {said}, and of what stands there it would be {is_}"
            yield Problem(place, number, words)
        yield _Row(number, said, members)


def _count_problems(head: CorpusHead, ids: Sequence[str], place: str) -> Iterator[Problem]:
    if len(ids) != head.entries:
        yield Problem(place, 1, f"the head says {head.entries} entries, and there are {len(ids)}")
    elif digest_of(ids) != head.digest:
        yield Problem(place, 1, "the digest in the head is not that of these entries in this order")
    if len(set(ids)) != len(ids):
        yield Problem(place, 1, "an entry stands there twice")


def head_from(members: Tree) -> CorpusHead:
    """The head out of the members of its line.

    Raises:
        ValueError: they are not those of a head.
    """
    try:
        return _head(members)
    except KeyError as error:
        raise ValueError(f"the head has no {error.args[0]}") from None


def _head(members: Tree) -> CorpusHead:
    if members["corpus"] != FORMAT:
        raise ValueError(f"format {members['corpus']!r} is none that is known: want {FORMAT}")
    texts = [members[name] for name in ("release", "module", "message", "tool", "digest")]
    if not all(isinstance(each, str) for each in texts):
        raise ValueError("release, module, message, tool and digest are texts")
    release, module, message, tool, digest = texts
    if type(members["entries"]) is not int:
        raise ValueError("entries is a number")
    uncovered = members.get("uncovered", {})
    return CorpusHead(
        CorpusKind(members["kind"]),
        release,
        module,
        message,
        tool,
        _object(members["jars"], "jars"),
        {reason: _object(each, reason) for reason, each in _object(uncovered, "uncovered").items()},
        members["entries"],
        digest,
    )


def entry_from(head: CorpusHead, members: Tree) -> Entry:
    """The entry out of the members of its line, in a file with that head.

    Raises:
        ValueError: they are not those of an entry, or it does not belong there.
    """
    entry = entry_of(members)
    cell = CellId.parse(entry.cell)
    if (cell.release, cell.message) != (head.release, head.message):
        raise ValueError(f"{entry.cell} is no cell of this file")
    if isinstance(entry, Golden) != (head.kind is CorpusKind.GOLDEN):
        raise ValueError(f"it does not belong in a file of {head.kind} entries")
    return entry


def _object(value: Any, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{name} is an object")  # noqa: TRY004 - of a file, not of a caller
    return value
