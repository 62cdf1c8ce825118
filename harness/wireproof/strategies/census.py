"""How many scenarios each field has, counted from the scenarios and, independently, from the JSON text.

Scenarios, canonical form and codec all come from `kafkawire.schema`: a version range misread there
would be misread everywhere, in agreement. So the expectation is made here from the jar's own text, by
a second, smaller reading of it that shares no code with the first: comments cut by one pattern,
``json`` for the rest, versions as plain pairs of numbers. Keep it so; it must not import the reader
or the resolution.

Counted are the cases of each field, of each flexible struct's unknown tags, and of each field that
the version lacks and may ignore. Not counted are the cases of the message as a whole, and those whose
existence depends on sizes (``data-126`` ...).
"""

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final

from kafkawire.schema.layout import MessageLayout
from wireproof.strategies._scenarios import scenarios

__all__ = ["actual_counts", "census_mismatches", "expected_counts"]

_CASES: Final = {
    "bool": 2,
    "int8": 5,
    "int16": 7,
    "uint16": 5,
    "int32": 6,
    "uint32": 5,
    "int64": 9,
    "float64": 11,
    "uuid": 4,
    "string": 16,
    "bytes": 10,
    "records": 10,
}
"""Boundary values of each type."""

_COUNTS: Final = 5
"""Numbers of elements that each array is tried with."""

_TAG_CASES: Final = 5
"""Cases of unknown tags that each flexible struct has, whatever tags it knows."""

_STRINGS_AND_COMMENTS: Final = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)

_Versions = tuple[int, int]


def actual_counts(layout: MessageLayout) -> dict[str, int]:
    """The number of scenarios of each path; fields without any are not in it."""
    return dict(Counter(each.path for each in scenarios(layout) if each.path and "/data-" not in each.name))


def census_mismatches(json_text: str, layout: MessageLayout) -> list[str]:
    """A sentence for each path whose scenarios are not as many as the text asks for; empty if all agree."""
    expected, actual = expected_counts(json_text, layout.version), actual_counts(layout)
    return [
        f"{layout.name} v{layout.version}: {path}: {actual.get(path, 0)} scenarios, "
        f"the definition asks for {expected.get(path, 0)}"
        for path in dict.fromkeys([*expected, *actual])
        if expected.get(path, 0) != actual.get(path, 0)
    ]


def expected_counts(json_text: str, version: int) -> dict[str, int]:
    """The number of scenarios of each path that a message's definition asks for at a version.

    Raises:
        ValueError: the text is no JSON object with a message's keys.
    """
    try:
        # What stands behind the message is passed over: the generator of 2.8 did so too.
        message, _ = json.JSONDecoder().raw_decode(
            _STRINGS_AND_COMMENTS.sub(_without_comment, json_text).lstrip()
        )
        census = _Census(
            version,
            flexible=_within(version, message.get("flexibleVersions", "none")),
            commons={each["name"]: _fields(each) for each in _list(message.get("commonStructs"))},
        )
        census.struct("", _fields(message))
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not a message definition: {error!r}") from error
    return census.counts


def _without_comment(match: re.Match[str]) -> str:
    text = match.group()
    return text if text.startswith('"') else " "


def _list(value: Any) -> list[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _fields(owner: dict[str, Any]) -> list[dict[str, Any]]:
    return _list(owner.get("fields"))


def _bounds(text: Any) -> _Versions:
    text = str(text).strip()
    if text == "none":
        return 1, 0
    if text.endswith("+"):
        return int(text[:-1]), 32767
    low, _, high = text.partition("-")
    return int(low), int(high or low)


def _within(version: int, text: Any) -> bool:
    low, high = _bounds(text)
    return low <= version <= high


def _true(value: Any) -> bool:
    return str(value).lower() == "true"


@dataclass
class _Census:
    """The counting of one message at one version."""

    version: int
    flexible: bool
    commons: dict[str, list[dict[str, Any]]]
    counts: dict[str, int] = field(default_factory=dict)

    def struct(self, prefix: str, fields: list[dict[str, Any]]) -> None:
        for each in fields:
            self._field(prefix, each)
        if self.flexible:
            self.counts[f"{prefix}_tags"] = _TAG_CASES + self._tag_cases(fields)

    def _has(self, each: dict[str, Any], key: str) -> bool:
        return key in each and _within(self.version, each[key])

    def _tagged(self, each: dict[str, Any]) -> bool:
        return self._has(each, "taggedVersions")

    def _present(self, each: dict[str, Any]) -> bool:
        return self._has(each, "versions") if "versions" in each else self._tagged(each)

    def _tag_cases(self, fields: list[dict[str, Any]]) -> int:
        """Among known tags, below them, between them: where there are known tags and free numbers."""
        tags = sorted({int(each["tag"]) for each in fields if each.get("tag") is not None})
        below = bool(tags) and tags[0] > 0
        between = bool(tags) and tags[-1] - tags[0] + 1 > len(tags)
        known = any(self._present(each) and self._tagged(each) for each in fields)
        return below + between + known

    def _field(self, prefix: str, each: dict[str, Any]) -> None:
        name = each["name"][:1].lower() + each["name"][1:]
        path, type_ = prefix + name, each["type"]
        if not self._present(each):
            if _true(each.get("ignorable", False)):
                self.counts[path] = 1
            return
        element = type_.removeprefix("[]")
        inner = None if element in _CASES else _fields(each) or self.commons.get(element, [])
        cases = self._cases(each, type_, element, inner)
        if cases:
            self.counts[path] = cases
        if inner is not None:
            self.struct(f"{path}[]." if type_ != element else f"{path}.", inner)

    def _cases(
        self, each: dict[str, Any], type_: str, element: str, inner: list[dict[str, Any]] | None
    ) -> int:
        nullable = self._has(each, "nullableVersions")
        tagged = self._tagged(each)
        # Tagged: at default, off it, beside an unknown tag. A default of its own: at it and off it.
        cases = nullable + (3 if tagged else 2 * (inner is None and _has_default(each)))
        if inner is None:
            if type_ == element:
                return cases + _CASES[element]
            return cases + _COUNTS + 1 + (element in ("string", "bytes"))
        if type_ == element:
            return cases + nullable
        keyed = any(_true(key.get("mapKey", False)) and self._present(key) for key in inner)
        return cases + _COUNTS + keyed


def _has_default(each: dict[str, Any]) -> bool:
    """Whether a scalar's default is neither null nor the zero of its type."""
    default = each.get("default")
    if default is None or default == "null" or each["type"] in ("bytes", "records"):
        return False
    text = str(default).strip()
    match each["type"]:
        case "string":
            return str(default) != ""
        case "bool":
            return text.lower() == "true"
        case "float64":
            return text != "" and float(text) != 0
        case "uuid":
            return text.strip("A=") != ""
        case array if array.startswith("[]"):
            return False
        case _:
            return text != "" and int(text, 16 if "0x" in text.lower() else 10) != 0
