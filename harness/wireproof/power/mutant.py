"""A flaw with a place: a codec wrong in exactly one way, and the cells in which that shows."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from random import Random
from typing import TypeAlias, assert_never

from kafkawire.caching import BoundedCache
from kafkawire.compiler import MessageCodec, compile_layout, interpret_layout
from kafkawire.headers import FrameCodec
from kafkawire.records import RecordSet, from_value, to_value
from kafkawire.schema import MessageLayout, SchemaSet, resolve
from kafkawire.wire import Buffer
from wireproof.model import EMBEDDED_MODULE, RECORDS_MODULE, Cell
from wireproof.power.copies import Copy
from wireproof.power.definitions import SpecSpot, spec_spots
from wireproof.power.effects import same_effect
from wireproof.power.flaw import (
    Flaw,
    Twin,
    WrongCode,
    WrongConduct,
    WrongDefinition,
    WrongLayout,
    WrongPrimitive,
    WrongRecords,
    WrongValue,
)
from wireproof.power.grafting import graft
from wireproof.power.rewriting import Rewriting, rewritten, unchanged
from wireproof.power.spots import Spot, find_field, find_struct, spots
from wireproof.run import all_cells

__all__ = ["Equal", "MessageCodecs", "Mutant", "NoPlaceError", "RecordCodecs", "plant"]

MakeCodec: TypeAlias = Callable[[MessageLayout], MessageCodec]
MakeFrames: TypeAlias = Callable[[MessageCodec, MessageCodec], FrameCodec]

_InCell: TypeAlias = WrongLayout | WrongPrimitive | WrongCode | WrongValue | WrongConduct | WrongRecords

_TWINS: dict[Twin, MakeCodec] = {Twin.COMPILED: compile_layout, Twin.INTERPRETED: interpret_layout}


_HAND_WRITTEN = (EMBEDDED_MODULE,)
"""Left out everywhere: their layouts have nothing that others have not, and fewer phases judge them."""


class NoPlaceError(LookupError):
    """No place of the release lets the flaw show.

    Attributes:
        equals: the places that were looked at and shown to be equal in effect.
    """

    def __init__(self, flaw: Flaw, equals: tuple["Equal", ...]) -> None:
        super().__init__(f"{flaw.name} shows nowhere in this release")
        self.equals = equals


@dataclass(frozen=True, slots=True)
class Equal:
    """A place where the flaw changes nothing, and what shows that."""

    place: str
    shown_by: str


def _same(layout: MessageLayout) -> MessageLayout:
    return layout


@dataclass(frozen=True, slots=True)
class MessageCodecs:
    """The codecs of a mutant that is wrong about messages.

    Attributes:
        make: the mutant's codec of a layout; right for all but the place.
        believed: the layout that the mutant holds instead of the one given.
        frames: the mutant's frames.
    """

    make: MakeCodec
    believed: Callable[[MessageLayout], MessageLayout] = _same
    frames: MakeFrames = FrameCodec


@dataclass(frozen=True, slots=True)
class RecordCodecs:
    """The codec of a mutant that is wrong about record sets."""

    encode: Callable[[RecordSet], bytes]
    decode: Callable[[Buffer], RecordSet]
    size: Callable[[RecordSet], int]


@dataclass(frozen=True, slots=True)
class Mutant:
    """A codec wrong in exactly one way.

    Attributes:
        place: the cell or the message, and the field.
        cells: those in which the codec's effect is another one; never empty.
        made_of: which codec it is made of, a `Twin` or ``records``.
        equals: places tried before, where the flaw has no effect.
    """

    flaw: Flaw
    place: str
    cells: tuple[Cell, ...]
    made_of: str
    codecs: MessageCodecs | RecordCodecs
    equals: tuple[Equal, ...] = field(default=())


def plant(flaw: Flaw, schemas: SchemaSet, seed: int) -> Mutant:
    """The mutant of a flaw: the seed chooses the place among all of the release that fit.

    A place is passed over only where it is shown that nothing can come of it there; which, is kept.

    Raises:
        NoPlaceError: there is no other.
        NoGroundError: a patch does not fit the codec's source any more.
    """
    random = Random(f"{seed}/{flaw.name}")
    equals: list[Equal] = []
    for found in _mutants(flaw, schemas, random):
        if isinstance(found, Mutant):
            return replace(found, equals=tuple(equals))
        equals.append(found)
    raise NoPlaceError(flaw, tuple(equals))


def _mutants(flaw: Flaw, schemas: SchemaSet, random: Random) -> Iterator[Mutant | Equal]:
    """The flaw at one place after the other."""
    twin = random.choice(list(Twin))
    deviation = flaw.deviation
    if isinstance(deviation, WrongDefinition):
        for spec_spot in _shuffled_spec_spots(deviation, schemas, random):
            yield _of_definition(flaw, deviation, spec_spot, twin)
    else:
        left_out = _HAND_WRITTEN if isinstance(deviation, WrongRecords) else (*_HAND_WRITTEN, RECORDS_MODULE)
        cells = [cell for cell in all_cells(schemas) if cell.module not in left_out]
        for spot in _shuffled_spots(deviation.fits, cells, schemas, random):
            yield _at(flaw, deviation, spot, twin)


def _at(flaw: Flaw, deviation: _InCell, spot: Spot, twin: Twin) -> Mutant | Equal:
    """The flaw at one place of one cell."""
    match deviation:
        case WrongLayout():
            return _of_layout(flaw, deviation, spot, twin)
        case WrongCode():
            return _of_code(flaw, deviation, spot)
        case WrongRecords():
            return Mutant(flaw, str(spot), (spot.cell,), RECORDS_MODULE, _record_codecs(deviation, spot))
        case WrongPrimitive():
            twin, make = Twin.INTERPRETED, partial(_primitive_codec, deviation, spot)
        case WrongValue():
            make = partial(_value_codec, deviation, spot, _TWINS[twin])
        case WrongConduct():
            make = partial(_wrapped_codec, deviation, _TWINS[twin])
        case _:
            assert_never(deviation)
    return Mutant(flaw, str(spot), (spot.cell,), twin, MessageCodecs(BoundedCache(make)))


def _shuffled_spots(
    fits: Callable[[Spot], bool], cells: list[Cell], schemas: SchemaSet, random: Random
) -> Iterator[Spot]:
    """One fitting spot of each cell that has any, in an order of the seed's.

    The cells of record sets, which are few, come first as often as not.
    """
    random.shuffle(cells)
    if random.random() < 0.5:
        cells.sort(key=lambda cell: cell.module != RECORDS_MODULE)
    for cell in cells:
        layout = resolve(schemas.modules[cell.module][cell.message], cell.version)
        fitting = [spot for spot in spots(cell, layout) if fits(spot)]
        if fitting:
            yield random.choice(fitting)


def _shuffled_spec_spots(deviation: WrongDefinition, schemas: SchemaSet, random: Random) -> list[SpecSpot]:
    known = (spot for spot in spec_spots(schemas) if spot.module not in (*_HAND_WRITTEN, RECORDS_MODULE))
    fitting = [spot for spot in known if deviation.fits(spot)]
    random.shuffle(fitting)
    return fitting


def _of_definition(flaw: Flaw, deviation: WrongDefinition, spot: SpecSpot, twin: Twin) -> Mutant | Equal:
    spec = spot.spec
    cells = tuple(
        Cell(spot.release, spot.module, spec.name, version)
        for version in spec.valid_versions
        if not same_effect(resolve(spec, version), deviation.layout(spot, version))
    )
    if not cells:
        return Equal(str(spot), f"the generated code of versions {spec.valid_versions} stays the same")

    def believed(layout: MessageLayout) -> MessageLayout:
        own = layout.name == spec.name and layout == resolve(spec, layout.version)
        return deviation.layout(spot, layout.version) if own else layout

    return Mutant(flaw, str(spot), cells, twin, _believing(twin, BoundedCache(believed)))


def _of_layout(flaw: Flaw, deviation: WrongLayout, spot: Spot, twin: Twin) -> Mutant | Equal:
    wrong = deviation.edit(spot)
    if same_effect(spot.layout, wrong):
        return Equal(str(spot), "the generated code stays the same")

    def believed(layout: MessageLayout) -> MessageLayout:
        return wrong if layout == spot.layout else layout

    return Mutant(flaw, str(spot), (spot.cell,), twin, _believing(twin, BoundedCache(believed)))


def _believing(twin: Twin, believed: Callable[[MessageLayout], MessageLayout]) -> MessageCodecs:
    def make(layout: MessageLayout) -> MessageCodec:
        return _TWINS[twin](believed(layout))

    return MessageCodecs(BoundedCache(make), believed)


def _primitive_codec(deviation: WrongPrimitive, spot: Spot, layout: MessageLayout) -> MessageCodec:
    if (layout.name, layout.version) != (spot.layout.name, spot.layout.version):
        return interpret_layout(layout)
    find = find_struct if spot.field is None else find_field
    return graft(layout, find(layout, spot.path), deviation.patches)


def _value_codec(deviation: WrongValue, spot: Spot, make: MakeCodec, layout: MessageLayout) -> MessageCodec:
    codec = make(layout)
    if (layout.name, layout.version) != (spot.layout.name, spot.layout.version):
        return codec
    return Rewriting(codec, spot.path, deviation.outward, deviation.inward)


def _wrapped_codec(deviation: WrongConduct, make: MakeCodec, layout: MessageLayout) -> MessageCodec:
    return deviation.wrap(make(layout))


def _of_code(flaw: Flaw, deviation: WrongCode, spot: Spot) -> Mutant | Equal:
    copy = Copy(deviation.patches)
    if deviation.twin is Twin.COMPILED:
        make: MakeCodec = copy.module("compiler.compiled").CompiledCodec
        printers = all(patch.module.startswith("compiler._print_") for patch in deviation.patches)
        if printers and make(spot.layout).source == compile_layout(spot.layout).source:
            return Equal(str(spot), "the generated code stays the same")
    else:
        make = copy.module("compiler.interpreted").InterpretedCodec
    frames: MakeFrames = copy.module("headers").FrameCodec
    remembered: BoundedCache[MessageLayout, MessageCodec] = BoundedCache(make)
    codecs = MessageCodecs(remembered, frames=frames)
    return Mutant(flaw, str(spot), (spot.cell,), deviation.twin, codecs)


def _record_codecs(deviation: WrongRecords, spot: Spot) -> RecordCodecs:
    """The codec of record sets out of a patched copy, and with one field's value changed."""
    records = Copy(deviation.patches).module("records")
    steps = [step.removesuffix("[]") for step in spot.path.split(".")]

    def written(held: RecordSet) -> RecordSet:
        if deviation.outward is unchanged:
            return held
        return from_value(rewritten(to_value(held), steps, deviation.outward))

    def decode(data: Buffer) -> RecordSet:
        held: RecordSet = records.decode_records(data)
        if deviation.inward is unchanged:
            return held
        return from_value(rewritten(to_value(held), steps, deviation.inward))

    return RecordCodecs(
        encode=lambda held: records.encode_records(written(held)),
        decode=decode,
        size=lambda held: records.size_of_records(written(held)),
    )
