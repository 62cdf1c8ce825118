"""What a frame has to show: the classes of values that its fields meet, and what its answer comes to.

The classes are those of `wireproof.coverage`, so that captured entries are chosen by what made ones are
chosen by. To them come two things that a broker's answers are about: each error code, and whether the answer
says anything beside errors.

What one frame shows does not depend on the frames before it, so that frames may be looked at anywhere and
in any order.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from kafkawire.schema import MessageKind, MessageLayout
from wireproof.coverage import CoverageModel, Point, coverage_model, frame_coverage_model
from wireproof.fingerprint.response_classifier import response_classifier

__all__ = ["Fingerprinter", "Fingerprint", "FingerprintBits"]

TELLING: Final = "message/telling"
_SEEN: Final = "message/seen"
"""What every frame meets: a message without fields meets nothing else."""


class Fingerprint(NamedTuple):
    """What one frame of a cell shows.

    Attributes:
        bits: the classes met, those of the body lowest.
        errors: ``PATH/CODE`` of each error code of an answer, sorted.
        telling: whether the answer is neither an error nor empty.
    """

    bits: int
    errors: tuple[str, ...] = ()
    telling: bool = False

    def to_bytes(self) -> bytes:
        """The same for equal ones, and for no others."""
        head = b"%x\n%d" % (self.bits, self.telling)
        return "\n".join((head.decode(), *self.errors)).encode() if self.errors else head

    @classmethod
    def from_bytes(cls, data: bytes) -> "Fingerprint":
        """What `to_bytes` gave."""
        bits, telling, *errors = data.decode().split("\n")
        return cls(int(bits, 16), tuple(errors), telling == "1")


class Fingerprinter:
    """Looks at the frames of one cell.

    Args:
        header: the layout of the header before the body; None where it has none.
    """

    def __init__(self, header: MessageLayout | None, body: MessageLayout) -> None:
        self._body: CoverageModel = coverage_model(body)
        self._body_count = len(self._body.points)
        self._header: CoverageModel | None = None
        if header is not None:
            self._header = frame_coverage_model(header, body.api_key, body.version)
        self._answer = response_classifier(body) if body.kind is MessageKind.RESPONSE else None

    def look(
        self, header: Mapping[str, Any], body: Mapping[str, Any], body_bytes: int | None = None
    ) -> Fingerprint:
        """What a frame's values show; the header's are left out where there is none.

        Args:
            body_bytes: what the body takes on the wire, where that is known: else it is worked out.
        """
        bits = self._body.look(body, size_bytes=body_bytes)
        if self._header is not None:
            bits |= self._header.look(header) << self._body_count
        if self._answer is None:
            return Fingerprint(bits)
        errors = self._answer.errors(body)
        return Fingerprint(bits, self._answer.words(errors), self._answer.is_telling(body, errors))

    def sight(self, every: Iterable[Fingerprint]) -> "FingerprintBits":
        """All that a number of frames show, as bits of one number."""
        count = self._body_count + (0 if self._header is None else len(self._header.points))
        errors = sorted({error for shown in every for error in shown.errors})
        return FingerprintBits(self, count, errors)

    @property
    def classes(self) -> list[tuple[Point, bool]]:
        """Every class, in the order of its bits; with each whether a frame can meet it."""
        coverage_models = (self._body,) if self._header is None else (self._body, self._header)
        return [
            (point, bool(each.readable >> bit & 1))
            for each in coverage_models
            for bit, point in enumerate(each.points)
        ]

    def class_names(self, bits: int) -> list[str]:
        """``PATH/CLASS`` of each class met, the body's first."""
        names = list(self._body.names(bits))
        if self._header is not None:
            names += self._header.names(bits >> self._body_count)
        return names


class FingerprintBits:
    """The frames of a cell beside each other: each a number whose bits are all that there is to show.

    Args:
        classes: how many classes the cell has.
        errors: every error that one of the frames shows, sorted.
    """

    def __init__(self, prints: Fingerprinter, classes: int, errors: Iterable[str]) -> None:
        self._prints = prints
        self._own = {name: classes + place for place, name in enumerate((_SEEN, TELLING, *errors))}

    def bits(self, shown: Fingerprint) -> int:
        """One of the frames."""
        found = shown.bits | 1 << self._own[_SEEN]
        if shown.telling:
            found |= 1 << self._own[TELLING]
        for error in shown.errors:
            found |= 1 << self._own[error]
        return found

    def name(self, bits: int) -> str:
        """``PATH/CLASS`` of one of the bits: that the answer tells something, else an error, else the lowest.

        Raises:
            ValueError: none is set.
        """
        own = [name for name, place in self._own.items() if bits >> place & 1]
        if TELLING in own:
            return TELLING
        names = [*(name for name in own if name != _SEEN), *self._prints.class_names(bits), *own]
        if not names:
            raise ValueError("no bit is set")
        return names[0]
