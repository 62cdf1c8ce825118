"""The lines below a struct's head: its fields with their types, and the fields of inner structs."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from kafkawire.schema.model import MAX_VERSION, VersionRange
from wireproof.definitions.krammar.definition_model import (
    TIMEOUT_DEFAULT,
    EnumReference,
    InlineStruct,
    KrammarArray,
    KrammarField,
    KrammarScalar,
    KrammarType,
    LengthMinus,
    NamedStruct,
    NullableString,
    SpecialField,
)
from wireproof.definitions.krammar.definition_problems import KrammarRule, ProblemList

_SCALARS: Final = {each.value: each for each in KrammarScalar}
_COMMENT: Final = re.compile(r"(?:v(\d+)(?:\+|-v(\d+))(?:, tag (\d+))?|tag (\d+))", re.ASCII)
_ARRAY: Final = re.compile(r"(?P<prefix>[^\[]*)(?P<open>\[+)(?P<element>[^\[\]]*)(?P<close>\]+)(?P<rest>.*)")
_PREFIX: Final = re.compile(r"(?:|varint|nullable(?:-v(?P<since>\d+)\+)?)", re.ASCII)
_DEFAULT: Final = re.compile(r"(?P<type>[^()]*)\((?P<default>[^()]*)\)(?P<rest>.*)")
_LENGTH: Final = re.compile(r"length-field-minus => ([A-Za-z][A-Za-z0-9]*) - (\d+)", re.ASCII)
_IDENTIFIER: Final = re.compile(r"[A-Z][A-Za-z0-9_]*", re.ASCII)
_MOST_DEPTH: Final = 8
"""The most levels of nested arrays; franz-go's files have one."""


class TextError(Exception):
    """A part of a line that breaks a rule of krammar."""

    def __init__(self, rule: KrammarRule, text: str) -> None:
        super().__init__(text)
        self.rule = rule
        self.text = text


@dataclass(frozen=True, slots=True)
class FieldText:
    """The parts after ``Name: ``: type (an `InlineStruct` without its fields), default, and warnings."""

    type: KrammarType
    default: str | None
    warnings: tuple[tuple[KrammarRule, str], ...] = ()


def version_number(text: str) -> int:
    """Return the number of a version text. Raises TextError if it is above 32,767."""
    if len(text.lstrip("0")) > 5 or int(text) > MAX_VERSION:
        raise TextError(KrammarRule.VERSION, f"the version {text[:20]} is above {MAX_VERSION}")
    return int(text)


def comment_of(text: str) -> tuple[VersionRange | None, int | None]:
    """The versions and the tag that the comment after a field names.

    Raises TextError if the comment is not one of the four forms, or its range is reversed.
    """
    match = _COMMENT.fullmatch(text)
    if match is None:
        words = f"the comment {text!r} names neither versions nor a tag: write v1+, v1-v3 or tag 0"
        raise TextError(KrammarRule.COMMENT, words)
    lowest, highest, both, alone = match.groups()
    tag = both or alone
    if tag is not None and len(tag) > 5:
        raise TextError(KrammarRule.TAG, f"the tag {tag[:20]} is too high: number a struct's tags from 0")
    if lowest is None:
        return None, int(tag)
    versions = VersionRange(
        version_number(lowest), MAX_VERSION if highest is None else version_number(highest)
    )
    if versions.empty:
        raise TextError(KrammarRule.VERSION, f"the versions {text!r} are reversed: write the lower one first")
    return versions, None if tag is None else int(tag)


def field_type(text: str) -> FieldText:
    """Read a type with its default. Raises TextError if there is no such type."""
    if "[" in text or "]" in text:
        return _array(text)
    name, default = _split_default(text)
    return FieldText(_simple(name), default)


def _array(text: str) -> FieldText:
    match = _ARRAY.fullmatch(text)
    if match is None or len(match["open"]) != len(match["close"]) or len(match["open"]) > _MOST_DEPTH:
        words = f"{text[:60]!r} is not an array: write [int32], [=>], nullable[string] or varint[Header]"
        raise TextError(KrammarRule.TYPE, words)
    prefix = _PREFIX.fullmatch(match["prefix"])
    if prefix is None:
        words = (
            f"an array does not begin with {match['prefix'][:40]!r}: write nullable, nullable-v1+ or varint"
        )
        raise TextError(KrammarRule.TYPE, words)
    element, default, warnings = _element(match["element"], match["rest"])
    for _ in match["open"][1:]:
        element = KrammarArray(element)
    varint = match["prefix"] == "varint"
    since = None
    if match["prefix"].startswith("nullable"):
        since = version_number(prefix["since"] or "0")
    return FieldText(KrammarArray(element, varint, since), default, warnings)


def _element(text: str, rest: str) -> tuple[KrammarType, str | None, tuple[tuple[KrammarRule, str], ...]]:
    """The element type between brackets, with a hint of its name; older files have the hint after them."""
    if rest.startswith("("):
        words = "franz-go's parser cannot read a default of an array: remove it, an array begins empty"
        raise TextError(KrammarRule.DEFAULT, words)
    if text.startswith("nullable=>"):
        words = "the elements of an array are never null: write [=>]"
        raise TextError(KrammarRule.NULLABLE, words)
    if text.startswith("=>"):
        hint = text[2:] or rest
        if hint and not _IDENTIFIER.fullmatch(hint):
            raise TextError(KrammarRule.HINT, f"the name hint {hint[:40]!r} is not a name: write [=>Entry]")
        words = f"the name hint is after the bracket, where franz-go's parser cuts it: write [=>{hint}]"
        late = ((KrammarRule.HINT, words),) if rest else ()
        return InlineStruct((), hint=hint), None, late
    if rest:
        raise TextError(KrammarRule.TYPE, f"{rest[:40]!r} follows the array: remove it")
    name, default = _split_default(text)
    return _simple(name), default, ()


def _split_default(text: str) -> tuple[str, str | None]:
    if "(" not in text and ")" not in text:
        return text, None
    match = _DEFAULT.fullmatch(text)
    if match is None or match["rest"]:
        words = f"the default in {text[:60]!r} is not between parentheses at the end: write int32(-1)"
        raise TextError(KrammarRule.DEFAULT, words)
    return match["type"], match["default"]


def _simple(text: str) -> KrammarType:
    if text in _SCALARS:
        return _SCALARS[text]
    if text in ("=>", "nullable=>"):
        return InlineStruct((), nullable=text != "=>")
    if text.startswith(("=>", "nullable=>")):
        words = f"{text[:40]!r}: only an array's struct takes a name hint; write => alone"
        raise TextError(KrammarRule.HINT, words)
    if match := re.fullmatch(r"nullable-string-v(\d+)\+", text, re.ASCII):
        return NullableString(version_number(match[1]))
    if text.startswith("nullable-string-v"):
        words = "a string that becomes null stays so: write nullable-string-v1+, with a number and a +"
        raise TextError(KrammarRule.NULLABLE, words)
    if text.startswith("enum-"):
        return EnumReference(text.removeprefix("enum-"))
    if text.startswith("length-field-minus"):
        if match := _LENGTH.fullmatch(text):
            return LengthMinus(match[1], version_number(match[2]))
        words = "a length field is written as: length-field-minus => Length - 49"
        raise TextError(KrammarRule.LENGTH_FIELD, words)
    if _IDENTIFIER.fullmatch(text):
        return NamedStruct(text)
    raise TextError(KrammarRule.UNKNOWN_TYPE, f"there is no type {text[:60]!r}")


MOST_LINE_LENGTH: Final = 10_000
"""The most characters of a line; franz-go's longest has 200."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line without its end, and its number, from 1."""

    number: int
    text: str

    @property
    def blank(self) -> bool:
        return not self.text

    @property
    def indent(self) -> int:
        """The number of spaces before the first other character."""
        return len(self.text) - len(self.text.lstrip(" "))


def split_lines(text: str, source: str, problems: ProblemList) -> list[Line]:
    """Split a file at line feeds, and report carriage returns, tabs, trailing spaces and a missing last end.

    franz-go's parser drops a last line without an end, and reads the other characters as parts of names.
    """
    if not text:
        return []
    parts = text.split("\n")
    if parts[-1]:
        words = "the last line does not end, so that franz-go's parser drops it: end it with a line feed"
        problems.error(source, len(parts), KrammarRule.FINAL_NEWLINE, words)
    else:
        parts.pop()
    carriage_return = next((number for number, part in enumerate(parts, 1) if part.endswith("\r")), 0)
    if carriage_return:
        words = "the line ends in CR LF: write LF alone, in all lines"
        problems.error(source, carriage_return, KrammarRule.LINE_END, words)
    lines = [Line(number, part.removesuffix("\r")) for number, part in enumerate(parts, 1)]
    for line in lines:
        _check_line(line, source, problems)
        if problems.full:
            break
    return lines


def _check_line(line: Line, source: str, problems: ProblemList) -> None:
    text = line.text
    if len(text) > MOST_LINE_LENGTH:
        words = f"the line has {len(text):,} characters: at most {MOST_LINE_LENGTH:,}"
        problems.error(source, line.number, KrammarRule.LINE_LENGTH, words)
    code = text.split("//", 1)[0]
    if "\t" in code:
        problems.error(source, line.number, KrammarRule.TAB, "a tab: write two spaces for each level")
    if text != text.rstrip(" ") and not text.lstrip(" ").startswith("//"):
        problems.error(source, line.number, KrammarRule.SPACING, "the line ends in spaces: remove them")


class LineCursor:
    """A position in the lines of a file, whose problems it adds to a list."""

    def __init__(self, text: str, source: str, problems: ProblemList) -> None:
        self.source = source
        self.problems = problems
        self._lines = split_lines(text, source, problems)
        self._next = 0

    def peek(self) -> Line | None:
        """The next line, which stays the next; None at the end, or if there are too many problems."""
        return self._lines[self._next] if self._next < len(self._lines) and not self.problems.full else None

    def advance(self) -> None:
        self._next += 1

    def error(self, line: int, rule: KrammarRule, text: str) -> None:
        self.problems.error(self.source, line, rule, text)

    def warning(self, line: int, rule: KrammarRule, text: str) -> None:
        self.problems.warning(self.source, line, rule, text)


MOST_DEPTH: Final = 32
"""The most levels of nested structs; franz-go's deepest have five."""

_STEP: Final = 2
_NAME: Final = re.compile(r"[A-Z][A-Za-z0-9]*", re.ASCII)
_SPECIAL: Final = re.compile(r"(ThrottleMillis|TimeoutMillis)(?:\((\d+)\))?(?: // v(\d+)\+)?", re.ASCII)


def read_fields(cursor: LineCursor, depth: int = 1) -> tuple[KrammarField, ...]:
    """Read the fields at one level, with those inside, up to a blank line or a line further out.

    Args:
        cursor: at the first line after the head; afterwards at the first line after the struct.
        depth: the level, from 1.
    """
    return tuple(_fields(cursor, depth))


def _fields(cursor: LineCursor, depth: int) -> Iterator[KrammarField]:
    comment: Line | None = None
    while (line := cursor.peek()) is not None:
        if line.blank or line.indent < _STEP * depth:
            return
        cursor.advance()
        text = line.text.strip(" ")
        if text.startswith("//"):
            comment = line
            continue
        if line.indent != _STEP * depth:
            words = f"the line begins with {line.indent} spaces: a field at this level has {_STEP * depth}"
            cursor.error(line.number, KrammarRule.INDENTATION, words)
            continue
        try:
            field = _field(text, line, comment, cursor)
        except TextError as error:
            cursor.error(line.number, error.rule, error.text)
            _skip_inside(cursor, depth)
            field = None
        comment = None
        if field is not None:
            yield _with_inner(field, cursor, depth)


def _skip_inside(cursor: LineCursor, depth: int) -> None:
    """Pass over the lines of a struct whose own line is unreadable."""
    while (line := cursor.peek()) is not None and not line.blank and line.indent > _STEP * depth:
        cursor.advance()


def _field(text: str, line: Line, comment: Line | None, cursor: LineCursor) -> KrammarField | None:
    if SpecialField.THROTTLE in text or (SpecialField.TIMEOUT in text and ":" not in text):
        if comment is not None:
            words = f"a comment above {text.split('(')[0]}, which has one of its own: remove it"
            cursor.error(comment.number, KrammarRule.SPECIAL_FIELD, words)
        return _special(text, line)
    parts = text.split(": ")
    if len(parts) != 2 or not all(parts):
        words = f"{text[:60]!r} is not a field: write a name, a colon, one space and a type"
        raise TextError(KrammarRule.FIELD, words)
    name, rest = parts
    if not _NAME.fullmatch(name):
        words = f"{name[:60]!r} is not a name for a field: use letters and digits, a capital letter first"
        raise TextError(KrammarRule.FIELD_NAME, words)
    versions, tag = None, None
    if " // " in rest:
        rest, comment_text = rest.split(" // ", 1)
        versions, tag = comment_of(comment_text)
    read = field_type(rest)
    for rule, words in read.warnings:
        cursor.warning(line.number, rule, words)
    return KrammarField(name, read.type, versions, tag, read.default, line=line.number)


def _special(text: str, line: Line) -> KrammarField:
    match = _SPECIAL.fullmatch(text)
    if match is None:
        words = f"{text[:60]!r} is not a special field: write ThrottleMillis(6) // v1+, say"
        raise TextError(KrammarRule.SPECIAL_FIELD, words)
    special = SpecialField(match[1])
    versions = None if match[3] is None else VersionRange(version_number(match[3]), MAX_VERSION)
    field = KrammarField(special.value, KrammarScalar.INT32, versions, special=special, line=line.number)
    if special is SpecialField.TIMEOUT:
        return replace(field, default=match[2] or TIMEOUT_DEFAULT)
    return replace(field, post_reply_since=None if match[2] is None else version_number(match[2]))


def _with_inner(field: KrammarField, cursor: LineCursor, depth: int) -> KrammarField:
    """The field with the fields of its inline struct, which are on the next lines."""
    inline = innermost(field.type)
    if not isinstance(inline, InlineStruct):
        return field
    if field.default is not None:
        words = "a struct has no default of its own: remove it"
        cursor.error(field.line, KrammarRule.DEFAULT, words)
    if depth == MOST_DEPTH:
        words = f"structs are nested more than {MOST_DEPTH} deep: franz-go's have five levels"
        cursor.error(field.line, KrammarRule.DEPTH, words)
        _skip_inside(cursor, depth)
        return replace(field, type=KrammarScalar.INT8)  # a harmless type in its place
    fields = read_fields(cursor, depth + 1)
    if not fields and not cursor.problems.errors:
        words = f"the struct {field.name} has no fields: indent them by {_STEP * (depth + 1)} spaces"
        cursor.warning(field.line, KrammarRule.EMPTY_STRUCT, words)
    return replace(field, type=_with_innermost(field.type, replace(inline, fields=fields)))


def innermost(type_: KrammarType) -> KrammarType:
    """The element type of the innermost array; the type itself if it is not an array."""
    while isinstance(type_, KrammarArray):
        type_ = type_.element
    return type_


def _with_innermost(type_: KrammarType, inner: KrammarType) -> KrammarType:
    if not isinstance(type_, KrammarArray):
        return inner
    return replace(type_, element=_with_innermost(type_.element, inner))
