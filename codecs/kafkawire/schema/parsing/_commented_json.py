"""JSON with positions, in the dialect that Kafka's generator reads.

The generator uses Jackson and allows comments (`MessageGenerator.JSON_SERDE`): ``//`` to the end of the line
and ``/* */``, outside of string literals. If a key is given twice, its last value counts; the reader keeps
the earlier ones for a warning. Scalars keep their text, because Jackson converts any scalar to a string,
digit for digit, if a string is expected.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Final, TypeAlias

MAX_DEPTH: Final = 200
"""The most nested objects and arrays. Jackson's limit is 1,000; real schemas are far below both."""


class JsonKind(Enum):
    """The spelling of a scalar."""

    TEXT = auto()
    INTEGER = auto()
    FRACTION = auto()
    BOOLEAN = auto()
    NULL = auto()


@dataclass(slots=True)
class JsonScalar:
    """A scalar; `text` is the decoded string, or the characters of any other scalar."""

    offset: int
    kind: JsonKind
    text: str


@dataclass(slots=True)
class JsonArray:
    offset: int
    items: list["JsonNode"] = field(default_factory=list)


@dataclass(slots=True)
class JsonObject:
    """A JSON object that keeps the lines of its keys.

    Attributes:
        repeated: for each repetition of a key: the key, the offset of the repetition, the earlier value.
    """

    offset: int
    members: dict[str, "JsonNode"] = field(default_factory=dict)
    repeated: list[tuple[str, int, "JsonNode"]] = field(default_factory=list)


JsonNode: TypeAlias = JsonScalar | JsonArray | JsonObject


class JsonSyntaxError(ValueError):
    """Text that is not JSON of this dialect; `offset` is the first place that is not."""

    def __init__(self, offset: int, text: str) -> None:
        super().__init__(text)
        self.offset = offset
        self.text = text


@dataclass(frozen=True, slots=True)
class JsonDocument:
    """A parsed text.

    Attributes:
        trailing: the offset of other text after the value; None if there is none.
    """

    root: JsonNode
    trailing: int | None


def line_index(text: str) -> list[int]:
    """The offsets at which the lines after the first begin."""
    return [match.end() for match in re.finditer(r"\r\n?|\n", text)]


def line_at(index: list[int], offset: int) -> int:
    """The line, from 1, of an offset."""
    return bisect_right(index, offset) + 1


# One way to match each, so that a failed match takes linear time. Possessive groups would be wrong: up to
# Python 3.11.4 they keep a part of what does not match, such as a comment without its end.
_BLANKS: Final = r"(?: [ \t\r\n]++ | //[^\r\n]*+ | /\*[^*]*+\*++(?:[^/*][^*]*+\*++)*/ )*"

_TOKEN: Final = re.compile(
    _BLANKS
    + r"""
    (?:
      (?P<text> "[^"\\\x00-\x1f]*+(?:\\.[^"\\\x00-\x1f]*+)*" )
    | (?P<mark> [{}\[\]:,] )
    | (?P<number> -?(?:0|[1-9][0-9]*+)(?P<fraction>(?:\.[0-9]++)?(?:[eE][-+]?[0-9]++)?)(?![\w.+-]) )
    | (?P<word> (?:true|false|null)(?!\w) )
    | (?P<end> \Z )
    )
    """,
    re.VERBOSE,
)
_SPACE: Final = re.compile(_BLANKS, re.VERBOSE)

_Token: TypeAlias = tuple[str, str, int]
"""Kind, text, offset. The kind of a punctuation mark is the mark itself; the kind of the end is ``""``."""


def parse_json(text: str) -> JsonDocument:
    """Parse JSON with comments, as Kafka's message files have it.

    Raises:
        JsonSyntaxError: at the first place that is not JSON.
    """
    tokens = _tokens(text)
    root = _value(tokens, next(tokens), 0)
    try:
        kind, _, offset = next(tokens)
    except JsonSyntaxError as error:
        return JsonDocument(root, error.offset)
    return JsonDocument(root, offset if kind else None)


def _tokens(text: str) -> Iterator[_Token]:
    match_at = _TOKEN.match
    position = 1 if text.startswith("\ufeff") else 0
    while True:
        match = match_at(text, position)
        if match is None:
            raise _refusal(text, position)
        position = match.end()
        match match.lastgroup:
            case "mark":
                mark = match["mark"]
                yield mark, mark, position - 1
            case "end":
                yield "", "", position
            case "fraction" | "number":
                yield "fraction" if match["fraction"] else "number", match["number"], match.start("number")
            case group:
                assert group is not None
                yield group, match[group], match.start(group)


def _refusal(text: str, position: int) -> JsonSyntaxError:
    space = _SPACE.match(text, position)
    offset = space.end() if space else position
    if text.startswith("/*", offset):
        return JsonSyntaxError(offset, "a comment begins here that no */ ends")
    if text.startswith('"', offset):
        return JsonSyntaxError(
            offset, "a string begins here that does not end on its line; close it with a quote"
        )
    return JsonSyntaxError(offset, f"{text[offset : offset + 12]!r} is not valid JSON")


def _value(tokens: Iterator[_Token], token: _Token, depth: int) -> JsonNode:
    kind, text, offset = token
    match kind:
        case "text":
            return JsonScalar(offset, JsonKind.TEXT, _unquote(text, offset))
        case "{":
            return _object(tokens, offset, _deeper(depth, offset))
        case "[":
            return _array(tokens, offset, _deeper(depth, offset))
        case "number":
            return JsonScalar(offset, JsonKind.INTEGER, text)
        case "fraction":
            return JsonScalar(offset, JsonKind.FRACTION, text)
        case "word":
            return JsonScalar(offset, JsonKind.NULL if text == "null" else JsonKind.BOOLEAN, text)
        case _:
            raise JsonSyntaxError(offset, f"expected a value, not {_shown(token)}")


def _object(tokens: Iterator[_Token], offset: int, depth: int) -> JsonObject:
    result = JsonObject(offset)
    members = result.members
    token = next(tokens)
    if token[0] == "}":
        return result
    while True:
        if token[0] != "text":
            raise JsonSyntaxError(token[2], f"expected a key in quotes, not {_shown(token)}")
        key = _unquote(token[1], token[2])
        if key in members:
            result.repeated.append((key, token[2], members[key]))
        colon = next(tokens)
        if colon[0] != ":":
            raise JsonSyntaxError(colon[2], f"a colon should follow the key {key!r}, not {_shown(colon)}")
        members[key] = _value(tokens, next(tokens), depth)
        token = next(tokens)
        if token[0] == "}":
            return result
        if token[0] != ",":
            raise JsonSyntaxError(token[2], f"expected a comma or }}, not {_shown(token)}")
        token = next(tokens)


def _array(tokens: Iterator[_Token], offset: int, depth: int) -> JsonArray:
    result = JsonArray(offset)
    token = next(tokens)
    if token[0] == "]":
        return result
    while True:
        result.items.append(_value(tokens, token, depth))
        token = next(tokens)
        if token[0] == "]":
            return result
        if token[0] != ",":
            raise JsonSyntaxError(token[2], f"expected a comma or ], not {_shown(token)}")
        token = next(tokens)


def _deeper(depth: int, offset: int) -> int:
    if depth >= MAX_DEPTH:
        raise JsonSyntaxError(offset, f"more than {MAX_DEPTH} objects and arrays inside each other")
    return depth + 1


def _unquote(literal: str, offset: int) -> str:
    if "\\" not in literal:
        return literal[1:-1]
    try:
        decoded: str = json.loads(literal)
    except ValueError as error:
        raise JsonSyntaxError(offset, "the string holds an escape that JSON does not have") from error
    return decoded


def _shown(token: _Token) -> str:
    return token[1] if token[0] else "the end of the text"
