"""Reading single keys of a JSON tree: converted, or reported with their line and the rule that is broken."""

import re
from collections.abc import Callable
from typing import Final, TypeVar

from kafkawire.schema.model import VersionRange
from kafkawire.schema.parsing._coercion import NotCoercible, as_text
from kafkawire.schema.parsing._commented_json import (
    JsonKind,
    JsonNode,
    JsonObject,
    JsonScalar,
    line_at,
    line_index,
)
from kafkawire.schema.problems import SchemaProblem, Severity
from kafkawire.schema.rule_table import SchemaRule

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
        """The range under a key; `absent` where there is none, or it is null, blank or unreadable."""
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
        """The path of a field or struct: by name where it has one, else by what it is."""
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
        """The value under a key, converted; `absent` where the key is absent or its value is of no use."""
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
