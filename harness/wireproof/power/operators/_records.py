"""Record batches, legacy sets, and control records."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, Final

from wireproof.power.mutants.codec_operator import Deviation, WrongRecords, only
from wireproof.power.mutants.sites import (
    Site,
    carries,
    is_fetch_of,
    is_message_with_records,
    is_set,
    is_set_of,
    knows_the_delete_horizon,
)

_NUMBERS = (
    "baseOffset",
    "partitionLeaderEpoch",
    "maxTimestamp",
    "producerId",
    "producerEpoch",
    "baseSequence",
)


def _is_number_of_a_batch(site: Site) -> bool:
    return is_set(site) and site.struct_path == "batches[]" and site.path.partition(".")[2] in _NUMBERS


def _is_batches(site: Site) -> bool:
    return is_set(site) and site.path == "batches" and site.cell.version == 2


def _is_delta(site: Site) -> bool:
    return is_set(site) and site.path in (
        "batches[].records[].timestampDelta",
        "batches[].records[].offsetDelta",
    )


def _is_empty(batch: Any) -> bool:
    return batch.get("magic") == 2 and not batch.get("records")


def _without_second_empty(value: list[Any]) -> list[Any]:
    return [
        *value[:1],
        *(after for before, after in pairwise(value) if not (_is_empty(before) and _is_empty(after))),
    ]


def _sequences_of_transactions(value: list[Any]) -> list[Any]:
    return [
        {**batch, "baseSequence": -1}
        if batch.get("transactional") and batch.get("baseSequence", -1) < -1
        else batch
        for batch in value
    ]


def _first_records(value: list[Any]) -> list[Any]:
    return [{**batch, "records": batch.get("records", [])[: 1 << 15]} for batch in value]


RECORDS: Final[Mapping[str, Deviation]] = {
    "batch-size-from-the-wrong-field": WrongRecords(carries(2)),
    "batch-number-not-written": WrongRecords(_is_number_of_a_batch, outward=lambda value: -1),
    "transactional-and-control-bits-swapped": WrongRecords(carries(2)),
    "checksum-of-another-polynomial": WrongRecords(is_set_of(2)),
    "checksum-of-another-polynomial-in-a-message": WrongRecords(is_message_with_records),
    "delete-horizon-a-bit-too-high": WrongRecords(knows_the_delete_horizon),
    "transaction-taken-for-control": WrongRecords(lambda site: is_fetch_of(site, 2)),
    "checksum-not-looked-at": WrongRecords(is_set_of(2)),
    "empty-batch-counts-one": WrongRecords(carries(2)),
    "size-of-half-an-offset-delta": WrongRecords(is_set_of(2)),
    "last-offset-delta-is-the-count": WrongRecords(carries(2)),
    "negative-delta-as-0": WrongRecords(_is_delta, outward=only(int, lambda value: max(value, 0))),
    "empty-batch-passed-over": WrongRecords(
        _is_batches, inward=only(list, lambda value: [each for each in value if not _is_empty(each)])
    ),
    "null-header-value-empty": WrongRecords(carries(2)),
    "cut-off-batch-forgotten": WrongRecords(carries(2)),
    "wrapper-offset-of-the-first": WrongRecords(carries(0, 1)),
    "legacy-null-as-empty": WrongRecords(carries(0, 1)),
    "set-loses-its-timestamp": WrongRecords(carries(1)),
    "second-empty-batch-passed-over": WrongRecords(_is_batches, inward=only(list, _without_second_empty)),
    "records-counted-in-15-bits": WrongRecords(_is_batches, inward=only(list, _first_records)),
    "negative-sequence-of-a-transaction": WrongRecords(
        _is_batches, inward=only(list, _sequences_of_transactions)
    ),
    "checksum-of-31-bits": WrongRecords(is_set_of(2)),
}


COMPRESSION: Final[Mapping[str, Deviation]] = {
    "snappy-blocks-little-endian": WrongRecords(carries(0, 1, 2)),
    "snappy-header-once": WrongRecords(is_set_of(0, 1, 2)),
    "xerial-header-of-another-version": WrongRecords(is_set_of(0, 1, 2)),
    "lz4-checksum-right-in-magic-0": WrongRecords(is_set_of(0)),
    "lz4-blocks-linked": WrongRecords(carries(0, 1, 2)),
    "one-zstd-frame": WrongRecords(is_set_of(2)),
    "one-gzip-member": WrongRecords(is_set_of(0, 1, 2)),
    "zlib-for-gzip": WrongRecords(carries(0, 1, 2)),
}
