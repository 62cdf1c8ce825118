"""The interpreted codec with one field, or one struct's tag section, handled by a patched copy of itself."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from kafkawire.compiler import MessageCodec
from kafkawire.schema import FieldLayout, MessageLayout, StructLayout
from wireproof.power.mutants.source_copies import Patch, SourceCopy

__all__ = ["patched_codec"]

_OF_FIELDS: Final = (
    ("_field_reader", "compiler._interpreted_decode", ()),
    ("_field_writer", "compiler._interpreted_encode", ()),
    ("_field_sizer", "compiler._interpreted_size", ()),
)
_OF_STRUCTS: Final = (
    ("StructReader", "compiler._interpreted_decode", ("compiler.interpreted",)),
    ("StructWriter", "compiler._interpreted_encode", ("compiler.interpreted",)),
    ("StructSizer", "compiler._interpreted_size", ("compiler.interpreted",)),
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
