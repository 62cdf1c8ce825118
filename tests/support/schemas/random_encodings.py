"""Hypothesis strategies: layouts whose integers have the encodings that KIP-625 proposes."""

from dataclasses import replace

from hypothesis import strategies as st

from kafkawire.schema import ArrayType, FieldLayout, IntegerEncoding, MessageLayout, ScalarType, StructLayout
from tests.support.schemas.random_layouts import layouts

BITS = {ScalarType.INT16: 16, ScalarType.INT32: 32, ScalarType.INT64: 64}


@st.composite
def encoded_layouts(draw: st.DrawFn) -> MessageLayout:
    """Random layouts; most fields without a struct are integers with an encoding that is not too wide."""
    layout = draw(layouts())
    return replace(layout, root=draw(_encoded_structs(layout.root)))


@st.composite
def _encoded_structs(draw: st.DrawFn, struct: StructLayout) -> StructLayout:
    fields = tuple(draw(_encoded_fields(field)) for field in struct.fields)
    tagged = tuple(draw(_encoded_fields(field)) for field in struct.tagged)
    return replace(struct, fields=fields, tagged=tagged)


@st.composite
def _encoded_fields(draw: st.DrawFn, field: FieldLayout) -> FieldLayout:
    if field.struct is not None:
        return replace(field, struct=draw(_encoded_structs(field.struct)))
    if draw(st.integers(0, 4)) == 0:
        return field
    encoding = draw(st.sampled_from(IntegerEncoding))
    kind = draw(st.sampled_from([each for each, bits in BITS.items() if bits >= encoding.bits]))
    if field.is_array:
        return replace(field, type=ArrayType(kind), encoding=encoding)
    default = draw(st.sampled_from([0, -1, 1000]))
    return replace(field, type=kind, encoding=encoding, nullable=False, default=default)
