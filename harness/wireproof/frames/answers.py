"""What an answer of a broker comes to: its errors, and whether it says anything beside them."""

from collections.abc import Iterator
from typing import Final

from kafkawire.schema import MessageLayout
from kafkawire.values import StructValue, Value

__all__ = ["error_codes", "is_telling"]

_ERRORS: Final = ("errorCode", "ErrorCode")
_ALWAYS: Final = ("errorCode", "errorMessage", "throttleTimeMs")
"""Fields that say nothing of what was asked for."""


def error_codes(value: Value, path: str = "") -> Iterator[tuple[str, int]]:
    """Every error code, 0 too, at whatever depth, with its path: ``topics[].errorCode``."""
    match value:
        case dict():
            for name, inner in value.items():
                below = f"{path}.{name}" if path else str(name)
                if below.endswith(_ERRORS) and isinstance(inner, int):
                    yield below, inner
                else:
                    yield from error_codes(inner, below)
        case list():
            for inner in value:
                yield from error_codes(inner, f"{path}[]")
        case _:
            pass


def is_telling(layout: MessageLayout, body: StructValue) -> bool:
    """Whether an answer is neither an error nor empty: no error code in it, and a field off its default. One
    that has no field but its error says that there was none."""
    if any(code for _, code in error_codes(body)):
        return False
    told = [each for each in layout.root.all_fields if each.name not in _ALWAYS]
    return not told or any(body.get(each.name) not in (None, [], {}, each.default) for each in told)
