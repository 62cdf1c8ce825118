"""Hostile changes of record sets, with a right checksum where one is possible."""

import pytest

from kafkawire.errors import DecodeError, Fault
from kafkawire.records import decode_records, encode_records
from wireproof.model.case_source import RecordCase
from wireproof.model.malformed_input import Mutation
from wireproof.proof.strategies.malformed.mutation_slice import Slice
from wireproof.proof.strategies.malformed.record_mutations import RECORD_BASES, record_mutations
from wireproof.proof.strategies.records.record_cases import record_cases

BASES = {case.name: case for case in record_cases() if case.name in RECORD_BASES}
COMPRESSED = sorted(name for name in BASES if {"gzip", "snappy", "lz4", "zstd"} & set(name.split("/")))


def of(case: RecordCase, prefix: str) -> list[Mutation]:
    return [each for each in record_mutations(case) if each.operator.startswith(prefix)]


def fault(case: RecordCase, mutation: Mutation) -> Fault:
    try:
        decode_records(mutation.apply(encode_records(case.records)), strict=True)
    except DecodeError as error:
        return error.fault  # `pytest.raises` would keep the frames, which hold what a bomb became
    pytest.fail(f"{mutation.operator} of {case.name} is read")


def test_each_magic_and_compression_is_among_the_bases():
    """There are ten compressed sets: magic 2 has four compressions, the old ones three each."""
    assert len(COMPRESSED) == 10


@pytest.mark.parametrize("name", COMPRESSED)
def test_a_bomb_reaches_the_decompression(name: str):
    """Lengths and checksum around it are right: it is refused for its content, or for the declared length."""
    (bomb,) = of(BASES[name], "stream-bomb")
    declared_only = "snappy" in name
    assert fault(BASES[name], bomb) is (Fault.COMPRESSION if declared_only else Fault.BOMB)


@pytest.mark.parametrize("name", COMPRESSED)
def test_a_sealed_stream_is_refused_for_the_stream(name: str):
    """A stream without its last byte, with right lengths and checksum around it, looks valid from outside."""
    cuts = [each for each in of(BASES[name], "stream-cut") if each.operator.endswith("sealed")]
    assert cuts
    assert {fault(BASES[name], each) for each in cuts} <= {Fault.COMPRESSION, Fault.TRUNCATED, Fault.COUNT}


@pytest.mark.parametrize("name", ["v2/none/nulls", "v1/none/timestamps", "v0/none/timestamps"])
def test_a_checksum_is_wrong_in_each_of_its_bits(name: str):
    """Each of the 32 changes differs from the right checksum in one other bit, and the slice has them all."""
    taken = record_mutations(BASES[name], Slice())
    bits = [
        int.from_bytes(m.before) ^ int.from_bytes(m.after)
        for m in taken
        if m.operator != "crc=0" and m.operator.startswith("crc-") and m.offset < 21
    ]
    assert sorted(bits) == [1 << bit for bit in range(32)]


@pytest.mark.parametrize("name", COMPRESSED)
def test_the_slice_cuts_a_stream_at_each_byte_of_its_end(name: str):
    """The slice has a sealed cut before each of the last twelve bytes of the compressed data."""
    cuts = [m for m in record_mutations(BASES[name], Slice()) if m.operator.startswith("stream-cut")]
    short = {len(m.before) - len(m.after) for m in cuts if m.operator.endswith("sealed")}
    assert {*range(1, 13)} <= short
