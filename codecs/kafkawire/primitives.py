"""Single primitives of the protocol, each as a message with one field that holds its value.

Other codecs have primitives as separate functions or types. Kafka has them in `common.protocol.types.Type`,
or in `ByteUtils` if there is no type. The names are wireproof's own: the type of the schema language, after
a prefix for its form on the wire (nullable, compact, of variable length).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import Final

from kafkawire.compiler import MessageCodec, fastest_codec
from kafkawire.compiler.codec import trailing
from kafkawire.errors import EncodeError, Fault
from kafkawire.schema import MessageLayout, MessageSpec, read_message, resolve
from kafkawire.values import StructValue
from kafkawire.wire import (
    FIXED_CODES,
    Buffer,
    IntegerForm,
    as_bytes,
    describe,
    read_uvarint,
    read_varint,
    read_varlong,
    size_uvarint,
    size_varint,
    size_varlong,
    write_uvarint,
    write_varint,
    write_varlong,
)

VALUE: Final = "value"
"""The one field."""


_VARINTS: Final = {
    "UnsignedVarint": IntegerForm(read_uvarint, write_uvarint, size_uvarint),
    "Varint": IntegerForm(read_varint, write_varint, size_varint),
    "Varlong": IntegerForm(read_varlong, write_varlong, size_varlong),
}
"""The encodings of variable length, which have no type in the schema language."""

_TYPES: Final[Mapping[str, tuple[str, bool, bool]]] = {
    **{name.capitalize(): (name, False, False) for name in FIXED_CODES},
    **{
        f"{'Compact' * compact}{'Nullable' * nullable}{name.capitalize()}": (name, nullable, compact)
        for name, compact, nullable in product(("string", "bytes"), (False, True), (False, True))
    },
    "UnsignedVarint": ("uint32", False, False),
    "Varint": ("int32", False, False),
    "Varlong": ("int64", False, False),
}
"""By name: the type of the values, whether null is valid, whether the length is a varint (KIP-482)."""

PRIMITIVES: Final = frozenset(_TYPES)
"""The names of all of them."""


def is_varint(name: str) -> bool:
    """Test if it is a number of variable length: its layout describes its values, not its bytes."""
    return name in _VARINTS


@cache
def primitive_specs() -> Mapping[str, MessageSpec]:
    """The definition of each: version 0, one field."""
    return {name: _spec(name) for name in _TYPES}


@cache
def primitive_layout(name: str) -> MessageLayout:
    """The layout of a primitive. It never has a tag section, even if its length is compact."""
    layout = resolve(primitive_specs()[name], 0)
    return replace(layout, root=replace(layout.root, flexible=False))


@cache
def primitive_codec(name: str) -> MessageCodec:
    """Our own codec of a primitive."""
    return codec_of(primitive_layout(name))


def codec_of(layout: MessageLayout) -> MessageCodec:
    """Return the compiled codec of a layout; numbers of variable length have codecs of their own."""
    form = _VARINTS.get(layout.name)
    return fastest_codec(layout) if form is None else _VarintCodec(layout, form)


def _spec(name: str) -> MessageSpec:
    type_, nullable, compact = _TYPES[name]
    null = ', "nullableVersions": "0+"' if nullable else ""
    text = (
        '{ "type": "data", "name": "PrimitiveValue", "validVersions": "0", '  # Java has a class String
        f'"flexibleVersions": "{"0+" if compact else "none"}", "fields": ['
        f'{{ "name": "Value", "type": "{type_}", "versions": "0+"{null} }} ] }}'
    )
    spec, problems = read_message(text, f"{name} (kafkawire.primitives)")
    assert spec is not None
    assert not problems
    return replace(spec, name=name)


@dataclass(frozen=True, slots=True)
class _VarintCodec:
    """The codec of a number of variable length, with the interface of a `MessageCodec`."""

    layout: MessageLayout
    form: IntegerForm
    source: str = ""

    def decode(self, data: Buffer) -> StructValue:
        held = as_bytes(data)
        value, end = self.decode_from(held, 0)
        if end != len(held):
            raise trailing(held, end)
        return value

    def decode_from(self, buffer: Buffer, offset: int) -> tuple[StructValue, int]:
        value, end = self.form.read(as_bytes(buffer), offset)
        return {VALUE: value}, end

    def encode(self, value: StructValue) -> bytes:
        number = value.get(VALUE, 0)
        if not isinstance(number, int):
            raise EncodeError(Fault.TYPE, VALUE, f"{describe(number)} is not an integer")
        return self.form.write(number)

    def size(self, value: StructValue) -> int:
        return self.form.size(value.get(VALUE, 0))
