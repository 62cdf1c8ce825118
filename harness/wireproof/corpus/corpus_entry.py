"""One entry: what is right, or wrong, about some bytes of a cell, and who says so.

An entry is a line of JSON. Its id stands first, and is a digest of all that stands behind it on the line:
what is edited by hand has another id than it says.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256
from typing import Any, Final, TypeAlias, assert_never

from wireproof.model import Mutation, Refusal

__all__ = [
    "ID_CHARACTERS",
    "Change",
    "Entry",
    "Golden",
    "Malformed",
    "Provenance",
    "Taken",
    "Tree",
    "as_line",
    "entry_of",
    "id_of",
    "line_of",
]

Tree: TypeAlias = Mapping[str, Any]
"""A value as parsed canonical JSON (`kafkawire.canonical`)."""

ID_CHARACTERS: Final = 20
_SHOWN_BYTES: Final = 16
"""A change of more bytes is not spelled out: its offset is told, and the result."""
_FRONT: Final = re.compile(r'\{"id":"([0-9a-f]{20})",')
_HEX: Final = re.compile(r"([0-9a-f]{2})*")


class Provenance(StrEnum):
    """Where an entry comes from. The classes are never counted as one."""

    CAPTURED = "captured"
    """Seen between a real client and a real broker."""
    BROKER_ACCEPTED = "broker-accepted"
    """Made by us, and taken by a real broker."""
    ORACLE_MADE = "oracle-made"
    """Made by us, written and read by Kafka's own classes."""


@dataclass(frozen=True, slots=True)
class Golden:
    """Bytes that are right, and their value.

    Attributes:
        cell: ``RELEASE/MESSAGE/VERSION``.
        name: what it is there for; unique within cell and provenance.
        body: the message.
        value: the message's value.
        head: what stands before the body in a frame: size and header. Empty where the message has no header.
        header: the header's value; None where there is none.
        exact: whether these are the only right bytes of the value; they are not where something in them is
            compressed.
        about: members that other provenances have: client, time, redaction, ...
    """

    cell: str
    provenance: Provenance
    name: str
    body: bytes
    value: Tree = field(hash=False)
    head: bytes = b""
    header: Tree | None = field(default=None, hash=False)
    exact: bool = True
    about: Tree = field(default_factory=dict, hash=False)

    @property
    def frame(self) -> bytes:
        """Size, header and body; the body alone where the message has no header."""
        return self.head + self.body


@dataclass(frozen=True, slots=True)
class Taken:
    """The value that Kafka reads from malformed bytes.

    Attributes:
        consumed_bytes: how much of them it reads.
        header: of a frame.
        laxities: what Kafka lets pass that its protocol does not allow: a codec may be stricter. Where there
            is none the change has made another message that is right, and every codec has to read it.
    """

    consumed_bytes: int
    value: Tree = field(hash=False)
    header: Tree | None = field(default=None, hash=False)
    laxities: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """The mutation of valid bytes.

    Attributes:
        before, after: None where they are too long to be spelled out.
    """

    operator: str
    path: str
    offset: int
    before: bytes | None = None
    after: bytes | None = None

    @classmethod
    def of(cls, mutation: Mutation) -> "Change":
        """The change that a mutation makes."""
        short = max(len(mutation.before), len(mutation.after)) <= _SHOWN_BYTES
        shown = (mutation.before, mutation.after) if short else (None, None)
        return cls(mutation.operator, mutation.path, mutation.offset, *shown)

    @property
    def mutation(self) -> Mutation:
        """The mutation, as far as it is known."""
        return Mutation(self.operator, self.path, self.offset, self.before or b"", self.after or b"")


@dataclass(frozen=True, slots=True)
class Malformed:
    """Bytes that are wrong, what was done to them, and what Kafka makes of them.

    Attributes:
        data: the wrong bytes; of a frame all of it, the size included.
        verdict: Kafka's; the text of a `Refusal` is not kept, for it may differ from run to run.
    """

    cell: str
    provenance: Provenance
    name: str
    data: bytes
    framed: bool
    change: Change
    verdict: Taken | Refusal
    about: Tree = field(default_factory=dict, hash=False)


Entry: TypeAlias = Golden | Malformed


def line_of(entry: Entry) -> str:
    """The entry as its line, without the line's end."""
    match entry:
        case Golden():
            return as_line(_golden_members(entry))
        case Malformed():
            return as_line(_malformed_members(entry))
        case _:
            assert_never(entry)


def id_of(entry: Entry) -> str:
    """The entry's id."""
    return line_of(entry)[len('{"id":"') :][:ID_CHARACTERS]


def as_line(members: Tree) -> str:
    """Members as a line that begins with the digest of the rest."""
    rest = json.dumps(members, ensure_ascii=False, separators=(",", ":"), allow_nan=False)[1:]
    return f'{{"id":"{_digest(rest)}",{rest}'


def split_line(line: str) -> tuple[str, str]:
    """The id that a line says, and the one that it should have.

    Raises:
        ValueError: it does not begin with an id.
    """
    front = _FRONT.match(line)
    if front is None:
        raise ValueError(f'a line begins with {{"id":" and {ID_CHARACTERS} hexadecimal digits')
    return front[1], _digest(line[front.end() :])


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:ID_CHARACTERS]


def _golden_members(entry: Golden) -> dict[str, Any]:
    members: dict[str, Any] = {
        "cell": entry.cell,
        "provenance": str(entry.provenance),
        "name": entry.name,
        **_about_members(entry.about),
    }
    if entry.header is not None:
        members |= {"head": entry.head.hex(), "header": entry.header}
    if not entry.exact:
        members["exact"] = False
    return {**members, "body": entry.body.hex(), "value": entry.value}


def _about_members(about: Tree) -> dict[str, Any]:
    """In the order of the format, what was replaced by the name of the field."""
    told = {name: about[name] for name in _ABOUT if name in about}
    if isinstance(told.get("redaction"), dict):
        told["redaction"] = dict(sorted(told["redaction"].items()))
    return told


def _malformed_members(entry: Malformed) -> dict[str, Any]:
    done, verdict = entry.change, entry.verdict
    mutation: dict[str, Any] = {"operator": done.operator, "path": done.path, "offset": done.offset}
    if done.before is not None and done.after is not None:
        mutation |= {"before": done.before.hex(), "after": done.after.hex()}
    kafka: dict[str, Any]
    match verdict:
        case Refusal(stage, error, _, consumed):
            kafka = {"accepted": False, "error": error, "stage": stage, "consumed": consumed}
        case Taken(consumed, value, header, laxities):
            told = {} if header is None else {"header": header}
            lax = list(laxities)
            kafka = {"accepted": True, "consumed": consumed, "laxities": lax, **told, "value": value}
        case _:
            assert_never(verdict)
    return {
        "cell": entry.cell,
        "provenance": str(entry.provenance),
        "name": entry.name,
        **_about_members(entry.about),
        "mutation": mutation,
        "frame" if entry.framed else "body": entry.data.hex(),
        "kafka": kafka,
    }


def entry_of(members: Tree) -> Entry:
    """The entry out of the members of its line.

    Raises:
        ValueError: they are not those of an entry; the text says which one is wrong.
    """
    try:
        return _malformed(members) if "mutation" in members else _golden(members)
    except KeyError as error:
        raise ValueError(f"the entry has no {error.args[0]}") from None


_GOLDEN: Final = frozenset({"id", "cell", "provenance", "name", "head", "header", "exact", "body", "value"})
_MALFORMED: Final = frozenset({"id", "cell", "provenance", "name", "mutation", "frame", "body", "kafka"})
_ABOUT: Final = ("listener", "client", "time", "redaction")
"""Further members of captured and accepted entries, in this order."""


def _golden(members: Tree) -> Golden:
    about = _about(members, _GOLDEN)
    header = _object(members, "header") if "header" in members else None
    head = _bytes(members, "head") if header is not None else b""
    if header is None and "head" in members:
        raise ValueError("a head goes with the header's value")
    if header is not None and int.from_bytes(head[:4]) != len(head) - 4 + len(_bytes(members, "body")):
        raise ValueError("the size in head is not that of the frame")
    exact = members.get("exact", True)
    if exact is not True and exact is not False:
        raise ValueError("exact is true or false")
    return Golden(
        _text(members, "cell"),
        Provenance(_text(members, "provenance")),
        _text(members, "name"),
        _bytes(members, "body"),
        _object(members, "value"),
        head,
        header,
        exact,
        about,
    )


def _malformed(members: Tree) -> Malformed:
    about = _about(members, _MALFORMED)
    done, kafka = _object(members, "mutation"), _object(members, "kafka")
    framed = "frame" in members
    change = Change(
        _text(done, "operator"),
        _text(done, "path"),
        _number(done, "offset"),
        _bytes(done, "before") if "before" in done else None,
        _bytes(done, "after") if "after" in done else None,
    )
    verdict: Taken | Refusal
    if kafka["accepted"] is True:
        header = _object(kafka, "header") if framed else None
        laxities = tuple(map(str, kafka["laxities"]))
        verdict = Taken(_number(kafka, "consumed"), _object(kafka, "value"), header, laxities)
    elif kafka["accepted"] is False:
        verdict = Refusal(_text(kafka, "stage"), _text(kafka, "error"), "", _number(kafka, "consumed"))
    else:
        raise ValueError("accepted is true or false")
    return Malformed(
        _text(members, "cell"),
        Provenance(_text(members, "provenance")),
        _text(members, "name"),
        _bytes(members, "frame" if framed else "body"),
        framed,
        change,
        verdict,
        about,
    )


def _about(members: Tree, known: frozenset[str]) -> dict[str, Any]:
    odd = members.keys() - known - set(_ABOUT)
    if odd:
        raise ValueError(f"no entry has a {sorted(odd)[0]}")
    return {name: members[name] for name in _ABOUT if name in members}


def _text(members: Tree, name: str) -> str:
    if not isinstance(members[name], str):
        raise ValueError(f"{name} is a text")  # noqa: TRY004 - of a file, not of a caller
    return str(members[name])


def _number(members: Tree, name: str) -> int:
    if type(members[name]) is not int or members[name] < 0:
        raise ValueError(f"{name} is a number from 0 on")
    return int(members[name])


def _bytes(members: Tree, name: str) -> bytes:
    if not _HEX.fullmatch(_text(members, name)):
        raise ValueError(f"{name} is not lower-case hexadecimal")
    return bytes.fromhex(members[name])


def _object(members: Tree, name: str) -> Tree:
    if not isinstance(members[name], dict):
        raise ValueError(f"{name} is an object")  # noqa: TRY004 - of a file, not of a caller
    return dict(members[name])
