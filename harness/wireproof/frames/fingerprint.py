"""What a frame has to show: the classes of values that its fields meet, as the bits of a number.

The classes are those of `wireproof.coverage`, so that captured entries are chosen by what made ones are
chosen by. To them come two things that a broker's answers are about: each error code, and whether the answer
says anything beside errors.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from kafkawire.schema import MessageKind, MessageLayout, StructLayout
from wireproof.coverage import Universe, frame_universe, universe

__all__ = ["Fingerprint", "is_telling"]

_TELLING: Final = "message/telling"
_SEEN: Final = "message/seen"
"""What every frame meets: a message without fields meets nothing else."""


class Fingerprint:
    """Looks at the frames of one cell.

    Args:
        header: the layout of the header before the body.
    """

    def __init__(self, header: MessageLayout, body: MessageLayout) -> None:
        self._layout = body
        self._body: Universe = universe(body)
        self._header: Universe = frame_universe(header, body.api_key, body.version)
        self._own: dict[str, int] = {}

    def look(self, header: Mapping[str, Any], body: Mapping[str, Any]) -> int:
        """The bits of a frame's values."""
        found = self._body.look(body) | self._header.look(header) << len(self._body.points)
        for name in self._names_of(body):
            found |= 1 << self._own_bit(name)
        return found

    def name(self, bits: int) -> str:
        """``PATH/CLASS`` of one of the bits: that the answer tells something, else an error, else the lowest.

        Raises:
            ValueError: none is set.
        """
        own = [name for name, place in self._own.items() if bits >> self._first_own + place & 1]
        if _TELLING in own:
            return _TELLING
        above = bits >> len(self._body.points)
        names = [
            *(name for name in own if name != _SEEN),
            *self._body.names(bits),
            *self._header.names(above),
            *own,
        ]
        if not names:
            raise ValueError("no bit is set")
        return names[0]

    @property
    def _first_own(self) -> int:
        return len(self._body.points) + len(self._header.points)

    def _own_bit(self, name: str) -> int:
        return self._first_own + self._own.setdefault(name, len(self._own))

    def _names_of(self, body: Mapping[str, Any]) -> Iterator[str]:
        yield _SEEN
        if self._layout.kind is not MessageKind.RESPONSE:
            return
        for path, code in _error_codes(self._layout.root, body, ""):
            yield f"{path}/{code}"
        if is_telling(self._layout, body):
            yield _TELLING


def is_telling(layout: MessageLayout, body: Mapping[str, Any]) -> bool:
    """Whether an answer is neither an error nor empty: no error code in it, and where it can list something
    it does. An answer that has nothing but an error code tells that there was none."""
    if any(code for _, code in _error_codes(layout.root, body, "")):
        return False
    arrays = [field.name for field in layout.root.all_fields if field.is_array]
    return not arrays or any(body.get(name) for name in arrays)


def _error_codes(layout: StructLayout, value: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, int]]:
    for field in layout.all_fields:
        held = value.get(field.name)
        path = f"{prefix}{field.name}"
        if field.name.endswith(("errorCode", "ErrorCode")) and isinstance(held, int):
            yield path, held
        elif field.struct is not None and isinstance(held, list):
            for each in held:
                yield from _error_codes(field.struct, each, f"{path}[].")
        elif field.struct is not None and isinstance(held, dict):
            yield from _error_codes(field.struct, held, f"{path}.")
