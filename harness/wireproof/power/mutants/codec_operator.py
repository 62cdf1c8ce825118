"""Mutation operators of our codec, and private copies of its modules with other text. An operator at one site
makes a mutant (`generation`).

A mutant of a primitive is the codec with one line changed. The line is changed in a copy of the module that
no other code imports, so the codec itself and the judging code stay the same. Copies share the classes of
errors, values, layouts and record batches with the original, so the harness judges their answers like any
others.
"""

import builtins
import importlib.util
import tokenize
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from types import CodeType, ModuleType
from typing import Any, Final, TypeAlias

from kafkawire.compiler import MessageCodec
from kafkawire.schema import MessageLayout
from kafkawire.values import StructValue, Value
from kafkawire.wire import Buffer
from wireproof.model.cell import Phase
from wireproof.power.mutants.sites import DefinitionSite, Site
from wireproof.power.summary import BugClass
from wireproof.proof.config.selection import DEFAULT_PHASES

_PACKAGE: Final = "kafkawire"
_SHARED: Final = ("errors", "values", "caching", "schema", "canonical", "records.model")
"""The modules, below the package, that every copy shares with the original."""


class PatchMismatchError(LookupError):
    """The text that a patch replaces does not occur in its module exactly once."""


@dataclass(frozen=True, slots=True)
class Patch:
    """A replacement of text in one module.

    Attributes:
        module: below the package, such as ``wire.lengths``.
        old: the text to replace; it occurs exactly once.
    """

    module: str
    old: str
    new: str


class SourceCopy:
    """A copy of the codec's modules. Each is loaded at its first use.

    Raises:
        PatchMismatchError: a patch does not match its module.
    """

    def __init__(self, patches: Iterable[Patch] = ()) -> None:
        self._texts: dict[str, str] = {}
        for patch in patches:
            name = f"{_PACKAGE}.{patch.module}"
            text = self._texts.get(name) or _source(name)
            if text.count(patch.old) != 1:
                raise PatchMismatchError(f"{name} has {patch.old!r} {text.count(patch.old)} times")
            self._texts[name] = text.replace(patch.old, patch.new)
        self._modules: dict[str, ModuleType] = {}
        self._builtins = ModuleType("builtins")
        vars(self._builtins).update(vars(builtins), __import__=self._import)

    def module(self, below: str) -> Any:
        """The copy of a module, by its name below the package."""
        return self._load(f"{_PACKAGE}.{below}")

    def _load(self, name: str) -> ModuleType:
        package = name.rpartition(".")[0]
        if package != _PACKAGE and package not in self._modules:
            self._load(package)  # as Python does: a package imports its own modules in the order that works
        if name not in self._modules:
            module = self._modules[name] = ModuleType(name)
            vars(module)["__builtins__"] = self._builtins
            text = self._texts.get(name)
            exec(_code(name) if text is None else compile(text, f"<mutant {name}>", "exec"), vars(module))  # noqa: S102 - our own source, one line of it changed by us
        return self._modules[name]

    def _import(
        self,
        name: str,
        globals: Mapping[str, Any] | None = None,
        locals: Mapping[str, Any] | None = None,
        fromlist: Sequence[str] = (),
        level: int = 0,
    ) -> ModuleType:
        if name == "builtins":  # generated code runs with these, so its imports are redirected, too
            return self._builtins
        if not _copied(name):
            return builtins.__import__(name, globals, locals, fromlist, level)
        module = self._load(name)
        for part in fromlist:
            if not hasattr(module, part):  # a module of the package
                setattr(module, part, self._load(f"{name}.{part}"))
        return module


def _copied(name: str) -> bool:
    """Test if a module is copied. All imports of the codec are of the form ``from module import name``."""
    below = name.removeprefix(f"{_PACKAGE}.")
    if below == name:
        return False
    return not any(below == shared or below.startswith(f"{shared}.") for shared in _SHARED)


@cache
def _source(name: str) -> str:
    """The text of a module's file: loaders that rewrite modules, such as pytest's, provide no source."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
        raise PatchMismatchError(f"{name} has no source")
    with tokenize.open(spec.origin) as file:
        return file.read()


@cache
def _code(name: str) -> CodeType:
    spec = importlib.util.find_spec(name)
    return compile(_source(name), spec.origin or name if spec else name, "exec")


Change: TypeAlias = Callable[[Any], Value]


def unchanged(value: Value) -> Value:
    return value


def only(kind: type, change: Change) -> Change:
    """A change of values of one type; others stay."""
    return lambda value: change(value) if isinstance(value, kind) else value


class CodecCalls:
    """A codec that delegates all calls; subclasses change some of its functions."""

    def __init__(self, codec: MessageCodec) -> None:
        self.codec = codec

    @property
    def layout(self) -> MessageLayout:
        return self.codec.layout

    @property
    def source(self) -> str:
        return self.codec.source

    def decode(self, data: Buffer) -> StructValue:
        return self.codec.decode(data)

    def decode_from(self, buffer: Buffer, offset: int) -> tuple[StructValue, int]:
        return self.codec.decode_from(buffer, offset)

    def encode(self, value: StructValue) -> bytes:
        return self.codec.encode(value)

    def size(self, value: StructValue) -> int:
        return self.codec.size(value)


class RewritingCodec(CodecCalls):
    """A codec with one field's value changed before it is written, or after it was read."""

    def __init__(self, codec: MessageCodec, path: str, outward: Change, inward: Change) -> None:
        super().__init__(codec)
        self._steps = [step.removesuffix("[]") for step in path.split(".")]
        self._outward, self._inward = outward, inward

    def decode(self, data: Buffer) -> StructValue:
        value: StructValue = rewritten(self.codec.decode(data), self._steps, self._inward)
        return value

    def decode_from(self, buffer: Buffer, offset: int) -> tuple[StructValue, int]:
        value, end = self.codec.decode_from(buffer, offset)
        return rewritten(value, self._steps, self._inward), end

    def encode(self, value: StructValue) -> bytes:
        return self.codec.encode(rewritten(value, self._steps, self._outward))

    def size(self, value: StructValue) -> int:
        return self.codec.size(rewritten(value, self._steps, self._outward))


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
    """The codec has a wrong layout of one cell.

    Attributes:
        fits: true for the sites that the operator can change.
        edit: makes the wrong layout.
    """

    fits: Callable[[Site], bool]
    edit: Callable[[Site], MessageLayout]


@dataclass(frozen=True, slots=True)
class WrongDefinition:
    """The codec has a wrong definition of one message, and so wrong layouts of some of its versions.

    Attributes:
        layout: makes the wrong layout of a version.
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
    """The codec's functions are wrapped so that they behave wrongly, such as with state between calls."""

    fits: Callable[[Site], bool]
    wrap: Callable[[MessageCodec], MessageCodec]


@dataclass(frozen=True, slots=True)
class WrongRecords:
    """The codec of record sets has patched source, or changes a field before writing or after reading.

    Attributes:
        fits: true for sites in cells of record sets, which use the layout of their plain values, or for
            messages with records fields, whose content the mutant decodes and encodes.
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
        phases: the phases of the plan that must kill the mutant.
    """

    name: str
    bug_class: BugClass
    description: str
    deviation: Deviation = field(hash=False)
    shared: bool = False
    phases: tuple[Phase, ...] = DEFAULT_PHASES
