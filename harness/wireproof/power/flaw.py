"""What can be wrong with a codec: a flaw, wherever it sits. With a place it is a mutant (`mutant`)."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from kafkawire.compiler import MessageCodec
from kafkawire.schema import MessageLayout
from wireproof.model import Phase
from wireproof.power.bug_classes import BugClass
from wireproof.power.copies import Patch
from wireproof.power.definitions import SpecSpot
from wireproof.power.rewriting import Change, unchanged
from wireproof.power.spots import Spot
from wireproof.run import DEFAULT_PHASES

__all__ = [
    "Deviation",
    "Flaw",
    "Twin",
    "WrongCode",
    "WrongConduct",
    "WrongDefinition",
    "WrongLayout",
    "WrongPrimitive",
    "WrongRecords",
    "WrongValue",
]


class Twin(StrEnum):
    """Which of our codec's twins a flaw is planted in."""

    COMPILED = "compiled"
    INTERPRETED = "interpreted"


@dataclass(frozen=True, slots=True)
class WrongLayout:
    """The codec holds another layout of one cell.

    Attributes:
        fits: whether the flaw may sit there.
        edit: the layout that the codec holds instead.
    """

    fits: Callable[[Spot], bool]
    edit: Callable[[Spot], MessageLayout]


@dataclass(frozen=True, slots=True)
class WrongDefinition:
    """The codec holds another definition of one message, so other layouts of some of its versions.

    Attributes:
        layout: what the codec takes for the layout of a version.
    """

    fits: Callable[[SpecSpot], bool]
    layout: Callable[[SpecSpot, int], MessageLayout]


@dataclass(frozen=True, slots=True)
class WrongPrimitive:
    """The interpreted twin handles one field, or one struct's tag section, by patched primitives."""

    fits: Callable[[Spot], bool]
    patches: tuple[Patch, ...]


@dataclass(frozen=True, slots=True)
class WrongCode:
    """A twin of the codec has other source: everywhere, and its place is a cell that shows it."""

    fits: Callable[[Spot], bool]
    patches: tuple[Patch, ...]
    twin: Twin


@dataclass(frozen=True, slots=True)
class WrongValue:
    """The codec changes one field's value before it writes it, or after it read it."""

    fits: Callable[[Spot], bool]
    outward: Change = unchanged
    inward: Change = unchanged


@dataclass(frozen=True, slots=True)
class WrongConduct:
    """The codec's functions are called in a wrong way: with state, or with a buffer of their own."""

    fits: Callable[[Spot], bool]
    wrap: Callable[[MessageCodec], MessageCodec]


@dataclass(frozen=True, slots=True)
class WrongRecords:
    """The codec of record sets has other source, or changes a field of a set before writing or after reading.

    Attributes:
        fits: spots of the cells of record sets, whose layout is that of their plain values; or messages with
            records fields, in which the wrong codec then reads and writes.
    """

    fits: Callable[[Spot], bool]
    patches: tuple[Patch, ...] = ()
    outward: Change = unchanged
    inward: Change = unchanged


Deviation: TypeAlias = (
    WrongLayout | WrongDefinition | WrongPrimitive | WrongCode | WrongValue | WrongConduct | WrongRecords
)


@dataclass(frozen=True, slots=True)
class Flaw:
    """One way to be wrong.

    Attributes:
        name: stable, for ``wireproof power --mutant``.
        says: what the codec does wrongly, one sentence.
        shared: whether the harness believes the wrong layout too, as it would if `resolve` or the schema
            reader had the bug: the strategies, the codec and the canonical form then agree with each other.
        phases: the plan that has to convict it.
    """

    name: str
    bug_class: BugClass
    says: str
    deviation: Deviation = field(hash=False)
    shared: bool = False
    phases: tuple[Phase, ...] = DEFAULT_PHASES
