"""The native codec: a table made from the plan drives a decoder and an encoder in Rust.

They come with the distribution `kafkawire-native`, which is optional. They have no error messages: if they
refuse an input, the compiled codec processes it again, and returns the value or raises the error.
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any
from uuid import UUID, SafeUUID

from kafkawire.caching import BoundedCache
from kafkawire.compiler.codec import MessageCodec
from kafkawire.compiler.compiled import CompiledCodec, compile_layout
from kafkawire.compiler.native.plan_table import make_table
from kafkawire.native_module import native_state
from kafkawire.schema.layout import MessageLayout
from kafkawire.values import StructValue
from kafkawire.wire import Buffer


class NativeCodec:
    """`MessageCodec` by the native module. The layout must have a table (`native_codec`)."""

    source = ""

    decode: Callable[[Buffer], StructValue]
    decode_from: Callable[[Buffer, int], tuple[StructValue, int]]
    encode: Callable[[StructValue], bytes]
    size: Callable[[StructValue], int]

    def __init__(
        self, layout: MessageLayout, compiled: CompiledCodec, module: ModuleType, table: Any
    ) -> None:
        self.layout = layout
        self._compiled = compiled
        refused = (self._refuse_bytes, self._refuse_buffer, self._refuse_value, self._refuse_size)
        native = module.Codec(table, (UUID, SafeUUID.unknown), refused)
        self.decode, self.decode_from = native.decode, native.decode_from
        self.encode, self.size = native.encode, native.size

    def __reduce__(self) -> tuple[Any, ...]:
        return fastest_codec, (self.layout,)

    # The native codec accepts only `bytes`: other buffers are also handled here.

    def _refuse_bytes(self, data: Buffer) -> StructValue:
        found: StructValue = self._compiled.decode(data)
        self._check_refusal(data)
        return found

    def _refuse_buffer(self, buffer: Buffer, offset: int) -> tuple[StructValue, int]:
        found = self._compiled.decode_from(buffer, offset)
        self._check_refusal(buffer)
        return found

    def _check_refusal(self, data: Buffer) -> None:
        if type(data) is bytes:
            cell = f"{self.layout.name} v{self.layout.version}"
            raise RuntimeError(
                f"{cell}: the native decoder refuses what the compiled one takes: a bug of ours"
            )

    def _refuse_value(self, value: StructValue) -> bytes:
        return self._compiled.encode(value)

    def _refuse_size(self, value: StructValue) -> int:
        return self._compiled.size(value)


def _make(layout: MessageLayout) -> MessageCodec:
    compiled, (module, _, _) = compile_layout(layout), native_state()
    table = None if module is None else make_table(layout)
    return compiled if module is None or table is None else NativeCodec(layout, compiled, module, table)


_made: BoundedCache[MessageLayout, MessageCodec] = BoundedCache(_make)


def fastest_codec(layout: MessageLayout) -> MessageCodec:
    """Return the native codec of a layout, else the compiled one. Equal layouts share one."""
    return _made(layout)


def native_codec(layout: MessageLayout) -> NativeCodec | None:
    """Return the native codec of a layout; None if it is not in use, or does not support the layout."""
    found = fastest_codec(layout)
    return found if isinstance(found, NativeCodec) else None
