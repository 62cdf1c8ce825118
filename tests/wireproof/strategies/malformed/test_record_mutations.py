"""Hostile changes of record sets, with a right checksum where one is possible."""

import pytest

from kafkawire.errors import DecodeError, Fault
from kafkawire.records import decode_records, encode_records
from wireproof.model import Mutation, RecordCase
from wireproof.strategies import RECORD_BASES, record_cases, record_mutations

BASES = {case.name: case for case in record_cases() if case.name in RECORD_BASES}
COMPRESSED = sorted(name for name in BASES if {"gzip", "snappy", "lz4", "zstd"} & set(name.split("/")))


def of(case: RecordCase, prefix: str) -> list[Mutation]:
    return [each for each in record_mutations(case) if each.operator.startswith(prefix)]


def fault(case: RecordCase, mutation: Mutation) -> Fault:
    with pytest.raises(DecodeError) as caught:
        decode_records(mutation.apply(encode_records(case.records)), strict=True)
    return caught.value.fault


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
