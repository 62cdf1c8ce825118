"""Laws of KIP-625's encodings: round trip, size, order, range; and both codecs agree on layouts with them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkawire.annotate import annotate
from kafkawire.compiler import interpret_layout
from kafkawire.compiler._interpreted_decode import holds_free_elements
from kafkawire.compiler.compiled import CompiledCodec
from kafkawire.errors import CodecError, DecodeError, EncodeError, Fault
from kafkawire.schema import IntegerEncoding
from kafkawire.wire import INTEGER_FORMS, size_uvarint, write_uvarint, write_varint, write_varlong
from tests.laws.test_codec_laws import LAW, completed, exact, outcome
from tests.support.schemas.random_encodings import encoded_layouts
from tests.support.schemas.random_layouts import mutated, spoiled, values

EVERY = pytest.mark.parametrize("encoding", IntegerEncoding)


def limits(encoding: IntegerEncoding) -> tuple[int, int]:
    return -(1 << (encoding.bits - 1)), (1 << (encoding.bits - 1)) - 1


def numbers(encoding: IntegerEncoding) -> st.SearchStrategy[int]:
    """Draw every number of the width, and often one near a power of two, where lengths change."""
    low, high = limits(encoding)
    near = st.builds(
        lambda bits, more, sign: max(low, min(high, sign * ((1 << bits) + more))),
        st.integers(0, encoding.bits),
        st.integers(-2, 2),
        st.sampled_from([1, -1]),
    )
    return st.one_of(near, st.integers(low, high))


@EVERY
@LAW
@given(st.data())
def test_every_number_survives(encoding: IntegerEncoding, data: st.DataObject) -> None:
    """A written number is read, to its last byte, also between other bytes; its size is known beforehand."""
    number, form = data.draw(numbers(encoding)), INTEGER_FORMS[encoding]
    written = form.write(number)
    assert form.read(b"\xff" + written + b"\xff", 1) == (number, 1 + len(written))
    assert form.size(number) == len(written)


@EVERY
@LAW
@given(st.data())
def test_the_size_follows_from_the_number(encoding: IntegerEncoding, data: st.DataObject) -> None:
    """Seven bits a byte: of the zig-zag number, or of the two's complement; fixed ones have their width."""
    number = data.draw(numbers(encoding))
    if encoding.is_fixed:
        expected = encoding.bits // 8
    elif encoding.startswith("packed"):
        expected = size_uvarint(2 * number if number >= 0 else -2 * number - 1)
    else:
        expected = size_uvarint(number if number >= 0 else number + (1 << encoding.bits))
    assert INTEGER_FORMS[encoding].size(number) == expected


@EVERY
@LAW
@given(st.data())
def test_a_larger_number_never_has_fewer_bytes(encoding: IntegerEncoding, data: st.DataObject) -> None:
    """Of two numbers of one sign the one further from zero is not shorter.

    A negative number as ``upacked`` has the top bit of its width set: it has the most bytes there are.
    """
    near, far = sorted(abs(data.draw(numbers(encoding))) for _ in range(2))
    size, (low, high) = INTEGER_FORMS[encoding].size, limits(encoding)
    assert size(min(near, high)) <= size(min(far, high))
    if encoding.startswith("upacked"):
        assert size(min(-1, max(-far, low))) == -(-encoding.bits // 7)
    else:
        assert size(-near) <= size(-far)


@EVERY
@pytest.mark.parametrize("beyond", [1, 2, 2**70])
def test_numbers_outside_the_width_are_refused(encoding: IntegerEncoding, beyond: int) -> None:
    """Both ends of the range are written, the next numbers are not."""
    (low, high), write = limits(encoding), INTEGER_FORMS[encoding].write
    assert INTEGER_FORMS[encoding].read(write(low), 0)[0] == low
    assert INTEGER_FORMS[encoding].read(write(high), 0)[0] == high
    for number in (low - beyond, high + beyond):
        with pytest.raises(EncodeError) as refused:
            write(number)
        assert refused.value.fault is Fault.RANGE


@EVERY
@LAW
@given(st.data())
def test_longer_forms_of_a_number(encoding: IntegerEncoding, data: st.DataObject) -> None:
    """Padded up to the longest form a varint is read; a byte more, or a bit above the width, is refused."""
    if encoding.is_fixed:
        return
    number, form = data.draw(numbers(encoding)), INTEGER_FORMS[encoding]
    most, written = -(-encoding.bits // 7), form.write(number)

    def padded(size: int) -> bytes:
        tail = bytes([written[-1] | 0x80]) + b"\x80" * (size - len(written) - 1) + b"\0"
        return written if size == len(written) else written[:-1] + tail

    for size in range(len(written), most + 1):
        assert form.read(padded(size), 0) == (number, size)
    whole = padded(most)
    high_bit = whole[:-1] + bytes([whole[-1] | 1 << (encoding.bits - 7 * (most - 1))])
    for wrong in (padded(most + 1), high_bit):
        with pytest.raises(DecodeError) as refused:
            form.read(wrong, 0)
        assert (refused.value.fault, refused.value.offset) == (Fault.VARINT, 0)
    for end in range(len(written)):
        with pytest.raises(DecodeError) as refused:
            form.read(written[:end], 0)
        assert refused.value.fault is Fault.TRUNCATED


@LAW
@given(st.data())
def test_the_bytes_are_those_of_kafkas_varints(data: st.DataObject) -> None:
    """Kafka has varints of these three kinds, and its classes confirm ours (the cells of primitives)."""
    number = data.draw(numbers(IntegerEncoding.PACKED32))
    assert INTEGER_FORMS["packed32"].write(number) == write_varint(number)
    assert INTEGER_FORMS["upacked32"].write(number) == write_uvarint(number % (1 << 32))
    number = data.draw(numbers(IntegerEncoding.PACKED64))
    assert INTEGER_FORMS["packed64"].write(number) == write_varlong(number)


@LAW
@given(st.data())
def test_both_codecs_agree_on_values(data: st.DataObject) -> None:
    """Same bytes, same size; the value comes back with its defaults; the spans cover all bytes."""
    layout = data.draw(encoded_layouts())
    value = data.draw(values(layout))
    compiled, interpreted = CompiledCodec(layout), interpret_layout(layout)
    encoded = interpreted.encode(value)
    assert compiled.encode(value) == encoded
    assert compiled.size(value) == interpreted.size(value) == len(encoded)
    expected = exact(completed(layout.root, value))
    if not holds_free_elements(layout.root):
        assert exact(compiled.decode(encoded)) == exact(interpreted.decode(encoded)) == expected
        named = annotate(layout, encoded)
        assert (named.end, named.stopped) == (len(encoded), None)


@LAW
@given(st.data())
def test_both_codecs_refuse_the_same_values(data: st.DataObject) -> None:
    """Same fault at the same place, for values with something wrong in them; numbers too wide among them."""
    layout = data.draw(encoded_layouts())
    value: Any = data.draw(spoiled(layout))
    compiled, interpreted = CompiledCodec(layout), interpret_layout(layout)
    assert outcome(compiled.encode, value) == outcome(interpreted.encode, value)
    for codec in (compiled, interpreted):
        try:
            assert codec.size(value) >= 0
        except CodecError as error:
            assert isinstance(error, EncodeError)  # noqa: PT017 - a size or this error, by contract


@LAW
@given(st.data())
def test_both_codecs_agree_on_bytes(data: st.DataObject) -> None:
    """Both read any bytes alike, or refuse them for the same fault, at the same place and byte."""
    layout = data.draw(encoded_layouts())
    encoded = interpret_layout(layout).encode(data.draw(values(layout)))
    wrong = data.draw(mutated(encoded))
    assert outcome(CompiledCodec(layout).decode, wrong) == outcome(interpret_layout(layout).decode, wrong)
