"""The text after a field's name: type, default, and the comment with versions and tag."""

import re
from dataclasses import dataclass
from typing import Final

from kafkawire.schema.model import MAX_VERSION, VersionRange
from wireproof.definitions.krammar.definition_model import (
    EnumReference,
    InlineStruct,
    KrammarArray,
    KrammarScalar,
    KrammarType,
    LengthMinus,
    NamedStruct,
    NullableString,
)
from wireproof.definitions.krammar.definition_problems import KrammarRule

_SCALARS: Final = {each.value: each for each in KrammarScalar}
_COMMENT: Final = re.compile(r"(?:v(\d+)(?:\+|-v(\d+))(?:, tag (\d+))?|tag (\d+))", re.ASCII)
_ARRAY: Final = re.compile(r"(?P<prefix>[^\[]*)(?P<open>\[+)(?P<element>[^\[\]]*)(?P<close>\]+)(?P<rest>.*)")
_PREFIX: Final = re.compile(r"(?:|varint|nullable(?:-v(?P<since>\d+)\+)?)", re.ASCII)
_DEFAULT: Final = re.compile(r"(?P<type>[^()]*)\((?P<default>[^()]*)\)(?P<rest>.*)")
_LENGTH: Final = re.compile(r"length-field-minus => ([A-Za-z][A-Za-z0-9]*) - (\d+)", re.ASCII)
_IDENTIFIER: Final = re.compile(r"[A-Z][A-Za-z0-9_]*", re.ASCII)
_MOST_DEPTH: Final = 8
"""Levels of an array in an array; the files have one."""


class TextError(Exception):
    """A part of a line that is not as it should be."""

    def __init__(self, rule: KrammarRule, text: str) -> None:
        super().__init__(text)
        self.rule = rule
        self.text = text


@dataclass(frozen=True, slots=True)
class FieldText:
    """The parts after ``Name: ``, an `InlineStruct` without its fields, and what franz-go reads otherwise."""

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
        words = f"the versions {text!r} are reversed: write the lower one first"
        raise TextError(KrammarRule.VERSION, words)
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
    """The element type between brackets, with the hint of its name, which older files have after them."""
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
