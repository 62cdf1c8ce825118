"""The interpreted codec with one field, or one struct's tag section, handled by a patched copy of itself."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from kafkawire.compiler import MessageCodec
from kafkawire.schema import FieldLayout, MessageLayout, StructLayout
from wireproof.power.copies import Copy, Patch

__all__ = ["graft"]

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
"""What makes the part of a codec that handles a field or a struct: its name, its home, who else calls it."""


def graft(
    layout: MessageLayout, target: FieldLayout | StructLayout, patches: Sequence[Patch]
) -> MessageCodec:
    """A codec of the layout that is right but for the target, which is meant by identity.

    Raises:
        NoGroundError: a patch finds no ground.
    """
    sound, wrong = Copy(), Copy(patches)
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
