"""The sentence about a deviation, with a verb in the singular or the plural."""

import re
from collections.abc import Collection
from typing import Final

from wireproof.base.text.wording import counted
from wireproof.model.repertoire import CodecDirection
from wireproof.proof.deviations.catalogue.trigger import (
    ENDINGS,
    FRAME,
    OF_FIELDS,
    SIBLING,
    SIZE,
    VALUE_ACTIONS,
    WITH_VALUE,
)
from wireproof.proof.deviations.catalogue.triggers import TRIGGERS
from wireproof.proof.deviations.deviation import Deviation
from wireproof.proof.deviations.rules import ENDLESS
from wireproof.proof.deviations.wrong_layouts import ADDED, AFTER, RETAG

_NAMED: Final = 4
"""Types and fields that a sentence names."""
_CRASH: Final = "crash"
_WHOLE: Final = ("bytes", "records")
"""Types whose names are plurals."""
_OF_RECORDS: Final = {
    "batch": "batches",
    "message": "messages",
    "record": "records",
    "bytes of a record": "keys and values of records",
    "varint": "varints",
    "varint of a record": "varints of records",
}
"""Plurals of the types of record sets."""
_VERBS: Final = {"is": "are", "has": "have", "goes": "go", "crashes": "crash"}
_THEIRS: Final = re.compile(r"(?<!a length without )\bits\b")


def deviation_sentence(deviation: Deviation) -> str:
    """Say what the codec does: ``Strings and nullable bytes that are null are read as empty``."""
    subject, plural = _subject(deviation)
    row = deviation.row
    words = "crashes the codec" if deviation.action == _CRASH else row.action_words(deviation.action)
    if deviation.trigger == SIBLING:
        words = words.removeprefix("always ")
    if words.startswith("always is "):
        words = f"is always {words.removeprefix('always is ')}"
    if plural:
        words = _plural_verb(words)
    error = "its process ends, or hangs" if deviation.error == ENDLESS else deviation.error
    ending = f" ({error})" if error else ""
    if deviation.action == AFTER:
        ending = f", after {deviation.value}" if deviation.value else ", before all others"
    if deviation.action in WITH_VALUE or deviation.action == RETAG:
        ending = f": {deviation.value}"
    text = f"{subject} {words}{_when(deviation)}{ending}"
    return text[0].upper() + text[1:]


def _when(deviation: Deviation) -> str:
    """Return the words that name the direction, if the sentence would be the same in both."""
    read = deviation.direction is CodecDirection.DECODE
    other = TRIGGERS.get((CodecDirection.ENCODE if read else CodecDirection.DECODE, deviation.trigger))
    action = deviation.action
    if other is None or other.words != deviation.row.words:
        return ""
    known = {**VALUE_ACTIONS, **ENDINGS, **other.actions}
    if known.get(action) != deviation.row.action_words(action):
        return ""
    return " when read" if read else " when written"


def listed(names: Collection[str], noun: str, most: int = _NAMED) -> str:
    """``a``, ``a and b``, ``a, b and c``; beyond `most` ``a, b and 2 more fields``."""
    first = list(names)[:most]
    if len(names) > most:
        return f"{', '.join(first)} and {counted(len(names) - most, f'more {noun}')}"
    return " and ".join(filter(None, (", ".join(first[:-1]), *first[-1:])))


def _subject(deviation: Deviation) -> tuple[str, bool]:
    """Return the subject, and whether it takes a verb in the plural."""
    if deviation.trigger in OF_FIELDS:
        subject, plural = _fields(deviation)
        if deviation.trigger == SIBLING:
            return f"where {deviation.value}, {subject}", plural
        if deviation.value and deviation.action not in WITH_VALUE:
            return f"the value {deviation.value} of {subject}", False
        return subject, plural
    words = deviation.row.words
    if deviation.trigger in ("layout", ADDED) and (deviation.all_fields or deviation.all_types):
        return _fields(deviation)
    if deviation.trigger == "unknown-code" and deviation.value:
        return f"an error code from {deviation.value} on", False
    if deviation.all_types == {FRAME}:
        return words.replace("the message", "a frame"), False
    if deviation.trigger == SIZE:
        unit = "element" if "array" in "".join(deviation.all_types) else "byte"
        words = f"{{}} of {counted(int(deviation.value or 0), unit)} or more"
    if "{}" not in words:
        return words, words.startswith("bytes")
    plurals = words.replace(" that is ", " that are ").replace(" its ", " their ")
    return plurals.format(_types(deviation)), not words.startswith("the ")


def _fields(deviation: Deviation) -> tuple[str, bool]:
    fields = sorted(deviation.all_fields)
    if not fields:
        return _types(deviation), True
    return f"the {'fields' if len(fields) > 1 else 'field'} {listed(fields, 'field')}", len(fields) > 1


def _types(deviation: Deviation) -> str:
    plurals = map(_plural_type, sorted(deviation.all_types, key=lambda each: (each.split()[-1], each)))
    return listed(tuple(plurals), "type") or "fields"


def _plural_type(name: str) -> str:
    if name.startswith("array of "):
        return f"arrays of {_plural_type(name.removeprefix('array of '))}"
    if name in _OF_RECORDS or name.endswith(_WHOLE):
        return _OF_RECORDS.get(name, name)
    return f"{name}s" if name.endswith(("string", "array", "struct")) else f"{name} values"


def _plural_verb(words: str) -> str:
    adverb = "always " if words.startswith("always ") else ""
    verb, space, rest = words.removeprefix(adverb).partition(" ")
    rest = _THEIRS.sub("their", rest).replace("where it is", "where they are")
    return f"{adverb}{_VERBS.get(verb) or verb.removesuffix('s')}{space}{rest}"
