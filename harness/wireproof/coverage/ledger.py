"""What the cases of one cell have met so far."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from wireproof.coverage.universe import Universe

__all__ = ["CellCoverage", "Coverage"]

_PATIENCE: Final = 2000
_SAMPLE: Final = 16
"""After so many values in a row that brought nothing new, one in `_SAMPLE` is looked at: what the others would
have met is not counted."""


@dataclass(frozen=True, slots=True)
class CellCoverage:
    """What the cases of a cell met, of all that can be met in it.

    Attributes:
        covered, reachable: numbers of classes.
        unreachable: how many more there are that no value can meet.
        missing: ``PATH/CLASS`` of each reachable class that was not met, nor excused.
        excused: those met only by cases that an erratum of Kafka's excuses: reached, and not proven.
        floor: whether all that is reachable had to be met here.
    """

    covered: int
    reachable: int
    unreachable: int
    missing: tuple[str, ...] = ()
    excused: tuple[str, ...] = ()
    floor: bool = False

    @property
    def below_floor(self) -> bool:
        """Whether something is missing that must not be."""
        return self.floor and bool(self.missing)


@dataclass(slots=True)
class _Account:
    """One universe, and what is left of it."""

    universe: Universe
    wanted: int = 0
    excused: int = 0
    idle: int = 0

    def __post_init__(self) -> None:
        self.wanted = self.universe.reachable

    def take(self, bits: int) -> int:
        """Count bits as met; those that are new."""
        new = bits & self.wanted
        self.wanted &= ~new
        self.idle = 0 if new else self.idle + 1
        return new

    def met(self, value: Mapping[str, Any]) -> int:
        """Count what a value meets; the bits that are new."""
        if not self.wanted or (self.idle > _PATIENCE and self.idle % _SAMPLE):
            self.idle += 1
            return 0
        return self.take(self.universe.look(value, self.wanted))


@dataclass(slots=True)
class Coverage:
    """Counts only what was judged and found right: a case that was not made, or failed, meets nothing.

    Args:
        body: the universe of the cell's layout.
        header: that of the header before it; None where the cell has no frames.
    """

    body: Universe
    header: Universe | None = None
    _body: _Account = field(init=False)
    _header: _Account | None = field(init=False)

    def __post_init__(self) -> None:
        self._body = _Account(self.body)
        self._header = None if self.header is None else _Account(self.header)

    @property
    def wants(self) -> bool:
        """Whether any value of the body could still bring something."""
        return self._body.wanted != 0

    def met(self, value: Mapping[str, Any]) -> int:
        """A proven value of the cell; the bits that are new."""
        return self._body.met(value)

    def refused(self, path: str, value: Mapping[str, Any]) -> int:
        """A value that all codecs refused as they must, wrong at one path; the bits that are new."""
        return self._body.take(self.body.look_refused(path, value))

    def again(self, bits: int) -> None:
        """What the same cases met in another release whose classes answered alike."""
        self._body.take(bits)

    def excused(self, value: Mapping[str, Any]) -> None:
        """A value of which an erratum of Kafka's explains all that diverged."""
        self._body.excused |= self.body.look(value)

    def met_header(self, header: Mapping[str, Any]) -> None:
        """The header of a proven frame."""
        if self._header is not None:
            self._header.met(header)

    def result(self, *, body_floor: bool, header_floor: bool) -> CellCoverage:
        """The sum.

        Args:
            body_floor: whether every case that is to meet the body's classes was tried.
            header_floor: likewise the header's, in frames.
        """
        accounts = [self._body] if self._header is None else [self._body, self._header]
        reachable = sum(each.universe.reachable.bit_count() for each in accounts)
        wanted = sum(each.wanted.bit_count() for each in accounts)
        floors = (body_floor, header_floor)
        pressing = [each for each, floor in zip(accounts, floors, strict=False) if floor and _missing(each)]
        return CellCoverage(
            covered=reachable - wanted,
            reachable=reachable,
            unreachable=sum(len(each.universe.unreachable) for each in accounts),
            missing=tuple(name for each in accounts for name in each.universe.names(_missing(each))),
            excused=tuple(
                name for each in accounts for name in each.universe.names(each.wanted & each.excused)
            ),
            floor=bool(pressing),
        )


def _missing(account: _Account) -> int:
    return account.wanted & ~account.excused
