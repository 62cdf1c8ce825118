"""Kinds of batches whose checksum is made wrong."""

from kafkawire.records import Compression, encode_records
from wireproof.proof.run.provers.record_set_prover import BatchKind, batch_kind
from wireproof.proof.strategies.records.record_cases import record_cases

SMALL_BYTES = 600


def small_kinds() -> set[BatchKind]:
    """Return the kinds that occur in a named set that is small enough for the script."""
    return {
        batch_kind(batch)
        for case in record_cases()
        if not case.foreign and len(encode_records(case.records)) <= SMALL_BYTES
        for batch in case.records.batches
    }


def test_each_magic_and_compression_has_a_small_set():
    """Magic 0 and 1 do not have zstd."""
    plain = {(kind.magic, kind.compression) for kind in small_kinds()}
    old = {(magic, codec) for magic in (0, 1) for codec in Compression if codec is not Compression.ZSTD}
    assert plain == old | {(2, codec) for codec in Compression}


def test_each_flag_of_a_batch_has_a_small_set_in_each_compression():
    """The flags mark control, transactional and idempotent batches, and batches with other timestamps."""
    kinds = {kind for kind in small_kinds() if kind.magic == 2}
    for flag in ("control", "transactional", "idempotent", "log_append_time", "delete_horizon"):
        assert {kind.compression for kind in kinds if getattr(kind, flag)} == set(Compression), flag
    assert any(kind.control and not kind.transactional for kind in kinds)
    assert any(kind.idempotent and not kind.transactional for kind in kinds)
