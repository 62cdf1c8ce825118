"""Mutations that are wrong in one way and in no other."""

from kafkawire.compiler import compile_layout
from real_layouts import real
from wireproof.strategies._mutations import mutations


def test_a_varint_too_long_by_a_byte_holds_its_own_number() -> None:
    """Each length and count in six bytes: with the sixth cut off and the fifth the last it is the right one."""
    layout = real("ApiVersionsRequest", 3)
    codec = compile_layout(layout)
    data = codec.encode({"clientSoftwareName": "ab", "clientSoftwareVersion": "c"})

    padded = [each for each in mutations(layout, data) if each.operator.endswith("padded-to-six")]

    assert [(each.path, len(each.after)) for each in padded] == [
        ("clientSoftwareName", 6),
        ("clientSoftwareVersion", 6),
        ("_tags", 6),
    ]
    for each in padded:
        five = each.after[:4] + bytes([each.after[4] & 0x7F])
        right = data[: each.offset] + five + data[each.offset + len(each.before) :]
        assert codec.decode(right) == codec.decode(data)
