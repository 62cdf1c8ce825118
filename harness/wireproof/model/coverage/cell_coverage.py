"""The classes that the cases of one cell have covered so far."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from wireproof.model.coverage.value_nodes import ALL, NO_CLASSES, CoverageModel

_PATIENCE: Final = 2000
_SAMPLE: Final = 16
"""The number of values in a row without a new class, after which only one value in `_SAMPLE` is examined.

The classes of the values that are skipped are not counted.
"""


_SHORT_BYTES: Final = 4096
"""The size of a canonical binary below which the value is smaller than 64 KiB on the wire.

Only a tagged field (its number and its length) and an empty struct (its number of tags) are larger on the
wire than in the canonical binary, and by far less than sixteen times.
"""


@dataclass(frozen=True, slots=True)
class CellCoverage:
    """The classes that the cases of a cell covered, out of all classes that values can meet.

    Attributes:
        covered, reachable: numbers of classes.
        unreachable: the number of further classes, which no value can meet.
        missing: ``PATH/CLASS`` of each reachable class that was neither met nor excused.
        excused: classes met only by cases that a known Kafka bug, the testee's ledger or a limit excuses:
            they are reached, and not proven.
        contradicted: classes that a case met although no value should: the reasons for them are false.
        below_floor: whether a missing class had to be met, because all cases were tried and none failed,
            or a reason is false.
    """

    covered: int
    reachable: int
    unreachable: int
    missing: tuple[str, ...] = ()
    excused: tuple[str, ...] = ()
    contradicted: tuple[str, ...] = ()
    below_floor: bool = False


@dataclass(slots=True)
class _Account:
    """One coverage model, and its classes that are still to be met.

    Attributes:
        asked: the bits that the run's phases can meet.
        thorough: whether every value is examined, also for classes that no value should meet.
    """

    coverage_model: CoverageModel
    asked: int
    thorough: bool = False
    wanted: int = 0
    excused: int = 0
    contradicted: int = 0
    idle: int = 0

    def __post_init__(self) -> None:
        self.asked &= self.coverage_model.reachable
        self.wanted = self.asked

    @property
    def missing(self) -> int:
        return self.wanted & ~self.excused

    def take(self, bits: int) -> None:
        """Count bits as met."""
        self.idle = 0 if bits & self.wanted else self.idle + 1
        self.wanted &= ~bits
        self.contradicted |= bits & self.coverage_model.doubtful

    def met(self, value: Mapping[str, Any], size_bytes: int | None = None) -> None:
        """Count what a value meets."""
        if self.thorough:
            self.take(self.coverage_model.look(value, self.wanted | self.coverage_model.doubtful))
        elif not self.wanted or (self.idle > _PATIENCE and self.idle % _SAMPLE):
            self.idle += 1
        else:
            self.take(self.coverage_model.look(value, self.wanted, size_bytes))


class Coverage:
    """The classes covered by values that were judged and found right. A case that failed covers nothing.

    Args:
        body: the coverage model of the cell's layout; by default one without classes.
        header: the coverage model of the frame's header; None if no frames are tried.
        absent: whether fields that the version lacks are tried.
        thorough: whether to search every value for classes that no value should meet. Otherwise such a class
            is noticed only by chance.
    """

    def __init__(
        self,
        body: CoverageModel = NO_CLASSES,
        header: CoverageModel | None = None,
        *,
        absent: bool = True,
        thorough: bool = False,
    ) -> None:
        self._body = _Account(body, ALL if absent else ~body.absent, thorough)
        self._header = None if header is None else _Account(header, ~header.absent, thorough)

    @property
    def counts(self) -> bool:
        """Return True if there are classes to count."""
        return bool(self._body.coverage_model.points)

    @property
    def wanted(self) -> int:
        """The bits of the body that are still to be met."""
        return self._body.wanted

    @property
    def wants_values(self) -> bool:
        """Return True if a value without fields of other versions may still meet something."""
        return bool(self._body.wanted & ~self._body.coverage_model.absent)

    def met(self, value: Mapping[str, Any], canonical_bytes: int | None = None) -> None:
        """Count a proven value of the cell.

        Args:
            canonical_bytes: the length of its canonical binary, if the caller has it. If that is short, the
                value is small on the wire, and its size is not computed.
        """
        short = canonical_bytes is not None and canonical_bytes < _SHORT_BYTES
        self._body.met(value, 0 if short else None)

    def met_absent(self, value: Mapping[str, Any]) -> None:
        """Count the classes of a field of other versions in a value from which it was dropped as by Kafka."""
        coverage_model = self._body.coverage_model
        self._body.take(coverage_model.look(value, coverage_model.absent) & coverage_model.absent)

    def met_refused(self, path: str, value: Mapping[str, Any]) -> None:
        """Count a value with one fault, which all codecs refused as they must."""
        self._body.take(self._body.coverage_model.look_refused(path, value))

    def met_header(self, header: Mapping[str, Any]) -> None:
        """Count the header of a proven frame."""
        if self._header is not None:
            self._header.met(header)

    def again(self, bits: int) -> None:
        """Add the classes that the same cases covered in another release whose classes answered alike."""
        self._body.take(bits)

    def excused(self, value: Mapping[str, Any]) -> None:
        """Note the classes of a value whose divergences a known Kafka bug or the ledger explains."""
        self._body.excused |= self._body.coverage_model.look(value)

    def excused_absent(self, value: Mapping[str, Any]) -> None:
        """Do the same for a value with a field of other versions that is to be dropped."""
        coverage_model = self._body.coverage_model
        self._body.excused |= coverage_model.look(value, coverage_model.absent) & coverage_model.absent

    def excused_refused(self, path: str, value: Mapping[str, Any]) -> None:
        """Do the same for a value with one fault, which is to be refused."""
        self._body.excused |= self._body.coverage_model.look_refused(path, value)

    def excused_header(self, header: Mapping[str, Any]) -> None:
        """Do the same for the header of a frame."""
        if self._header is not None:
            self._header.excused |= self._header.coverage_model.look(header)

    def result(self, *, body: bool, absent: bool = False, header: bool = False) -> CellCoverage:
        """Return the coverage of the cell.

        Args:
            body, absent, header: whether all cases were tried for the classes of the cell's own fields, of
                fields that the version lacks, of the header in frames. If so, these must all be met.
        """
        accounts = [self._body] if self._header is None else [self._body, self._header]
        asked = sum(each.asked.bit_count() for each in accounts)
        return CellCoverage(
            covered=asked - sum(each.wanted.bit_count() for each in accounts),
            reachable=asked,
            unreachable=sum(len(each.coverage_model.unreachable) for each in accounts),
            missing=_names((each, each.missing) for each in accounts),
            excused=_names((each, each.wanted & each.excused) for each in accounts),
            contradicted=_names((each, each.contradicted) for each in accounts),
            below_floor=any(due and missing for missing, due in self._parts(body, absent, header))
            or any(each.contradicted for each in accounts),
        )

    def _parts(self, body: bool, absent: bool, header: bool) -> Iterator[tuple[int, bool]]:
        """The missing classes, and whether each is required."""
        lacked = self._body.coverage_model.absent
        yield self._body.missing & ~lacked, body
        yield self._body.missing & lacked, absent
        if self._header is not None:
            yield self._header.missing, header


def _names(parts: Iterable[tuple[_Account, int]]) -> tuple[str, ...]:
    return tuple(name for account, bits in parts for name in account.coverage_model.names(bits))
