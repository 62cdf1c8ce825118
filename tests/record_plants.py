"""One-line bugs to plant in the codec of record sets; see `plants`."""

from plants import Plant

__all__ = ["RECORD_PLANTS"]

RECORDS = "kafkawire/records"

RECORD_PLANTS = (
    Plant(
        "an empty batch counts one record", f"{RECORDS}/encoding.py",
        "*others, len(batch.records))", "*others, len(batch.records) or 1)",
        "4.4.0/RecordBatch/2", "batches[0].count", ("bytes",),
    ),
    Plant(
        "the delete horizon one bit too high", f"{RECORDS}/encoding.py",
        '"deleteHorizon") << 6', '"deleteHorizon") << 7',
        "4.4.0/RecordBatch/2", "batches[0].attributes", ("bytes",),
    ),
    Plant(
        "the checksum of magic 2 is that of magic 1", f"{RECORDS}/encoding.py",
        "epoch, 2, crc32c()(rest)", "epoch, 2, crc32(rest)",
        "4.4.0/RecordBatch/2", "batches[0].crc", ("bytes",),
    ),
    Plant(
        "a transaction's batch taken for a control batch", f"{RECORDS}/decoding.py",
        "bool(attributes & 32)", "bool(attributes & 16)",
        "4.4.0/FetchResponse/12", "partitions[2].records/batches[0].control", ("decode",),
    ),
    Plant(
        "the checksum of a batch not looked at", f"{RECORDS}/decoding.py",
        "crc32c()(data[pos + 21 : end])) != crc:", "crc32c()(data[pos + 21 : end])) < 0:",
        "4.4.0/RecordBatch/2", "", ("checksum",),
    ),
    Plant(
        "a timestamp's delta read without its sign", f"{RECORDS}/_record_loop.py",
        "timestamp = first >> 1 ^ -(first & 1)", "timestamp = first >> 1",
        "4.4.0/RecordBatch/2", "records[1].timestampDelta", ("round-trip",),
    ),
    Plant(
        "the xerial header of another version", f"{RECORDS}/_snappy.py",
        'struct.pack(">ii", 1, 1)', 'struct.pack(">ii", 1, 0)',
        "4.4.0/RecordBatch/2", "batches[0].records", ("framing",),
    ),
    Plant(
        "log-append time does not override the producer's", f"{RECORDS}/model.py",
        "return self.max_timestamp if self.log_append_time else", "return",
        "4.4.0/RecordBatch/2", "batches[0].records[0].timestamp", ("oracle-reads",),
    ),
    Plant(
        "the size forgets the sign of an offset's delta", f"{RECORDS}/size.py",
        "+ size_varint(record.offset_delta)", "+ size_varint(record.offset_delta // 2)",
        "4.4.0/RecordBatch/2", "", ("size",),
    ),
)  # fmt: skip
