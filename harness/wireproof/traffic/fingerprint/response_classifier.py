"""Classification of responses: their error codes, and content besides errors."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from kafkawire.caching import BoundedCache
from kafkawire.schema import MessageLayout
from kafkawire.schema.layout import StructLayout
from kafkawire.values import Value
from wireproof.model import holds_error_code, names_error_code

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
