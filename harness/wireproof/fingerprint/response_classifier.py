"""What an answer of a broker comes to: its errors, and whether it says anything beside them."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from kafkawire.caching import BoundedCache
from kafkawire.schema import MessageLayout
from kafkawire.schema.layout import StructLayout
from kafkawire.values import Value
from wireproof.model import holds_error_code, names_error_code

__all__ = ["ResponseClassifier", "response_classifier", "iter_error_codes"]

_MOST_WORDS: Final = 256
"""Sets of errors whose words are kept for a layout."""
_ALWAYS: Final = ("errorCode", "errorMessage", "throttleTimeMs")
"""Fields that say nothing of what was asked for."""


def iter_error_codes(value: Value, path: str = "") -> Iterator[tuple[str, int]]:
    """Every error code, 0 too, at whatever depth, with its path: ``topics[].errorCode``.

    For answers whose layout is not at hand: `ResponseClassifier` goes straight to them.
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
    """Looks at answers of one layout."""

    def __init__(self, layout: MessageLayout) -> None:
        self._errors = _ErrorFields(layout.root, "")
        self._words: dict[frozenset[tuple[str, int]], tuple[str, ...]] = {}
        self._telling = [
            (each.name, each.default) for each in layout.root.all_fields if each.name not in _ALWAYS
        ]

    def errors(self, body: Mapping[str, Any]) -> set[tuple[str, int]]:
        """The path of each error code and what it was, 0 too: ``topics[].errorCode``, 3."""
        found: set[tuple[str, int]] = set()
        self._errors.find(body, found)
        return found

    def words(self, errors: set[tuple[str, int]]) -> tuple[str, ...]:
        """``PATH/CODE`` of each, sorted. Most answers have the same ones, so that these are kept."""
        key = frozenset(errors)
        words = self._words.get(key)
        if words is None:
            if len(self._words) >= _MOST_WORDS:
                self._words.clear()
            words = self._words[key] = tuple(sorted(f"{path}/{code}" for path, code in errors))
        return words

    def is_telling(self, body: Mapping[str, Any], errors: set[tuple[str, int]] | None = None) -> bool:
        """Whether an answer is neither an error nor empty: no error code in it, and a field off its default.
        One that has no field but its error says that there was none.

        Args:
            errors: of the body, where they were looked for already.
        """
        for _, code in self.errors(body) if errors is None else errors:
            if code:
                return False
        if not self._telling:
            return True
        return any(body.get(name) not in (None, [], {}, default) for name, default in self._telling)


class _ErrorFields:
    """Where the error codes of a struct are, and the structs below it that have some."""

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
"""The look of a layout, made once."""
