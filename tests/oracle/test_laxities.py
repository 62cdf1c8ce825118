"""Each laxity is true on the jars of its first and its last release, and gone where it was mended."""

import pytest

from kafka_classes import LINES, kafka
from kafkawire.canonical import canonical
from kafkawire.compiler import compile_layout
from kafkawire.errors import DecodeError
from wireproof.checks import LAXITIES, Laxity
from wireproof.checks.laxities import lax_reading_of
from wireproof.model import OracleValue, Refusal
from wireproof.strategies.source import LayoutSource

OURS = {"padded-varint", "bool-above-1"}
"""Where our own codec is as lax as Kafka."""


def ends(laxity: Laxity) -> tuple[str, str]:
    """The first and the last release of the table that have it."""
    having = sorted((line for line in LINES if laxity.holds(line)), key=number)
    return having[0], having[-1]


def number(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split("."))


@pytest.mark.parametrize("laxity", LAXITIES, ids=lambda laxity: laxity.id)
def test_kafka_lets_it_pass(laxity: Laxity) -> None:
    """Kafka reads the witness to the value that lax reading gives, by this laxity alone; we refuse it."""
    first, last = ends(laxity)
    for release, witness in ((first, laxity.first_witness or laxity.witness), (last, laxity.witness)):
        body = bytes.fromhex(witness.body)
        cell, layout = kafka(release).cell(witness.message, witness.version)
        (reply,) = kafka(release).oracle.read(cell, layout, [body])
        assert isinstance(reply, OracleValue), (release, reply)
        reading = lax_reading_of(release, layout, None, body)
        assert reading is not None
        assert reading.slips == {laxity.id}
        assert (reading.value, reading.consumed_bytes) == (reply.value, reply.consumed_bytes)
        codec = compile_layout(layout)
        if laxity.id in OURS:
            assert canonical(layout).to_binary(codec.decode(body)) == reply.value
        else:
            with pytest.raises(DecodeError):
                codec.decode(body)


@pytest.mark.parametrize("laxity", [each for each in LAXITIES if each.ended], ids=lambda laxity: laxity.id)
def test_it_ended(laxity: Laxity) -> None:
    """The releases that mended it refuse the witness, and so does lax reading for them."""
    witness, body = laxity.witness, bytes.fromhex(laxity.witness.body)
    for release in laxity.ended:
        cell, layout = kafka(release).cell(witness.message, witness.version)
        (reply,) = kafka(release).oracle.read(cell, layout, [body])
        assert isinstance(reply, Refusal), release
        assert not laxity.holds(release)
        assert lax_reading_of(release, layout, None, body) is None


def test_a_laxity_begins_with_the_oldest_release_that_can_have_it() -> None:
    """Those that begin later are of something that came later: nullable structs, with 3.5."""
    late = {laxity.id: laxity.first for laxity in LAXITIES if laxity.first != LINES[-1]}
    assert late == {"marker-by-sign": "3.5.2"}


@pytest.mark.parametrize("release", ["4.4.0", "4.3.1", "2.8.2"])
@pytest.mark.parametrize(
    ("message", "version"),
    [("FetchRequest", 12), ("ApiVersionsResponse", 3), ("MetadataRequest", 4), ("JoinGroupRequest", 5)],
)
def test_lax_reading_is_kafkas(release: str, message: str, version: int) -> None:
    """Over every mutant of the cell: Kafka refuses, or reads so many bytes to the same value."""
    cell, layout = kafka(release).cell(message, version)
    source, oracle = LayoutSource(lambda cell: ""), kafka(release).oracle
    tried = 0
    for case in source.mutation_bases(cell, layout):
        (base,) = oracle.write(cell, layout, [canonical(layout).to_binary(case.value)])
        assert isinstance(base, OracleValue)
        mutants = [each.apply(base.written) for each in source.mutations(layout, base.written)]
        for mutant, reply in zip(mutants, oracle.read(cell, layout, mutants), strict=True):
            reading = lax_reading_of(release, layout, None, mutant)
            if isinstance(reply, Refusal):
                assert reading is None, (mutant.hex(), reply)
            else:
                assert reading is not None, mutant.hex()
                assert (reading.value, reading.consumed_bytes) == (reply.value, reply.consumed_bytes)
        tried += len(mutants)
    assert tried > 100
