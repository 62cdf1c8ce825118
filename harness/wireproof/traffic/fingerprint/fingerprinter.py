"""Fingerprints of frames: the classes of values that their fields cover, and the content of responses.

The classes are those of `wireproof.model.coverage`, so captured and made entries are chosen by the same
criteria.
Responses add two criteria: each error code, and content besides errors.

A fingerprint depends only on its frame, so fingerprints can be computed anywhere and in any order.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from kafkawire.caching import BoundedCache
from kafkawire.schema import MessageKind, MessageLayout
from kafkawire.schema.layout import StructLayout
from kafkawire.values import Value
from wireproof.model.coverage.layout_model import coverage_model, frame_coverage_model
from wireproof.model.coverage.value_nodes import CoverageModel, Point
from wireproof.model.kafka.releases import holds_error_code, names_error_code

_MOST_WORDS: Final = 256
"""Number of cached error texts of a layout."""
_ALWAYS: Final = ("errorCode", "errorMessage", "throttleTimeMs")
"""Fields without content."""


def iter_error_codes(value: Value, path: str = "") -> Iterator[tuple[str, int]]:
    """Yield every error code, also 0, at any depth with its path: ``topics[].errorCode``.

    For responses without a layout; `ResponseClassifier` is faster.
    """
    match value:
        case dict():
            for name, inner in value.items():
                below = f"{path}.{name}" if path else str(name)
                if names_error_code(below) and isinstance(inner, int):
                    yield below, inner
                else:
                    yield from iter_error_codes(inner, below)
        case list():
            for inner in value:
                yield from iter_error_codes(inner, f"{path}[]")
        case _:
            pass


class ResponseClassifier:
    """Classifies responses of one layout."""

    def __init__(self, layout: MessageLayout) -> None:
        self._errors = _ErrorFields(layout.root, "")
        self._words: dict[frozenset[tuple[str, int]], tuple[str, ...]] = {}
        self._content_fields = [
            (each.name, each.default) for each in layout.root.all_fields if each.name not in _ALWAYS
        ]

    def errors(self, body: Mapping[str, Any]) -> set[tuple[str, int]]:
        """Return the path of each error code and its value, also 0: ``topics[].errorCode``, 3."""
        found: set[tuple[str, int]] = set()
        self._errors.find(body, found)
        return found

    def error_texts(self, errors: set[tuple[str, int]]) -> tuple[str, ...]:
        """Return ``PATH/CODE`` of each, sorted. Most responses have equal errors, so the texts are cached."""
        key = frozenset(errors)
        words = self._words.get(key)
        if words is None:
            if len(self._words) >= _MOST_WORDS:
                self._words.clear()
            words = self._words[key] = tuple(sorted(f"{path}/{code}" for path, code in errors))
        return words

    def has_content(self, body: Mapping[str, Any], errors: set[tuple[str, int]] | None = None) -> bool:
        """Check for a response that is neither an error nor empty.

        It has no error code, and a field off its default. Without other fields no error code is enough.
        `errors` are the body's, if they are known.
        """
        for _, code in self.errors(body) if errors is None else errors:
            if code:
                return False
        if not self._content_fields:
            return True
        return any(body.get(name) not in (None, [], {}, default) for name, default in self._content_fields)


class _ErrorFields:
    """The error codes of a struct, and the structs below it with error codes."""

    __slots__ = ("_codes", "_inner")

    def __init__(self, struct: StructLayout, prefix: str) -> None:
        self._codes: list[tuple[str, str]] = []
        self._inner: list[tuple[str, bool, _ErrorFields]] = []
        for field in struct.all_fields:
            path = f"{prefix}{field.name}"
            if field.struct is not None:
                below = _ErrorFields(field.struct, f"{path}[]." if field.is_array else f"{path}.")
                if below:
                    self._inner.append((field.name, field.is_array, below))
            elif holds_error_code(field):
                self._codes.append((field.name, path))

    def __bool__(self) -> bool:
        return bool(self._codes or self._inner)

    def find(self, value: Mapping[str, Any], found: set[tuple[str, int]]) -> None:
        for name, path in self._codes:
            if name in value:
                found.add((path, value[name]))
        for name, many, below in self._inner:
            given = value.get(name)
            if given is None:
                continue
            for each in given if many else (given,):
                below.find(each, found)


response_classifier: Final = BoundedCache(ResponseClassifier)
"""The classifier of a layout, cached."""


_HAS_CONTENT: Final = "message/telling"
_SEEN: Final = "message/seen"
"""A class that every frame covers: a message without fields covers no other."""


class Fingerprint(NamedTuple):
    """The fingerprint of one frame of a cell.

    Attributes:
        bits: the covered classes; those of the body are lowest.
        errors: ``PATH/CODE`` of each error code of a response, sorted.
        has_content: true for a response that is neither an error nor empty.
    """

    bits: int
    errors: tuple[str, ...] = ()
    has_content: bool = False

    def to_bytes(self) -> bytes:
        """Serialise: equal bytes exactly for equal fingerprints."""
        head = b"%x\n%d" % (self.bits, self.has_content)
        return "\n".join((head.decode(), *self.errors)).encode() if self.errors else head

    @classmethod
    def from_bytes(cls, data: bytes) -> "Fingerprint":
        """Parse the bytes of `to_bytes`."""
        bits, content, *errors = data.decode().split("\n")
        return cls(int(bits, 16), tuple(errors), content == "1")


class Fingerprinter:
    """Computes fingerprints of the frames of one cell; the layout of a header that it lacks is None."""

    def __init__(self, header: MessageLayout | None, body: MessageLayout) -> None:
        self._body: CoverageModel = coverage_model(body)
        self._body_count = len(self._body.points)
        self._header: CoverageModel | None = None
        if header is not None:
            self._header = frame_coverage_model(header, body.api_key, body.version)
        self._answer = response_classifier(body) if body.kind is MessageKind.RESPONSE else None

    def fingerprint(
        self, header: Mapping[str, Any], body: Mapping[str, Any], body_bytes: int | None = None
    ) -> Fingerprint:
        """Compute the fingerprint of a frame's values; a message without a header ignores one."""
        bits = self._body.look(body, size_bytes=body_bytes)
        if self._header is not None:
            bits |= self._header.look(header) << self._body_count
        if self._answer is None:
            return Fingerprint(bits)
        errors = self._answer.errors(body)
        return Fingerprint(bits, self._answer.error_texts(errors), self._answer.has_content(body, errors))

    def fingerprint_bits(self, every: Iterable[Fingerprint]) -> "FingerprintBits":
        """Return the numbering of everything in some fingerprints as bits."""
        count = self._body_count + (0 if self._header is None else len(self._header.points))
        errors = sorted({error for shown in every for error in shown.errors})
        return FingerprintBits(self, count, errors)

    @property
    def classes(self) -> list[tuple[Point, bool]]:
        """Every class in the order of its bits, each with a flag: a frame can cover it."""
        models = (self._body,) if self._header is None else (self._body, self._header)
        return [
            (point, bool(each.readable >> bit & 1))
            for each in models
            for bit, point in enumerate(each.points)
        ]

    def class_names(self, bits: int) -> list[str]:
        """Return ``PATH/CLASS`` of each covered class, the body's first."""
        names = list(self._body.names(bits))
        if self._header is not None:
            names += self._header.names(bits >> self._body_count)
        return names


class FingerprintBits:
    """Fingerprints of a cell as numbers: a bit for each class, each error code, sorted, and content."""

    def __init__(self, prints: Fingerprinter, classes: int, errors: Iterable[str]) -> None:
        self._prints = prints
        self._own = {name: classes + place for place, name in enumerate((_SEEN, _HAS_CONTENT, *errors))}

    def bits(self, shown: Fingerprint) -> int:
        found = shown.bits | 1 << self._own[_SEEN]
        if shown.has_content:
            found |= 1 << self._own[_HAS_CONTENT]
        for error in shown.errors:
            found |= 1 << self._own[error]
        return found

    def name(self, bits: int) -> str:
        """Return ``PATH/CLASS`` of one bit: content first, then an error, then the lowest class.

        Raises ValueError if no bit is set.
        """
        own = [name for name, place in self._own.items() if bits >> place & 1]
        if _HAS_CONTENT in own:
            return _HAS_CONTENT
        names = [*(name for name in own if name != _SEEN), *self._prints.class_names(bits), *own]
        if not names:
            raise ValueError("no bit is set")
        return names[0]
