"""Generating mutants: an operator at one site, and the cells whose encoding or decoding it changes."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from random import Random
from typing import Any, Final, TypeAlias, assert_never

from kafkawire.caching import BoundedCache
from kafkawire.compiler import MessageCodec, compile_layout, fastest_codec, interpret_layout
from kafkawire.headers import FrameCodec
from kafkawire.native_module import native_state
from kafkawire.records import RecordSet, from_value, to_value
from kafkawire.schema import AbsentField, FieldLayout, MessageLayout, SchemaSet, StructLayout, resolve
from kafkawire.wire import Buffer
from wireproof.model.cell import EMBEDDED_MODULE, RECORDS_MODULE, Cell
from wireproof.model.layout_parts import field_in, struct_in
from wireproof.power.mutants.codec_operator import (
    CodecKind,
    CodecOperator,
    Patch,
    RewritingCodec,
    SourceCopy,
    WrongCode,
    WrongConduct,
    WrongDefinition,
    WrongLayout,
    WrongPrimitive,
    WrongRecords,
    WrongValue,
    rewritten,
    unchanged,
)
from wireproof.power.mutants.sites import DefinitionSite, Site, definition_sites, sites
from wireproof.power.summary import EquivalentSite
from wireproof.proof.run.core.environment import all_cells

_Facts: TypeAlias = tuple[object, ...]


def same_effect(one: MessageLayout, other: MessageLayout) -> bool:
    """Test if the codec does the same with both layouts, for all bytes and all values.

    It does if the header version, the generated text and the completion of values are equal. The completion
    is the only input of the text that depends on the layout (`kafkawire.compiler.defaults`).
    """
    if one == other:
        return True
    if one.header_version != other.header_version or _completions(one.root) != _completions(other.root):
        return False
    return compile_layout(one).source == compile_layout(other).source


def _completions(struct: StructLayout) -> _Facts:
    fields = tuple((field.name, field.tag, repr(field.default)) for field in struct.all_fields)
    inner = tuple(_completions(field.struct) for field in struct.all_fields if field.struct is not None)
    return struct.flexible, fields, tuple(map(_absent, struct.absent)), inner


def _absent(field: AbsentField) -> _Facts:
    return (*_default(field), field.ignorable, field.tag)


def _default(field: FieldLayout | AbsentField) -> _Facts:
    """The parts of a field's default: for a struct those of its fields; for an array none."""
    is_array = str(field.type).startswith("[]")
    inner: _Facts = ()
    if field.struct is not None and not is_array:
        fields: tuple[FieldLayout | AbsentField, ...] = (*field.struct.all_fields, *field.struct.absent)
        inner = tuple(map(_default, fields))
    return field.name, is_array, field.struct is not None, repr(field.default), inner


_OF_FIELDS: Final = (
    ("_field_reader", "compiler._interpreted_decode", ()),
    ("field_writer", "compiler._interpreted_encode", ()),
)
_OF_STRUCTS: Final = (
    ("StructReader", "compiler._interpreted_decode", ("compiler.interpreted",)),
    ("StructWriter", "compiler._interpreted_encode", ("compiler.interpreted",)),
)
"""The functions that make the handlers of a field or a struct: name, module, and calling modules."""


def patched_codec(
    layout: MessageLayout, target: FieldLayout | StructLayout, patches: Sequence[Patch]
) -> MessageCodec:
    """Make a codec of the layout with the patches applied to the target only, which is found by identity.

    Raises:
        PatchMismatchError: a patch does not match its module.
    """
    sound, wrong = SourceCopy(), SourceCopy(patches)
    for name, home, callers in _OF_FIELDS if isinstance(target, FieldLayout) else _OF_STRUCTS:
        choose = _chooser(target, getattr(sound.module(home), name), getattr(wrong.module(home), name))
        for copy in (sound, wrong):
            for module in (home, *callers):
                setattr(copy.module(module), name, choose)
    codec: MessageCodec = sound.module("compiler.interpreted").InterpretedCodec(layout)
    return codec


def _chooser(target: object, sound: Callable[..., Any], wrong: Callable[..., Any]) -> Callable[..., Any]:
    def choose(item: object, *rest: Any) -> Any:
        return (wrong if item is target else sound)(item, *rest)

    return choose


MakeCodec: TypeAlias = Callable[[MessageLayout], MessageCodec]
MakeFrames: TypeAlias = Callable[[MessageCodec, MessageCodec], FrameCodec]

_InCell: TypeAlias = WrongLayout | WrongPrimitive | WrongCode | WrongValue | WrongConduct | WrongRecords

_CODEC_MAKERS: dict[CodecKind, MakeCodec] = {
    CodecKind.COMPILED: compile_layout,
    CodecKind.INTERPRETED: interpret_layout,
    CodecKind.NATIVE: fastest_codec,
}


_HAND_WRITTEN = (EMBEDDED_MODULE,)
"""Modules without sites: their layouts add nothing to those of other modules, and fewer phases judge them."""


class NotApplicableError(LookupError):
    """The operator changes the codec nowhere in the release.

    Attributes:
        equivalents: the sites tried, each with the evidence that the operator has no effect there.
    """

    def __init__(self, operator: CodecOperator, equivalents: tuple[EquivalentSite, ...]) -> None:
        super().__init__(f"{operator.name} changes no cell of this release")
        self.equivalents = equivalents


def _same(layout: MessageLayout) -> MessageLayout:
    return layout


@dataclass(frozen=True, slots=True)
class MessageCodecs:
    """The codecs of a mutant that changes messages.

    Attributes:
        make: makes the mutant's codec of a layout; our own codec for all layouts except that of the site.
        believed: returns the layout that the mutant uses instead of the given one.
        frames: makes the mutant's frame codec.
    """

    make: MakeCodec
    believed: Callable[[MessageLayout], MessageLayout] = _same
    frames: MakeFrames = FrameCodec


@dataclass(frozen=True, slots=True)
class RecordCodecs:
    """The codec of a mutant that changes record sets."""

    encode: Callable[[RecordSet], bytes]
    decode: Callable[[Buffer], RecordSet]
    size: Callable[[RecordSet], int]


@dataclass(frozen=True, slots=True)
class Mutant:
    """A codec with exactly one bug.

    Attributes:
        place: the site in words: the cell or the message, and the field.
        cells: the cells that the mutant changes; never empty.
        made_of: the codec that was changed, a `CodecKind` or ``records``.
        equivalents: sites tried before, at which the operator has no effect.
    """

    operator: CodecOperator
    place: str
    cells: tuple[Cell, ...]
    made_of: str
    codecs: MessageCodecs | RecordCodecs
    equivalents: tuple[EquivalentSite, ...] = field(default=())


def make_mutant(operator: CodecOperator, schemas: SchemaSet, seed: int) -> Mutant:
    """Make the mutant of an operator, at a site that the seed chooses among all that fit.

    A site is skipped only with evidence that the operator has no effect there; the mutant lists these.

    Raises:
        NotApplicableError: no site is left.
        PatchMismatchError: a patch does not match the codec's source any more.
    """
    random = Random(f"{seed}/{operator.name}")
    equivalents: list[EquivalentSite] = []
    kind = _drawn_kind(random, f"{seed}/{operator.name}")
    for found in _mutants(operator, schemas, random, kind):
        if isinstance(found, Mutant):
            return replace(found, equivalents=tuple(equivalents))
        equivalents.append(found)
    raise NotApplicableError(operator, tuple(equivalents))


def _drawn_kind(random: Random, seed: str) -> CodecKind:
    """Return the codec to change into a mutant.

    If the native codec is in use, it gets half of the compiled codec's mutants, at the same sites.
    """
    kind = random.choice((CodecKind.COMPILED, CodecKind.INTERPRETED))
    takes = kind is CodecKind.COMPILED and native_state().module is not None
    return CodecKind.NATIVE if takes and Random(f"{seed}/native").random() < 0.5 else kind


def _mutants(
    operator: CodecOperator, schemas: SchemaSet, random: Random, kind: CodecKind
) -> Iterator[Mutant | EquivalentSite]:
    """Yield the mutant, or the evidence of equivalence, at one site after the other."""
    deviation = operator.deviation
    if isinstance(deviation, WrongDefinition):
        for definition_site in _shuffled_definition_sites(deviation, schemas, random):
            yield _of_definition(operator, deviation, definition_site, kind)
    else:
        left_out = _HAND_WRITTEN if isinstance(deviation, WrongRecords) else (*_HAND_WRITTEN, RECORDS_MODULE)
        cells = [cell for cell in all_cells(schemas) if cell.module not in left_out]
        for site in _shuffled_sites(deviation.fits, cells, schemas, random):
            yield _at(operator, deviation, site, kind)


def _at(operator: CodecOperator, deviation: _InCell, site: Site, kind: CodecKind) -> Mutant | EquivalentSite:
    """Make the mutant at one site of one cell."""
    match deviation:
        case WrongLayout():
            return _of_layout(operator, deviation, site, kind)
        case WrongCode():
            return _of_code(operator, deviation, site)
        case WrongRecords():
            return Mutant(operator, str(site), (site.cell,), RECORDS_MODULE, _record_codecs(deviation, site))
        case WrongPrimitive():
            kind, make = CodecKind.INTERPRETED, partial(_primitive_codec, deviation, site)
        case WrongValue():
            make = partial(_value_codec, deviation, site, _CODEC_MAKERS[kind])
        case WrongConduct():
            make = partial(_wrapped_codec, deviation, _CODEC_MAKERS[kind])
        case _:
            assert_never(deviation)
    return Mutant(operator, str(site), (site.cell,), kind, MessageCodecs(BoundedCache(make)))


def _shuffled_sites(
    fits: Callable[[Site], bool], cells: list[Cell], schemas: SchemaSet, random: Random
) -> Iterator[Site]:
    """Yield one fitting site of each cell that has any, in an order that the seed chooses.

    For half of the seeds the cells of record sets, which are few, come first.
    """
    random.shuffle(cells)
    if random.random() < 0.5:
        cells.sort(key=lambda cell: cell.module != RECORDS_MODULE)
    for cell in cells:
        layout = resolve(schemas.modules[cell.module][cell.message], cell.version)
        fitting = [site for site in sites(cell, layout) if fits(site)]
        if fitting:
            yield random.choice(fitting)


def _shuffled_definition_sites(
    deviation: WrongDefinition, schemas: SchemaSet, random: Random
) -> list[DefinitionSite]:
    known = (
        site for site in definition_sites(schemas) if site.module not in (*_HAND_WRITTEN, RECORDS_MODULE)
    )
    fitting = [site for site in known if deviation.fits(site)]
    random.shuffle(fitting)
    return fitting


def _of_definition(
    operator: CodecOperator, deviation: WrongDefinition, site: DefinitionSite, kind: CodecKind
) -> Mutant | EquivalentSite:
    spec = site.spec
    cells = tuple(
        Cell(site.release, site.module, spec.name, version)
        for version in spec.valid_versions
        if not same_effect(resolve(spec, version), deviation.layout(site, version))
    )
    if not cells:
        return EquivalentSite(
            str(site), f"the generated code of versions {spec.valid_versions} stays the same"
        )

    def believed(layout: MessageLayout) -> MessageLayout:
        own = layout.name == spec.name and layout == resolve(spec, layout.version)
        return deviation.layout(site, layout.version) if own else layout

    return Mutant(operator, str(site), cells, kind, _believing(kind, BoundedCache(believed)))


def _of_layout(
    operator: CodecOperator, deviation: WrongLayout, site: Site, kind: CodecKind
) -> Mutant | EquivalentSite:
    wrong = deviation.edit(site)
    if same_effect(site.layout, wrong):
        return EquivalentSite(str(site), "the generated code stays the same")

    def believed(layout: MessageLayout) -> MessageLayout:
        return wrong if layout == site.layout else layout

    return Mutant(operator, str(site), (site.cell,), kind, _believing(kind, BoundedCache(believed)))


def _believing(kind: CodecKind, believed: Callable[[MessageLayout], MessageLayout]) -> MessageCodecs:
    def make(layout: MessageLayout) -> MessageCodec:
        return _CODEC_MAKERS[kind](believed(layout))

    return MessageCodecs(BoundedCache(make), believed)


def _primitive_codec(deviation: WrongPrimitive, site: Site, layout: MessageLayout) -> MessageCodec:
    if (layout.name, layout.version) != (site.layout.name, site.layout.version):
        return interpret_layout(layout)
    target = (struct_in if site.field is None else field_in)(layout, site.path)
    assert target is not None
    return patched_codec(layout, target, deviation.patches)


def _value_codec(deviation: WrongValue, site: Site, make: MakeCodec, layout: MessageLayout) -> MessageCodec:
    codec = make(layout)
    if (layout.name, layout.version) != (site.layout.name, site.layout.version):
        return codec
    return RewritingCodec(codec, site.path, deviation.outward, deviation.inward)


def _wrapped_codec(deviation: WrongConduct, make: MakeCodec, layout: MessageLayout) -> MessageCodec:
    return deviation.wrap(make(layout))


def _of_code(operator: CodecOperator, deviation: WrongCode, site: Site) -> Mutant | EquivalentSite:
    copy = SourceCopy(deviation.patches)
    if deviation.kind is CodecKind.COMPILED:
        make: MakeCodec = copy.module("compiler.compiled").CompiledCodec
        printers = all(patch.module.startswith("compiler._print_") for patch in deviation.patches)
        if printers and make(site.layout).source == compile_layout(site.layout).source:
            return EquivalentSite(str(site), "the generated code stays the same")
    else:
        make = copy.module("compiler.interpreted").InterpretedCodec
    frames: MakeFrames = copy.module("headers").FrameCodec
    remembered: BoundedCache[MessageLayout, MessageCodec] = BoundedCache(make)
    codecs = MessageCodecs(remembered, frames=frames)
    return Mutant(operator, str(site), (site.cell,), deviation.kind, codecs)


def _record_codecs(deviation: WrongRecords, site: Site) -> RecordCodecs:
    """The codec of record sets, from a patched copy, or with one field's value changed."""
    records = SourceCopy(deviation.patches).module("records")
    steps = [step.removesuffix("[]") for step in site.path.split(".")]

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
