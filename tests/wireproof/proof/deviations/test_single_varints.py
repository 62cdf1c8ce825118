"""Varints outside of messages: the model is the reference, and planted deviations come out."""

import random
from dataclasses import replace

import pytest

from kafkawire.primitives import VALUE, primitive_codec, primitive_layout
from tests.support.codecs.planted_deviations import (
    READ,
    WRITE,
    Asked,
    assert_all_predicted,
    operators,
    planted,
    searched,
)
from wireproof.model.adapter import Crashed, Decode, Encode, Reencode, Refused, Request
from wireproof.proof.deviations.deviation import Deviation
from wireproof.proof.deviations.matching import matches
from wireproof.proof.deviations.prediction import CodecExchange, Model, right_reply

NAMES = ("UnsignedVarint", "Varint", "Varlong")
VALUES = (0, 1, 5, 127, 128, 300, 16_383, 16_384, (1 << 31) - 1, -1, -64, -65, -(1 << 31), 1 << 40, 1 << 70)
BYTES = (0, 1, 2, 127, 128, 129, 255)


def asked(name: str) -> Asked:
    """Return requests about a varint: right bytes, cut and longer ones, and any others."""
    random_bytes = random.Random(name)
    layout, codec = primitive_layout(name), primitive_codec(name)
    values = [value for value in VALUES if value >= 0 or name != "UnsignedVarint"]
    bits = {"Varint": 31, "Varlong": 63}.get(name, 32)
    right = [codec.encode({VALUE: value}) for value in values if -(1 << bits) <= value < 1 << bits]
    data = [each[:end] for each in right for end in range(len(each) + 1)]
    data += [bytes(random_bytes.choices(BYTES, k=size)) for size in range(12) for _ in range(40)]
    longest = 10 if name == "Varlong" else 5
    data += [b"\x85" * (size - 1) + bytes([last]) for size in (longest, longest + 1) for last in range(128)]
    requests: list[Request] = [Encode({VALUE: value}) for value in VALUES]
    requests += [kind(each) for kind in (Decode, Reencode) for each in data]
    exchanges = [CodecExchange(layout, None, each, Refused("", "")) for each in requests]
    return [(each, right_reply(each)) for each in exchanges]


@pytest.mark.parametrize("name", NAMES)
def test_without_a_deviation_the_model_is_the_reference(name: str) -> None:
    """Numbers and bytes of all lengths, right and wrong ones."""
    replies = asked(name)
    assert {type(right) is Refused for _, right in replies} == {False, True}
    for each, right in replies:
        assert matches(Model().predict(each).reply, right), each.request


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("trigger", "action", "error"),
    [
        ("end", "zero", ""),
        ("end", "crash", "struct.error"),
        ("varint-long", "drop", ""),
        ("varint-bits", "keep", ""),
    ],
)
def test_a_planted_deviation_of_a_reader_comes_out(name: str, trigger: str, action: str, error: str) -> None:
    """A codec reads on after the end, or numbers of more bytes or bits."""
    deviation = Deviation(READ, trigger, action, error)
    found, differing = searched(planted(deviation), asked(name))
    assert operators(found.found) == operators([deviation])
    assert_all_predicted(found, differing)


def test_a_number_beyond_the_type_is_a_crash() -> None:
    """The adapter cannot make a value of it; a message's number would be no value of its field."""
    layout = primitive_layout("Varlong")
    exchange = CodecExchange(layout, None, Decode(bytes.fromhex("80808080808080808002")), Refused("", ""))
    reply = Model([Deviation(READ, "varint-bits", "keep")]).predict(exchange).reply
    assert isinstance(reply, Crashed)
    assert reply.error == "out-of-range"


def test_a_planted_deviation_of_a_writer_comes_out() -> None:
    """Its values have the same changes as those of fields."""
    deviation = Deviation(WRITE, "negative", "zero")
    found, differing = searched(planted(deviation), asked("Varint"))
    assert operators(found.found) == operators([deviation])
    assert_all_predicted(found, differing)
    exchange = replace(differing[0], request=Encode({VALUE: -5}))
    assert Model([deviation]).predict(exchange).reply == right_reply(replace(exchange, request=Encode({})))
