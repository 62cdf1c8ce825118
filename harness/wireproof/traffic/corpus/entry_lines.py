"""The text of entries: one line of JSON for each.

The id is the first member, and a digest of the rest of the line. So a line edited by hand does not match its
id.
"""

import json
import re
from hashlib import sha256
from typing import Any, Final, assert_never

from wireproof.model.oracle import Refusal
from wireproof.traffic.corpus.corpus_entry import (
    AcceptedReading,
    Change,
    Entry,
    GoldenEntry,
    MalformedEntry,
    Provenance,
    Tree,
)

ID_CHARACTERS: Final = 20
_FRONT: Final = re.compile(r'\{"id":"([0-9a-f]{20})",')
_HEX: Final = re.compile(r"([0-9a-f]{2})*")


def line_of(entry: Entry) -> str:
    """Return the line of an entry, without the line's end."""
    match entry:
        case GoldenEntry():
            return as_line(_golden_members(entry))
        case MalformedEntry():
            return as_line(_malformed_members(entry))
        case _:
            assert_never(entry)


def id_of(entry: Entry) -> str:
    """Return the id of an entry."""
    return line_of(entry)[len('{"id":"') :][:ID_CHARACTERS]


def as_line(members: Tree) -> str:
    """Return members as a line that begins with the digest of the rest."""
    rest = json.dumps(members, ensure_ascii=False, separators=(",", ":"), allow_nan=False)[1:]
    return f'{{"id":"{_digest(rest)}",{rest}'


def split_line(line: str) -> tuple[str, str]:
    """Return the id that a line holds, and the id that its text should have.

    Raises ValueError if the line does not begin with an id.
    """
    front = _FRONT.match(line)
    if front is None:
        raise ValueError(f'a line begins with {{"id":" and {ID_CHARACTERS} hexadecimal digits')
    return front[1], _digest(line[front.end() :])


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:ID_CHARACTERS]


def _golden_members(entry: GoldenEntry) -> dict[str, Any]:
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
    """Return the members in the order of the format; replaced values are sorted by field."""
    chosen = {name: about[name] for name in _ABOUT if name in about}
    if isinstance(chosen.get("redaction"), dict):
        chosen["redaction"] = dict(sorted(chosen["redaction"].items()))
    return chosen


def _malformed_members(entry: MalformedEntry) -> dict[str, Any]:
    change, verdict = entry.change, entry.verdict
    mutation: dict[str, Any] = {"operator": change.operator, "path": change.path, "offset": change.offset}
    if change.before is not None and change.after is not None:
        mutation |= {"before": change.before.hex(), "after": change.after.hex()}
    kafka: dict[str, Any]
    match verdict:
        case Refusal(stage, error, _, consumed):
            kafka = {"accepted": False, "error": error, "stage": stage, "consumed": consumed}
        case AcceptedReading(consumed, value, header, leniencies):
            header_member = {} if header is None else {"header": header}
            names = list(leniencies)
            kafka = {
                "accepted": True,
                "consumed": consumed,
                "laxities": names,
                **header_member,
                "value": value,
            }
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
    """Build an entry from the members of its line.

    Raises ValueError if a member is missing or wrong; the text names it.
    """
    try:
        return _malformed(members) if "mutation" in members else _golden(members)
    except KeyError as error:
        raise ValueError(f"the entry has no {error.args[0]}") from None


_GOLDEN: Final = frozenset({"id", "cell", "provenance", "name", "head", "header", "exact", "body", "value"})
_MALFORMED: Final = frozenset({"id", "cell", "provenance", "name", "mutation", "frame", "body", "kafka"})
_ABOUT: Final = ("listener", "client", "time", "redaction")
"""Further members of captured and accepted entries, in this order."""


def _golden(members: Tree) -> GoldenEntry:
    about = _about(members, _GOLDEN)
    header = _object(members, "header") if "header" in members else None
    head = _bytes(members, "head") if header is not None else b""
    if header is None and "head" in members:
        raise ValueError("a head needs the header's value, too")
    if header is not None and int.from_bytes(head[:4]) != len(head) - 4 + len(_bytes(members, "body")):
        raise ValueError("the size in head is not the size of the frame")
    exact = members.get("exact", True)
    if exact is not True and exact is not False:
        raise ValueError("exact must be true or false")
    return GoldenEntry(
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


def _malformed(members: Tree) -> MalformedEntry:
    about = _about(members, _MALFORMED)
    mutation, kafka = _object(members, "mutation"), _object(members, "kafka")
    framed = "frame" in members
    change = Change(
        _text(mutation, "operator"),
        _text(mutation, "path"),
        _number(mutation, "offset"),
        _bytes(mutation, "before") if "before" in mutation else None,
        _bytes(mutation, "after") if "after" in mutation else None,
    )
    verdict: AcceptedReading | Refusal
    if kafka["accepted"] is True:
        header = _object(kafka, "header") if framed else None
        leniencies = tuple(map(str, kafka["laxities"]))
        verdict = AcceptedReading(_number(kafka, "consumed"), _object(kafka, "value"), header, leniencies)
    elif kafka["accepted"] is False:
        verdict = Refusal(_text(kafka, "stage"), _text(kafka, "error"), "", _number(kafka, "consumed"))
    else:
        raise ValueError("accepted must be true or false")
    return MalformedEntry(
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
    unknown = members.keys() - known - set(_ABOUT)
    if unknown:
        raise ValueError(f"{sorted(unknown)[0]} is not a member of an entry")
    return {name: members[name] for name in _ABOUT if name in members}


def _text(members: Tree, name: str) -> str:
    if not isinstance(members[name], str):
        raise ValueError(f"{name} must be a text")  # noqa: TRY004 - the error of a file, not of a caller
    return str(members[name])


def _number(members: Tree, name: str) -> int:
    if type(members[name]) is not int or members[name] < 0:
        raise ValueError(f"{name} must be a number from 0 on")
    return int(members[name])


def _bytes(members: Tree, name: str) -> bytes:
    if not _HEX.fullmatch(_text(members, name)):
        raise ValueError(f"{name} is not lower-case hexadecimal")
    return bytes.fromhex(members[name])


def _object(members: Tree, name: str) -> Tree:
    if not isinstance(members[name], dict):
        raise ValueError(f"{name} must be an object")  # noqa: TRY004 - the error of a file, not of a caller
    return dict(members[name])
