"""What a frame has to show: the classes of values that its fields meet, as the bits of a number.

The classes are those of `wireproof.coverage`, so that captured entries are chosen by what made ones are
chosen by. To them come two things that a broker's answers are about: each error code, and whether the answer
says anything beside errors.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from kafkawire.schema import MessageKind, MessageLayout
from wireproof.coverage import Universe, frame_universe, universe
from wireproof.frames.answers import error_codes, is_telling

__all__ = ["Fingerprint"]

_TELLING: Final = "message/telling"
_SEEN: Final = "message/seen"
"""What every frame meets: a message without fields meets nothing else."""


class Fingerprint:
    """Looks at the frames of one cell.

    Args:
        header: the layout of the header before the body; None where it has none.
    """

    def __init__(self, header: MessageLayout | None, body: MessageLayout) -> None:
        self._layout = body
        self._body: Universe = universe(body)
        self._header: Universe | None = None
        if header is not None:
            self._header = frame_universe(header, body.api_key, body.version)
        self._own: dict[str, int] = {}

    def look(self, header: Mapping[str, Any], body: Mapping[str, Any]) -> int:
        """The bits of a frame's values; the header's are left out where there is none."""
        found = self._body.look(body)
        if self._header is not None:
            found |= self._header.look(header) << len(self._body.points)
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
            *(self._header.names(above) if self._header is not None else ()),
            *own,
        ]
        if not names:
            raise ValueError("no bit is set")
        return names[0]

    @property
    def _first_own(self) -> int:
        return len(self._body.points) + (0 if self._header is None else len(self._header.points))

    def _own_bit(self, name: str) -> int:
        return self._first_own + self._own.setdefault(name, len(self._own))

    def _names_of(self, body: Mapping[str, Any]) -> Iterator[str]:
        yield _SEEN
        if self._layout.kind is not MessageKind.RESPONSE:
            return
        for path, code in error_codes(body):
            yield f"{path}/{code}"
        if is_telling(self._layout, dict(body)):
            yield _TELLING
