"""Reading single keys of a JSON tree: converted as Jackson does, or reported with line and rule."""

import re
from collections.abc import Callable
from typing import Final, TypeVar

from kafkawire.schema.model import VersionRange
from kafkawire.schema.parsing._commented_json import (
    JsonArray,
    JsonKind,
    JsonNode,
    JsonObject,
    JsonScalar,
    line_at,
    line_index,
)
from kafkawire.schema.rule_table import SchemaProblem, SchemaRule, Severity

_TRUE: Final = frozenset({"true", "True", "TRUE"})
_FALSE: Final = frozenset({"false", "False", "FALSE", "", "null"})


class NotCoercible(ValueError):  # noqa: N818 - it is a verdict about a node, caught at once by the reader
    """A node that cannot be converted to the expected kind; the text names the accepted values."""


def as_text(node: JsonNode) -> str | None:
    """The node as a string; None for null."""
    if not isinstance(node, JsonScalar):
        raise NotCoercible(f"wants text, not {shown(node)}")
    return None if node.kind is JsonKind.NULL else node.text


def as_integer(node: JsonNode, bits: int) -> int | None:
    """The node as a signed integer of `bits` bits; None for null, ``""`` and ``"null"``."""
    if not isinstance(node, JsonScalar) or node.kind is JsonKind.BOOLEAN:
        raise NotCoercible(f"wants a whole number, not {shown(node)}")
    text = node.text.strip()
    if node.kind is JsonKind.NULL or (node.kind is JsonKind.TEXT and text in ("", "null")):
        return None
    limit = 1 << (bits - 1)
    try:
        number = _whole(text, fraction_allowed=node.kind is JsonKind.FRACTION)
    except ValueError:
        raise NotCoercible(f"wants a whole number, not {shown(node)}") from None
    if not -limit <= number < limit:
        raise NotCoercible(f"wants a whole number from {-limit} to {limit - 1}, not {text}")
    return number


def _whole(text: str, *, fraction_allowed: bool) -> int:
    if fraction_allowed:
        return int(float(text)) if abs(float(text)) < 1e18 else 10**18
    digits = text.lstrip("+-")
    if len(text) - len(digits) > 1 or not (digits.isascii() and digits.isdigit()):
        raise ValueError(text)
    number = int(digits) if len(digits) <= 20 else 10**20
    return -number if text.startswith("-") else number


def as_boolean(node: JsonNode) -> bool:
    """The node as a bool; null, ``""`` and ``"null"`` are false, any number except 0 is true."""
    if isinstance(node, JsonScalar):
        match node.kind:
            case JsonKind.NULL:
                return False
            case JsonKind.INTEGER:
                return node.text.lstrip("-") != "0"
            case JsonKind.BOOLEAN:
                return node.text == "true"
            case JsonKind.TEXT if (text := node.text.strip()) in _TRUE or text in _FALSE:
                return text in _TRUE
            case _:
                pass
    raise NotCoercible(f"wants true or false, not {shown(node)}")


def as_items(node: JsonNode) -> list[JsonNode]:
    """The node as a list: a single value means a list of one, null for an empty one."""
    if isinstance(node, JsonArray):
        return node.items
    if isinstance(node, JsonScalar) and node.kind is JsonKind.NULL:
        return []
    return [node]


def shown(node: JsonNode) -> str:
    """The node in a few words, for problems."""
    match node:
        case JsonObject():
            return "an object"
        case JsonArray():
            return "an array"
        case JsonScalar(kind=JsonKind.TEXT, text=text):
            return repr(text if len(text) <= 40 else text[:40] + "...")
        case JsonScalar(text=text):
            return text[:40]


_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9]*")

_T = TypeVar("_T")
_V = TypeVar("_V", bound=VersionRange | None)


class KeyReader:
    """Reads keys of the tree of one file. `problems` and `broken` fill as it goes.

    Attributes:
        broken: paths of the fields, and names of the top-level keys, that could not be read as written.
    """

    def __init__(self, text: str, source: str) -> None:
        self.source = source
        self.problems: list[SchemaProblem] = []
        self.broken: set[str] = set()
        self._lines = line_index(text)

    def line(self, offset: int) -> int:
        return line_at(self._lines, offset)

    def report(
        self, offset: int, path: str, rule: SchemaRule, text: str, severity: Severity | None = None
    ) -> None:
        """Add a problem; its severity is the rule's unless another one is given."""
        line = self.line(offset)
        self.problems.append(
            SchemaProblem(self.source, line, path, severity or rule.severity, text, rule.value)
        )

    def _name(self, node: JsonObject, path: str, noun: str) -> str | None:
        text = self._take(node, path, "name", as_text, None)
        if text is None:
            if not is_given(node, "name"):
                what = f"name is missing: every {noun} has one"
                self._fail(node, path, path or "name", SchemaRule.NAME_MISSING, what)
            return None
        if noun == "field" and not _NAME.fullmatch(text):
            what = f"{text!r} is not a name for a field: use letters and digits, a letter first"
            self._fail(node.members["name"], path, path, SchemaRule.FIELD_NAME, what)
        return text

    def _versions(self, node: JsonObject, path: str, key: str, absent: _V) -> VersionRange | _V:
        """The range under a key; `absent` if the key is missing, null, blank or unreadable."""
        text = self._take(node, path, key, as_text, None)
        if text is None or not text.strip():
            return absent
        try:
            versions = VersionRange.parse(text)
        except ValueError:
            what = f"{key} {text!r} is not a range: write 3, 2-5, 7+ or none, with versions from 0 to 32767"
            self._fail(node.members[key], path, path or key, SchemaRule.VERSIONS_SYNTAX, what)
            return absent
        if versions.empty and versions != VersionRange.NONE:
            what = f"{key} {text!r} is reversed, so that no version is in it: write none, or turn it round"
            self.report(node.members[key].offset, path, SchemaRule.VERSIONS_REVERSED, what)
        return versions

    def _path(self, node: JsonObject, prefix: str, noun: str) -> str:
        """The path of a field or struct: its name, or its kind if it has no name."""
        try:
            text = as_text(node.members["name"]) if "name" in node.members else None
        except NotCoercible:
            text = None
        if not text:
            return f"{prefix}<{noun} without a name, line {self.line(node.offset)}>"
        return f"{prefix}{text[:1].lower()}{text[1:]}" if noun == "a field" else text

    def _take(
        self, node: JsonObject, path: str, key: str, convert: Callable[[JsonNode], _T], absent: _T
    ) -> _T:
        """The value under a key, converted; `absent` if the key is absent or its value cannot be used."""
        given = node.members.get(key)
        if given is None:
            return absent
        result = self._coerce(given, path, path or key, convert, key)
        return absent if result is None else result

    def _coerce(
        self, node: JsonNode, path: str, broken: str, convert: Callable[[JsonNode], _T], key: str = ""
    ) -> _T | None:
        try:
            return convert(node)
        except NotCoercible as error:
            self._fail(node, path, broken, SchemaRule.WRONG_VALUE, f"{key or broken} {error}")
            return None

    def _fail(self, node: JsonNode, path: str, broken: str, rule: SchemaRule, text: str) -> None:
        self.broken.add(broken)
        self.report(node.offset, path, rule, text)


def is_present(node: JsonObject, key: str) -> bool:
    """Test if a key is present with anything but null."""
    given = node.members.get(key)
    return given is not None and not (isinstance(given, JsonScalar) and given.kind is JsonKind.NULL)


def is_given(node: JsonObject, key: str, *blanks: str) -> bool:
    """Test if a key is present with a value: not null, not blank, none of `blanks`."""
    given = node.members.get(key)
    blank = isinstance(given, JsonScalar) and given.text.strip() in ("", *blanks)
    return is_present(node, key) and not blank
