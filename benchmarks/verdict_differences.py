"""Compare what two versions of wireproof recorded: events, tables, files, commands.

A record is a JSON object. Two versions record the same if their records are equal after `normalised`, apart
from their order.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Final

Record = Mapping[str, Any]

ABSENT: Final = "(absent)"
"""The value of a key, or of a whole record, that one side lacks."""

VOLATILE: Final = frozenset({"seconds", "secondsLeft"})
"""Keys of durations: not compared."""

UNORDERED: Final = frozenset({"knownAt"})
"""Keys of lists whose order means nothing."""

PROSE: Final = frozenset(
    {"summary", "evidence", "near", "message", "reason", "where", "enforced", "ledger", "unsaid", "help"}
)
"""Keys of sentences for readers: their differences are differences of wording. No verdict depends on them."""

IDENTITY: Final = (
    *("event", "cell", "case", "name", "entry"),
    *("release", "message", "version", "provenance", "part", "field", "class", "kind"),
    *("file", "connection", "direction", "offset", "inner", "path"),
)
"""Keys that say which record of the other side a record is compared with."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One value that differs.

    Attributes:
        part: the part of the comparison.
        place: the record, and after a space the path of the value in it.
        before: the value, or `ABSENT`.
        after: the value, or `ABSENT`.
        is_wording: the value is a sentence for readers.
    """

    part: str
    place: str
    before: Any
    after: Any
    is_wording: bool = False

    def __str__(self) -> str:
        return f"{self.place}\n    before  {_short(self.before)}\n    after   {_short(self.after)}"


def normalised(value: Any, texts: Mapping[str, str]) -> Any:
    """Return a JSON value in the form that is compared.

    It lacks `VOLATILE` keys, and `UNORDERED` lists are sorted.

    Args:
        value: the value.
        texts: regular expressions, each with its replacement in every text.
    """
    if isinstance(value, Mapping):
        return {
            key: sorted(new, key=_text) if key in UNORDERED else new
            for key, new in ((key, normalised(item, texts)) for key, item in value.items())
            if key not in VOLATILE
        }
    if isinstance(value, list | tuple):
        return [normalised(item, texts) for item in value]
    if isinstance(value, str):
        for pattern, text in texts.items():
            value = re.sub(pattern, text, value)
    return value


def compare_records(part: str, before: Iterable[Record], after: Iterable[Record]) -> list[Difference]:
    """Compare two sets of records, in any order.

    Records are compared where their `IDENTITY` is the same, equal ones first. A record that has no partner
    is one difference.
    """
    left, right = _by_identity(before), _by_identity(after)
    found: list[Difference] = []
    for identity in sorted(left.keys() | right.keys()):
        only_before, only_after = _unequal(left[identity], right[identity])
        for old, new in zip_longest(only_before, only_after):
            if old is None or new is None:
                absent = (ABSENT, json.loads(new)) if old is None else (json.loads(old), ABSENT)
                found.append(Difference(part, identity, *absent))
            else:
                found += _compare_values(part, identity, "", json.loads(old), json.loads(new))
    return found


def compare_files(part: str, before: Mapping[str, bytes], after: Mapping[str, bytes]) -> list[Difference]:
    """Compare files by their names and bytes; a difference shows the first line that differs."""
    found: list[Difference] = []
    for name in sorted(before.keys() | after.keys()):
        if name not in before or name not in after:
            old, new = (f"{len(side[name])} bytes" if name in side else ABSENT for side in (before, after))
            found.append(Difference(part, name, old, new))
        elif before[name] != after[name]:
            lines = zip_longest(before[name].splitlines(), after[name].splitlines(), fillvalue=b"(end)")
            unequal = (pair for pair in lines if pair[0] != pair[1])
            old, new = (line.decode("utf-8", "replace") for line in next(unequal, (b"(line ends)",) * 2))
            found.append(Difference(part, name, old, new))
    return found


def _by_identity(records: Iterable[Record]) -> defaultdict[str, list[str]]:
    """Return the records as JSON text with sorted keys, by their identity."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for record in records:
        identity = " ".join(str(record[key]) for key in IDENTITY if record.get(key) is not None)
        found[identity].append(_text(record))
    return found


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=_plain)


def _plain(value: object) -> str:
    """Return bytes in hexadecimal, and another value of a table (a time, a decimal number) as text."""
    return value.hex() if isinstance(value, bytes | bytearray | memoryview) else str(value)


def _unequal(before: list[str], after: list[str]) -> tuple[list[str], list[str]]:
    """Return the sorted texts of each side that the other lacks."""
    left, right = Counter(before), Counter(after)
    return sorted((left - right).elements()), sorted((right - left).elements())


def _compare_values(part: str, identity: str, path: str, before: Any, after: Any) -> list[Difference]:
    if before == after:
        return []
    if isinstance(before, dict) and isinstance(after, dict):
        pairs = [(key, before.get(key, ABSENT), after.get(key, ABSENT)) for key in sorted({*before, *after})]
        separator = "." if path else ""
    elif isinstance(before, list) and isinstance(after, list):
        items = zip_longest(before, after, fillvalue=ABSENT)
        pairs = [(str(number), old, new) for number, (old, new) in enumerate(items)]
        separator = "/"
    else:
        return [Difference(part, f"{identity} {path}".rstrip(), before, after, _is_prose(path))]
    return [
        difference
        for key, old, new in pairs
        for difference in _compare_values(part, identity, f"{path}{separator}{key}", old, new)
    ]


def _is_prose(path: str) -> bool:
    return not PROSE.isdisjoint(re.split(r"[./]", path))


def _short(value: Any, most: int = 300) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
    return text if len(text) <= most else f"{text[:most]}... ({len(text):,} characters)"
