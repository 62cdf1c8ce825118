"""The compiled twin: Python text made from the layout. Fast rather than obvious.

Each function is made when it is first used. Where one finds that something is wrong, the interpreted
twin goes over the same input again and raises the error; the generated code has no words for errors.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Never

from kafkawire.compiler._print_decode import print_decoder
from kafkawire.compiler.interpreted import InterpretedCodec
from kafkawire.generated import load
from kafkawire.schema.layout import MessageLayout
from kafkawire.values import StructValue
from kafkawire.wire import Buffer

__all__ = ["CompiledCodec", "compile_layout"]


class CompiledCodec:
    """`MessageCodec` by generated code."""

    def __init__(self, layout: MessageLayout) -> None:
        self.layout = layout
        self._twin = InterpretedCodec(layout)
        self.encode = self._twin.encode
        self.size = self._twin.size
        self._decode: Callable[..., Any] = self._make_decoder()
        self.decode = self._decode

    @property
    def source(self) -> str:
        return print_decoder(self.layout)

    def decode_from(self, buffer: Buffer, offset: int) -> tuple[StructValue, int]:
        if offset < 0:
            raise ValueError(f"offset {offset} is negative")
        found: tuple[StructValue, int] = self._decode(buffer, offset, False)
        return found

    def _make_decoder(self) -> Callable[..., Any]:
        title = f"{self.layout.name} v{self.layout.version} decode"
        decode: Callable[..., Any] = load(title, print_decoder(self.layout), {"explain": self._explain})[
            "decode"
        ]
        return decode

    def _explain(self, data: bytes, start: int, whole: bool) -> Never:
        if whole:
            self._twin.decode(data)
        else:
            self._twin.decode_from(data, start)
        raise RuntimeError(f"{self.layout.name} v{self.layout.version}: only the compiled decoder refuses")


@lru_cache(maxsize=4096)
def compile_layout(layout: MessageLayout) -> CompiledCodec:
    return CompiledCodec(layout)
