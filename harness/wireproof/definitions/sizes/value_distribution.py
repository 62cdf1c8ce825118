"""Messages made of given values, counts and lengths: one message that holds a distribution of each field."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from kafkawire.schema import FieldLayout, MessageLayout, ScalarType, StructLayout
from kafkawire.values import StructValue
from wireproof.definitions.sizes.size_table import SizeRequestError, matching_paths
from wireproof.proof.strategies.values.boundary_values import blob, span, text

_ITEM: Final = re.compile(r"(null|(-?\d+)(?:\.\.(-?\d+))?)(?:\*(\d+))?")
_ADVICE: Final = "Write a number, 0..99, or a list with weights: 0*90,1000..1002*10,null."
_MOST_VALUES: Final = 1 << 22
"""The most values of one field. A distribution needs no more, and more would not fit into memory."""


@dataclass(frozen=True, slots=True)
class _Item:
    """The numbers from `low` to `high` in order, each repeated `times`; null if `low` is None."""

    low: int | None
    high: int
    times: int

    @property
    def size(self) -> int:
        return (1 if self.low is None else self.high - self.low + 1) * self.times

    def at(self, place: int) -> int | None:
        return None if self.low is None else self.low + place % (self.high - self.low + 1)


@dataclass(frozen=True, slots=True)
class Distribution:
    """A sequence of numbers and nulls, of any length."""

    items: tuple[_Item, ...]

    @classmethod
    def parse(cls, words: str) -> "Distribution":
        """Read ``5``, ``0..99``, ``-1*90,0..9`` or ``null,3``; ``*N`` repeats a number or a range.

        Raises SizeRequestError if it is something else, or a range is empty.
        """
        items = []
        for word in words.split(","):
            found = _ITEM.fullmatch(word.strip())
            if found is None:
                raise SizeRequestError(f"{words!r} is not a distribution", _ADVICE)
            low, high, times = (None if each is None else int(each) for each in found.groups()[1:])
            last = (low or 0) if high is None else high
            if (low is not None and last < low) or times == 0:
                raise SizeRequestError(f"{word!r} holds no number", _ADVICE)
            items.append(_Item(low, last, times or 1))
        return cls(tuple(items))

    def take(self, count: int) -> list[int | None]:
        """Return `count` values of the sequence.

        If `count` is large enough for all values, they are repeated in order. Otherwise values at equal
        distances are taken, including the first and the last.
        """
        total = sum(item.size for item in self.items)
        if count >= total or count == 1:
            return [self._at(place % total) for place in range(count)]
        return [self._at(place * (total - 1) // (count - 1)) for place in range(count)]

    def _at(self, place: int) -> int | None:
        for item in self.items:
            if place < item.size:
                return item.at(place)
            place -= item.size
        raise IndexError(place)


def distributed_message(layout: MessageLayout, choices: Sequence[str]) -> StructValue:
    """Return a message with the distributions of choices such as ``leaderId=0..1``.

    Args:
        choices: ``FIELD=DISTRIBUTION``; `matching_paths` explains FIELD. The distribution gives the value of
            an integer, the number of elements of an array, or the length in bytes of text and bytes.
            ``replicaNodes[]`` means the elements of an array of integers, texts or bytes. Other fields have
            their defaults; an array has one element if a field inside it is named.

    Raises:
        SizeRequestError: no such field, a field whose size does not depend on its value, or too many values.
    """
    fields = {path: field for path, _, field in layout.walk()}
    candidates = list(fields)
    candidates += [f"{path}[]" for path, each in fields.items() if each.is_array and each.struct is None]
    given: dict[str, Distribution] = {}
    for choice in choices:
        selector, separator, words = choice.partition("=")
        if not separator:
            raise SizeRequestError(f"{choice!r} is not FIELD=DISTRIBUTION", _ADVICE)
        for path in matching_paths(layout, selector, candidates):
            given[path] = Distribution.parse(words)
    return _Maker(given).structs("", layout.root, 1)[0]


class _Maker:
    """Makes all values of a field at once, so that its distribution covers all of them."""

    def __init__(self, given: Mapping[str, Distribution]) -> None:
        self._given = given

    def structs(self, prefix: str, struct: StructLayout, count: int) -> list[StructValue]:
        if count > _MOST_VALUES:
            raise SizeRequestError(f"{prefix}: {count:,} elements are too many", f"At most {_MOST_VALUES:,}.")
        made: list[StructValue] = [{} for _ in range(count)]
        for field in struct.all_fields:
            path = f"{prefix}{field.name}"
            if (field.default is None and not field.nullable) or self._names(path):
                for value, own in zip(made, self._values(path, field, count), strict=True):
                    value[field.name] = own
        return made

    def _names(self, path: str) -> bool:
        """Test if a distribution is given for a field or inside it."""
        return any(each == path or each.startswith((f"{path}.", f"{path}[]")) for each in self._given)

    def _values(self, path: str, field: FieldLayout, count: int) -> list[Any]:
        own = self._given.get(path)
        if field.is_array:
            counts = own.take(count) if own else [1 if self._names(path) else 0] * count
            return self._arrays(path, field, counts)
        if field.struct is not None:
            present = [each is not None for each in own.take(count)] if own else [True] * count
            made = iter(self.structs(f"{path}.", field.struct, sum(present)))
            return [next(made) if each else None for each in present]
        return _scalars(path, field, own or Distribution.parse("0"), count)

    def _arrays(self, path: str, field: FieldLayout, counts: Sequence[int | None]) -> list[Any]:
        if any(each is not None and each < 0 for each in counts):
            raise SizeRequestError(f"{path}: a number of elements is negative", _ADVICE)
        total = sum(each or 0 for each in counts)
        if total > _MOST_VALUES:
            raise SizeRequestError(f"{path}: {total:,} elements are too many", f"At most {_MOST_VALUES:,}.")
        if field.struct is not None:
            elements = iter(self.structs(f"{path}[].", field.struct, total))
        else:
            own = self._given.get(f"{path}[]")
            zero = Distribution.parse("0")
            elements = iter(_scalars(f"{path}[]", field, own or zero, total, chosen=own is not None))
        return [None if each is None else list(islice(elements, each)) for each in counts]


def _scalars(
    path: str, field: FieldLayout, distribution: Distribution, count: int, *, chosen: bool = True
) -> list[Any]:
    """Return `count` values of a type without structure; a `chosen` distribution must have an effect."""
    scalar = field.scalar
    numbers = distribution.take(count)
    match scalar:
        case ScalarType.STRING:
            return [each if each is None else text(_length(path, each)) for each in numbers]
        case ScalarType.BYTES | ScalarType.RECORDS:
            return [each if each is None else blob(_length(path, each)) for each in numbers]
        case None:
            raise AssertionError("a struct has values of its own")
        case _ if span(scalar) is not None:
            return list(numbers)
        case _ if chosen:
            raise SizeRequestError(f"{path}: the size of {scalar} does not depend on its value")
        case _:
            zero = {ScalarType.BOOL: False, ScalarType.FLOAT64: 0.0}
            return [zero.get(scalar, field.default)] * count


def _length(path: str, number: int) -> int:
    if not 0 <= number <= 1 << 24:
        raise SizeRequestError(f"{path}: {number} is not a length", f"From 0 to {1 << 24:,} bytes.")
    return number
