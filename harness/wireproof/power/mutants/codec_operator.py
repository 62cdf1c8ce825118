"""Mutation operators of our codec. An operator at one site makes a mutant (`generation`)."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias

from kafkawire.compiler import MessageCodec
from kafkawire.schema import MessageLayout
from kafkawire.values import StructValue, Value
from kafkawire.wire import Buffer
from wireproof.model import Phase
from wireproof.power.bug_classes import BugClass
from wireproof.power.mutants.sites import DefinitionSite, Site
from wireproof.power.mutants.source_copies import Patch
from wireproof.proof.run import DEFAULT_PHASES

Change: TypeAlias = Callable[[Any], Value]


def unchanged(value: Value) -> Value:
    return value


class RewritingCodec:
    """A codec with one field's value changed before it is written, or after it was read."""

    def __init__(self, codec: MessageCodec, path: str, outward: Change, inward: Change) -> None:
        self._codec = codec
        self._steps = [step.removesuffix("[]") for step in path.split(".")]
        self._outward, self._inward = outward, inward

    @property
    def layout(self) -> MessageLayout:
        return self._codec.layout

    @property
    def source(self) -> str:
        return self._codec.source

    def decode(self, data: Buffer) -> StructValue:
        value: StructValue = rewritten(self._codec.decode(data), self._steps, self._inward)
        return value

    def decode_from(self, buffer: Buffer, offset: int) -> tuple[StructValue, int]:
        value, end = self._codec.decode_from(buffer, offset)
        return rewritten(value, self._steps, self._inward), end

    def encode(self, value: StructValue) -> bytes:
        return self._codec.encode(rewritten(value, self._steps, self._outward))

    def size(self, value: StructValue) -> int:
        return self._codec.size(rewritten(value, self._steps, self._outward))


def rewritten(value: Any, steps: list[str], change: Change) -> Any:
    """The value with the field at the end of the steps changed, in every element on the way.

    A field that is absent or of another type stays unchanged.
    """
    if not isinstance(value, dict) or steps[0] not in value:
        return value
    held = value[steps[0]]
    if len(steps) == 1:
        return {**value, steps[0]: change(held)}
    if isinstance(held, list):
        return {**value, steps[0]: [rewritten(item, steps[1:], change) for item in held]}
    return {**value, steps[0]: rewritten(held, steps[1:], change)}


class CodecKind(StrEnum):
    """The codec of ours that a mutant is made of."""

    COMPILED = "compiled"
    INTERPRETED = "interpreted"
    NATIVE = "native"


@dataclass(frozen=True, slots=True)
class WrongLayout:
    """The codec holds another layout of one cell.

    Attributes:
        fits: true for the sites that the operator can change.
        edit: makes the layout that the codec holds instead.
    """

    fits: Callable[[Site], bool]
    edit: Callable[[Site], MessageLayout]


@dataclass(frozen=True, slots=True)
class WrongDefinition:
    """The codec holds another definition of one message, so other layouts of some of its versions.

    Attributes:
        layout: makes the layout of a version that the codec holds instead.
    """

    fits: Callable[[DefinitionSite], bool]
    layout: Callable[[DefinitionSite, int], MessageLayout]


@dataclass(frozen=True, slots=True)
class WrongPrimitive:
    """The interpreted codec handles one field, or one struct's tag section, with patched primitives."""

    fits: Callable[[Site], bool]
    patches: tuple[Patch, ...] = ()


@dataclass(frozen=True, slots=True)
class WrongCode:
    """The source of the codec is patched everywhere; the site is a cell that the patch changes."""

    fits: Callable[[Site], bool]
    kind: CodecKind
    patches: tuple[Patch, ...] = ()


@dataclass(frozen=True, slots=True)
class WrongValue:
    """The codec changes one field's value before it writes it, or after it read it."""

    fits: Callable[[Site], bool]
    outward: Change = unchanged
    inward: Change = unchanged


@dataclass(frozen=True, slots=True)
class WrongConduct:
    """The codec's functions are called in a wrong way: with state, or with a buffer of their own."""

    fits: Callable[[Site], bool]
    wrap: Callable[[MessageCodec], MessageCodec]


@dataclass(frozen=True, slots=True)
class WrongRecords:
    """The codec of record sets has other source, or changes a field of a set before writing or after reading.

    Attributes:
        fits: true for sites in cells of record sets, whose layout is that of their plain values, or for
            messages with records fields, whose content the mutant then decodes and encodes.
    """

    fits: Callable[[Site], bool]
    patches: tuple[Patch, ...] = ()
    outward: Change = unchanged
    inward: Change = unchanged


Deviation: TypeAlias = (
    WrongLayout | WrongDefinition | WrongPrimitive | WrongCode | WrongValue | WrongConduct | WrongRecords
)


@dataclass(frozen=True, slots=True)
class CodecOperator:
    """A mutation operator: one kind of bug.

    Attributes:
        name: stable, for ``wireproof power --mutant``.
        description: the bug, in one sentence.
        shared: true if the harness uses the wrong layout too, as it would if `resolve` or the schema reader
            had the bug: the strategies, the codec and the canonical form then agree with each other.
        phases: the plan that has to kill the mutant.
    """

    name: str
    bug_class: BugClass
    description: str
    deviation: Deviation = field(hash=False)
    shared: bool = False
    phases: tuple[Phase, ...] = DEFAULT_PHASES
