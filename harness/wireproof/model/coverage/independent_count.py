"""The number of value classes of each field: from the coverage model and, independently, from the JSON text.

Coverage model, scenarios, canonical form and codec all come from `kafkawire.schema`. If that misreads a
version range, all of them agree on the error. So this module counts the expected classes in the jar's own
text, with a second, smaller reader that shares no code with the first: a pattern removes the comments,
``json`` parses the rest, and versions are plain pairs of numbers. The module must not import the reader or
the resolution. All classes are counted, including those that no value can meet.
"""

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final

from kafkawire.schema.layout import MessageLayout
from wireproof.base.text.parsing import shape_fault
from wireproof.model.coverage.layout_model import coverage_model
from wireproof.model.coverage.value_nodes import REFUSED, Point

_CLASSES: Final = {
    "bool": 2,
    "int8": 5,
    "int16": 7,
    "uint16": 5,
    "int32": 7,
    "uint32": 5,
    "int64": 8,
    "float64": 11,
    "uuid": 4,
    "string": 17,
    "bytes": 11,
    "records": 11,
}
"""Classes of each type."""

_REFUSED: Final = {name: 2 for name in _CLASSES if "int" in name} | {"string": 1}
"""Classes of values just beyond a type."""

_COUNTS: Final = 6
"""Classes of numbers of elements."""

_TAGS, _TAGS_REFUSED, _NO_TAGS = 9, 2, 1
"""Classes of unknown tags of each flexible struct, whatever tags it knows; and of any other struct."""

_ABSENT: Final = 2
"""Classes of a field that the version lacks: present, at its default. Off it, it is dropped or refused."""

_STRINGS_AND_COMMENTS: Final = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)

_Versions = tuple[int, int]


def actual_counts(layout: MessageLayout) -> dict[str, int]:
    """The number of classes of each path, those of refused values separately; no entry for zero."""
    return dict(Counter(_place(point) for point in coverage_model(layout).points))


def _place(point: Point) -> str:
    return f"{point.path} refused" if point.name.startswith(REFUSED) else point.path


def count_mismatches(json_text: str, layout: MessageLayout) -> list[str]:
    """A sentence for each path whose number of classes differs from the expected one; empty if all agree."""
    expected, actual = expected_counts(json_text, layout.version), actual_counts(layout)
    return [
        f"{layout.name} v{layout.version}: {path}: {actual.get(path, 0)} classes of values, "
        f"the definition asks for {expected.get(path, 0)}"
        for path in dict.fromkeys([*expected, *actual])
        if expected.get(path, 0) != actual.get(path, 0)
    ]


def expected_counts(json_text: str, version: int) -> dict[str, int]:
    """The number of classes of each path that a message's definition asks for at a version.

    Raises:
        ValueError: the text is not a JSON object with a message's keys.
    """
    try:
        # Text after the message is ignored: the generator of 2.8 did so too.
        message, _ = json.JSONDecoder().raw_decode(
            _STRINGS_AND_COMMENTS.sub(_without_comment, json_text).lstrip()
        )
        independent_count = _IndependentCount(
            version,
            flexible=_within(version, message.get("flexibleVersions", "none")),
            commons={each["name"]: _fields(each) for each in _list(message.get("commonStructs"))},
        )
        independent_count.struct("", _fields(message))
        # A field may have this name too.
        independent_count.counts["message"] = independent_count.counts.get("message", 0) + 1
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not a message definition: {shape_fault(error)}") from error
    return independent_count.counts


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
    return str(value).lower() in ("true", "1")


@dataclass
class _IndependentCount:
    """The counting of one message at one version."""

    version: int
    flexible: bool
    commons: dict[str, list[dict[str, Any]]]
    counts: dict[str, int] = field(default_factory=dict)

    def struct(self, prefix: str, fields: list[dict[str, Any]]) -> None:
        for each in fields:
            self._field(prefix, each)
        path = f"{prefix}_tags"
        if self.flexible:
            self.counts[path] = self._tag_classes(fields)
        defined = any(each.get("tag") is not None for each in fields)
        self.counts[f"{path} refused"] = _TAGS_REFUSED + defined if self.flexible else _NO_TAGS

    def _has(self, each: dict[str, Any], key: str) -> bool:
        return each.get(key) is not None and _within(self.version, each[key])

    def _tagged(self, each: dict[str, Any]) -> bool:
        return self._has(each, "taggedVersions")

    def _present(self, each: dict[str, Any]) -> bool:
        return self._has(each, "versions") if "versions" in each else self._tagged(each)

    def _tag_classes(self, fields: list[dict[str, Any]]) -> int:
        """Classes below the known tags and beside one if there are any, between them if there are two."""
        known = sum(self._present(each) and self._tagged(each) for each in fields)
        return _TAGS + 2 * (known > 0) + (known > 1)

    def _field(self, prefix: str, each: dict[str, Any]) -> None:
        name = each["name"][:1].lower() + each["name"][1:]
        path, type_ = prefix + name, each["type"]
        if not self._present(each):
            ignorable = _true(each.get("ignorable", False))
            self.counts[path] = _ABSENT + ignorable
            self.counts[f"{path} refused"] = not ignorable
            return
        element = type_.removeprefix("[]")
        array = type_ != element
        inner = None if element in _CLASSES else _fields(each) or self.commons.get(element, [])
        nullable = self._has(each, "nullableVersions")
        self.counts[f"{path} refused"] = (not nullable) + _REFUSED.get(element, 0)
        # Two classes (default, other value) for a tagged field or an own default; two sizes of a tag's data.
        classes = nullable + 2 * self._tagged(each)
        classes += 2 * (self._tagged(each) or (inner is None and _has_default(each)))
        if inner is None:
            flexible = (
                _within(self.version, each["flexibleVersions"])
                if "flexibleVersions" in each
                else self.flexible
            )
            types = _CLASSES[element] + 2 * (flexible and element in ("bytes", "records"))
            self.counts[f"{path}[]" if array else path] = types
        if array:
            keyed = any(_true(key.get("mapKey", False)) and self._present(key) for key in inner or [])
            repeats = any(self._present(each) for each in inner or [])
            classes += _COUNTS + repeats + keyed
        elif inner is not None:
            classes += nullable
        self.counts[path] = self.counts.get(path, 0) + classes
        if inner is not None:
            self.struct(f"{path}[]." if array else f"{path}.", inner)


def _number(text: str) -> float:
    """A floating-point number as Java writes it: ``1.5f`` and ``0x1p3`` too."""
    number = text if text.endswith(("NaN", "Infinity")) else text.rstrip("fFdD")
    return float.fromhex(number) if "0x" in number.lower() else float(number)


def _has_default(each: dict[str, Any]) -> bool:
    """Return True if a scalar's default is neither null nor the zero of its type."""
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
            return text != "" and str(_number(text)) != "0.0"  # -0.0 is another default
        case "uuid":
            return text.strip("A=") != ""
        case array if array.startswith("[]"):
            return False
        case _:
            # Kafka takes a bare 0x for no default.
            return text not in ("", "0x") and int(text, 16 if "0x" in text.lower() else 10) != 0
