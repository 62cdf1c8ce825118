"""The compiled codec: Python text generated from the layout, for speed.

Each function is generated at its first use. If it refuses an input, the interpreted codec processes the same
input again and raises the error: the generated code holds no error messages.
"""

from collections.abc import Callable
from typing import Any, Final, Never

from kafkawire.caching import BoundedCache
from kafkawire.compiler._interpreted_decode import holds_free_elements
from kafkawire.compiler._print_decode import print_decoder
from kafkawire.compiler._print_encode import print_encoder
from kafkawire.compiler._print_size import print_sizer
from kafkawire.compiler._printed_source import Printed
from kafkawire.compiler.interpreted import InterpretedCodec
from kafkawire.generated import load
from kafkawire.schema.layout import MessageLayout, StructLayout
from kafkawire.values import StructValue
from kafkawire.wire import Buffer

MOST_NESTED: Final = 12
"""The deepest nesting that is compiled: Python allows 20 nested loops; real messages have 4."""


class CompiledCodec:
    """`MessageCodec` by generated code.

    The interpreted codec handles arrays whose elements take no bytes, and nesting deeper than Python allows.
    No release has either.
    """

    decode: Callable[..., Any]
    encode: Callable[[StructValue], bytes]
    size: Callable[[StructValue], int]

    def __init__(self, layout: MessageLayout) -> None:
        self.layout = layout
        self._interpreter: InterpretedCodec | None = None
        self.decode = self._decode_first
        self.encode = self._encode_first
        self.size = self._size_first

    def __reduce__(self) -> tuple[Any, ...]:
        return compile_layout, (self.layout,)

    @property
    def source(self) -> str:
        """The generated text of all three functions."""
        if self._needs_interpreter(decoding=True):
            return ""
        decoder, _ = print_decoder(self.layout)
        return "\n\n".join(
            part.text for part in (decoder, print_encoder(self.layout), print_sizer(self.layout))
        )

    def decode_from(self, buffer: Buffer, offset: int) -> tuple[StructValue, int]:
        if offset < 0:
            raise ValueError(f"offset {offset} is negative")
        found: tuple[StructValue, int] = self.decode(buffer, offset, False)
        return found

    def _decode_first(self, data: Buffer, pos: int = 0, whole: bool = True) -> Any:
        self.decode = self._make_decoder()
        return self.decode(data, pos, whole)

    def _encode_first(self, value: StructValue) -> bytes:
        if self._needs_interpreter(decoding=False):
            self.encode = self.interpreted.encode
        else:
            self.encode = self._load("encode", print_encoder(self.layout), self._explain_encode)
        return self.encode(value)

    def _size_first(self, value: StructValue) -> int:
        if self._needs_interpreter(decoding=False):
            self.size = self.interpreted.size
        else:
            self.size = self._load("size", print_sizer(self.layout), self._explain_size)
        return self.size(value)

    @property
    def interpreted(self) -> InterpretedCodec:
        if self._interpreter is None:
            self._interpreter = InterpretedCodec(self.layout)
        return self._interpreter

    def _needs_interpreter(self, decoding: bool) -> bool:
        if decoding and holds_free_elements(self.layout.root):
            return True
        return nesting(self.layout.root) > MOST_NESTED

    def _make_decoder(self) -> Callable[..., Any]:
        if self._needs_interpreter(decoding=True):
            return self._interpret
        printed, loops = print_decoder(self.layout)

        def explain(data: bytes, start: int, whole: bool, variables: dict[str, Any]) -> Never:
            if start > len(data):
                self.interpreted.decode_from(data, start)
            begun = [loop for loop in loops if loop.start in variables]
            skips = {loop.path: (variables[loop.index], variables[loop.start]) for loop in begun}
            self.interpreted.explain(data, start, whole, skips)
            raise self._disagreement("decoder")

        return self._load("decode", printed, explain)

    def _interpret(self, data: Buffer, pos: int = 0, whole: bool = True) -> Any:
        return self.interpreted.decode(data) if whole else self.interpreted.decode_from(data, pos)

    def _load(self, name: str, printed: Printed, explain: Callable[..., Any]) -> Callable[..., Any]:
        title = f"{self.layout.name} v{self.layout.version} {name}"
        found: Callable[..., Any] = load(title, printed.text, {**printed.injected, "explain": explain})[name]
        return found

    def _explain_encode(self, value: StructValue, error: Exception) -> bytes:
        encoded = self.interpreted.encode(value)
        if isinstance(error, KeyError):
            return encoded
        raise self._disagreement("encoder") from error

    def _explain_size(self, value: StructValue, error: Exception) -> int:
        size = self.interpreted.size(value)
        if isinstance(error, KeyError):
            return size
        raise self._disagreement("size") from error

    def _disagreement(self, what: str) -> RuntimeError:
        cell = f"{self.layout.name} v{self.layout.version}"
        return RuntimeError(
            f"{cell}: the compiled {what} refuses what the interpreted one takes: a bug of ours"
        )


def nesting(struct: StructLayout) -> int:
    """Return the depth of nested structs below this one."""
    return max((1 + nesting(field.struct) for field in struct.all_fields if field.struct), default=0)


_made: BoundedCache[MessageLayout, CompiledCodec] = BoundedCache(CompiledCodec)


def compile_layout(layout: MessageLayout) -> CompiledCodec:
    """Return the compiled codec of a layout. Equal layouts share one."""
    return _made(layout)
