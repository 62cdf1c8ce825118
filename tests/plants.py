"""One-line bugs to plant in the codec, the schema reader and `resolve`.

Each is a line of the project with one thing wrong, of a kind that real codecs have had. `old` must stand
in `file` exactly once: a plant that finds no ground any more fails, so that the list stays true.
"""

from dataclasses import dataclass

__all__ = ["PLANTS", "Plant"]


@dataclass(frozen=True)
class Plant:
    """A bug.

    Attributes:
        file: below the import packages, such as ``kafkawire/headers.py``.
        cell: the pattern of cells in which the run is to find it.
        field: what a divergence must point at: a field's path, or ``""`` for the message itself.
        checks: the checks of which one must have seen it; none where reading the schemas already fails,
            and `field` is then in what a person sees.
        phase: the phase to run where it is none of the default ones.
    """

    name: str
    file: str
    old: str
    new: str
    cell: str
    field: str
    checks: tuple[str, ...]
    phase: str = ""


WIRE = "kafkawire/wire"
COMPILER = "kafkawire/compiler"
SCHEMA = "kafkawire/schema"
CANONICAL = "kafkawire/canonical"
RECORDS = "kafkawire/records"

PLANTS = (
    # wire: what the interpreted twin stands on
    Plant(
        "compact string length off by one", f"{WIRE}/lengths.py",
        "write_uvarint(len(text) + 1) if compact", "write_uvarint(len(text)) if compact",
        "4.4.0/ApiVersionsRequest/3", "clientSoftwareName", ("bytes",),
    ),
    Plant(
        "null array written as empty", f"{WIRE}/lengths.py",
        "number = -1 if count is None else count", "number = 0 if count is None else count",
        "4.4.0/MetadataRequest/12", "topics", ("bytes",),
    ),
    Plant(
        "empty string read as null", f"{WIRE}/lengths.py",
        "    if length == -1:\n        return None, end", "    if length <= 0:\n        return None, end",
        "4.4.0/ApiVersionsRequest/3", "clientSoftwareName", ("round-trip",),
    ),
    Plant(
        "null accepted where it is not allowed", f"{WIRE}/lengths.py",
        "def _refuse_null(nullable: bool) -> None:\n    if not nullable:",
        "def _refuse_null(nullable: bool) -> None:\n    if False:",
        "4.4.0/ApiVersionsRequest/3", "clientSoftwareName", ("refusal",),
    ),
    Plant(
        "marker of a null struct is 0", f"{WIRE}/lengths.py",
        'return b"\\1" if present else b"\\xff"', 'return b"\\1" if present else b"\\0"',
        "4.4.0/DescribeTopicPartitionsRequest/0", "cursor", ("bytes",),
    ),
    Plant(
        "varint ends one value late", f"{WIRE}/varints.py",
        "    while value > 0x7F:", "    while value > 0x80:",
        "4.4.0/ApiVersionsRequest/3", "clientSoftwareName", ("bytes",),
    ),
    Plant(
        "size of a varint one bit off", f"{WIRE}/varints.py",
        "(max(value.bit_length(), 1) + 6) // 7", "(max(value.bit_length(), 1) + 5) // 7",
        "4.4.0/ApiVersionsRequest/3", "", ("size",),
    ),
    Plant(
        "uint16 taken for int16", f"{WIRE}/numbers.py",
        '"uint16": "H"', '"uint16": "h"',
        "4.4.0/BrokerRegistrationRequest/0", "listeners[0].port", ("encode", "canonical"),
    ),
    Plant(
        "unknown tags behind the known ones, unsorted", f"{WIRE}/tags.py",
        "for tag in sorted(fields):", "for tag in fields:",
        "4.4.0/FetchRequest/17", "_tags", ("bytes", "refusal", "round-trip"),
    ),
    Plant(
        "the size of a frame counts itself", f"{WIRE}/framing.py",
        "return write_int32(len(payload)) + payload", "return write_int32(len(payload) + 4) + payload",
        "4.4.0/ApiVersionsRequest/3", "", ("frame-bytes",),
    ),
    # compiler: both twins
    Plant(
        "a null tagged field is never left out", f"{COMPILER}/defaults.py",
        "if value is None or default is None:\n        return value is default",
        "if value is None or default is None:\n        return False",
        "4.4.0/FetchRequest/12", "_tags", ("bytes",),
    ),
    Plant(
        "a non-ignorable field is dropped", f"{COMPILER}/defaults.py",
        "if not field.ignorable and not is_default(field, value):", "if False:",
        "4.4.0/MetadataRequest/1", "allowAutoTopicCreation", ("absent",),
    ),
    Plant(
        "the compiled count of an array off by one", f"{COMPILER}/_print_decode.py",
        'line(f"{count} -= 1")', 'line(f"{count} -= 0")',
        "4.4.0/FetchRequest/12", "", ("round-trip",),
    ),
    Plant(
        "the tail of a message is not looked at", f"{COMPILER}/_print_decode.py",
        "if pos != end and (whole or pos > end):", "if pos > end:",
        "4.4.0/ApiVersionsRequest/3", "", ("tail",),
    ),
    Plant(
        "the compiled size forgets long prefixes", f"{COMPILER}/_print_size.py",
        'with self.text.block(f"if {length} > 126:"):', 'with self.text.block(f"if {length} > 127:"):',
        "4.4.0/ApiVersionsRequest/3", "", ("size",),
    ),
    Plant(
        "a nullable blob's prefix misses the 1", f"{COMPILER}/_print_encode.py",
        'return _Cell("B", f"{body.length} + 1"', 'return _Cell("B", f"{body.length} + 0"',
        "4.4.0/ApiVersionsRequest/3", "clientSoftwareName", ("bytes", "encode"),
    ),
    Plant(
        "the compiled default of a tagged array is null", f"{COMPILER}/_print_decode.py",
        '                return "[]"', '                return "None"',
        "4.4.0/ApiVersionsResponse/3", "supportedFeatures", ("round-trip",),
    ),
    # headers
    Plant(
        "the header version of the oldest range for all", f"{SCHEMA}/resolution.py",
        "for versions, header in spec.header_versions if version in versions)",
        "for versions, header in spec.header_versions if version >= versions.lowest)",
        "4.4.0/FetchRequest/12", "", ("header",),
    ),
    # resolve
    Plant(
        "the bound of nullable versions dropped", f"{SCHEMA}/resolution.py",
        "nullable=self.version in field.nullable_versions,", "nullable=not field.nullable_versions.empty,",
        "4.4.0/MetadataRequest/0", "topics", ("nullable", "schema"),
    ),
    Plant(
        "the upper bound of a field's versions dropped", f"{SCHEMA}/resolution.py",
        "if self.version not in versions:", "if self.version < versions.lowest:",
        "4.4.0/FetchRequest/15", "replicaId", ("schema", "presence"),
    ),
    Plant(
        "tagged fields in the wrong order", f"{SCHEMA}/resolution.py",
        "tagged.sort(key=lambda layout: layout.tag or 0)",
        "tagged.sort(key=lambda layout: layout.tag or 0, reverse=True)",
        "4.4.0/ApiVersionsResponse/3", "zkMigrationReady", ("schema",),
    ),
    Plant(
        "a field's own flexible versions not looked at", f"{SCHEMA}/resolution.py",
        "self.flexible_versions if own is None else own", "self.flexible_versions",
        "4.4.0/RequestHeader/2", "clientId", ("schema",),
    ),
    Plant(
        "ignorable forgotten for absent fields", f"{SCHEMA}/resolution.py",
        "            ignorable=field.ignorable,\n            tag=field.tag,",
        "            ignorable=True,\n            tag=field.tag,",
        "4.4.0/MetadataRequest/1", "allowAutoTopicCreation", ("presence",),
    ),
    # the schema reader
    Plant(
        "a default of -1 loses its sign", f"{SCHEMA}/defaults.py",
        "    return number\n", "    return abs(number)\n",
        "4.4.0/FetchRequest/12", "replicaId", ("default",),
    ),
    Plant(
        "the text null is the default of a string", f"{SCHEMA}/defaults.py",
        'return None if text == "null" else empty', "return empty",
        "4.4.0/ConsumerGroupHeartbeatRequest/0", "subscribedTopicNames", ("default",),
    ),
    Plant(
        "nullable versions not read", f"{SCHEMA}/_reader.py",
        'nullable = self._versions(node, path, "nullableVersions", VersionRange.NONE)',
        "nullable = VersionRange.NONE",
        "4.4.0/MetadataRequest/12", "are not nullable", (),
    ),
    Plant(
        "an open range ends early", f"{SCHEMA}/model.py",
        "return cls(_version(text[:-1]), MAX_VERSION)", "return cls(_version(text[:-1]), 10)",
        "4.4.0/FetchRequest/12", "flexibleVersions 0-10 end", (),
    ),
    # the canonical form, which judges the others
    Plant(
        "a null array is canonical as an empty one", f"{CANONICAL}/_printing.py",
        'line(f"{var}, {count} = (), -1")', 'line(f"{var}, {count} = (), 0")',
        "4.4.0/MetadataRequest/12", "topics", ("bytes", "oracle-reads"),
    ),
    # versions and releases
    Plant(
        "ignorable reversed", f"{SCHEMA}/resolution.py",
        "            ignorable=field.ignorable,\n            tag=field.tag,",
        "            ignorable=not field.ignorable,\n            tag=field.tag,",
        "4.4.0/MetadataRequest/1", "", ("absent",),
    ),
    Plant(
        "a struct that may not be ignored is dropped", f"{COMPILER}/defaults.py",
        "if not field.ignorable and not is_default(field, value):",
        "if not field.ignorable and field.struct is None and not is_default(field, value):",
        "4.4.0/FetchRequest/4", "forgottenTopicsData", ("absent",),
    ),
    Plant(
        "null is the default of any field", f"{COMPILER}/defaults.py",
        "        return value is default\n    if default is not EMPTY",
        "        return True\n    if default is not EMPTY",
        "4.4.0/CreateDelegationTokenRequest/1", "ownerPrincipalType", ("absent",),
    ),
    Plant(
        "an empty array of another version is refused", f"{COMPILER}/defaults.py",
        "        return type(value) is list and not value\n    return _is_default_struct",
        "        return not isinstance(field, AbsentField) and not value\n    return _is_default_struct",
        "4.4.0/FetchRequest/4", "forgottenTopicsData", ("absent",),
    ),
    Plant(
        "the innermost absent field decides, not the outermost", f"{SCHEMA}/absence.py",
        "return not self.chain[0].ignorable", "return not self.chain[-1].ignorable",
        "4.4.0/ApiVersionsResponse/0", "", ("absent",),
    ),
    Plant(
        "an unknown tag is lost in an older release", "wireproof/adapters/kafkawire.py",
        "return Decoded(codec.decode(data))",
        'return Decoded({k: v for k, v in codec.decode(data).items() if k[0] > "_" or cell.release > "4.4"})',
        "4.3.1/StreamsGroupMetadataValue/0", "", ("tags-kept",),
    ),
    Plant(
        "an unknown tag whose number takes two bytes is lost", f"{COMPILER}/_reading.py",
        "            value[TAGS] = unknown",
        "            value[TAGS] = {k: v for k, v in unknown.items() if k < 128}",
        "4.4.0/FetchRequest/17", "_tags", ("tags-kept",),
    ),
    Plant(
        "a tag of another version is kept as unknown", f"{COMPILER}/_reading.py",
        "        if tag in self._absent:\n            detail", "        if False:\n            detail",
        "4.4.0/FetchRequest/12", "", ("tag-version",),
    ),
    Plant(
        "the compiled twin keeps a tag of another version", f"{COMPILER}/_print_decode.py",
        "            if reserved:\n", "            if False and reserved:\n",
        "4.4.0/FetchRequest/12", "", ("tag-version",),
    ),
    Plant(
        "a version below the lowest has a layout", f"{SCHEMA}/resolution.py",
        "if version not in spec.valid_versions:", "if version > spec.valid_versions.highest:",
        "4.4.0/FetchRequest/4", "", ("versions",),
    ),
    Plant(
        "a version above the highest has a layout", f"{SCHEMA}/resolution.py",
        "if version not in spec.valid_versions:", "if version < spec.valid_versions.lowest:",
        "4.4.0/FetchRequest/18", "", ("versions",),
    ),
    # record batches
    Plant(
        "a batch's length counts from the wrong field", f"{RECORDS}/encoding.py",
        "_SIZE_AFTER: Final = 9", "_SIZE_AFTER: Final = 13",
        "4.4.0/RecordBatch/2", "", ("oracle-reads",),
    ),
    Plant(
        "log-append time in the bit of transactions", f"{RECORDS}/encoding.py",
        'flag(batch.log_append_time, "logAppendTime") << 3',
        'flag(batch.log_append_time, "logAppendTime") << 4',
        "4.4.0/RecordBatch/2", "attributes", ("bytes",),
    ),
    Plant(
        "a null header value written as empty", f"{RECORDS}/_record_writing.py",
        "out.append(_VARINTS[-1])", "out.append(_VARINTS[0])",
        "4.4.0/RecordBatch/2", "headers[0].value", ("bytes",),
    ),
    Plant(
        "the key of a control record has its halves swapped", f"{RECORDS}/control.py",
        "version, kind = _KEY.unpack_from(key)", "kind, version = _KEY.unpack_from(key)",
        "4.4.0/RecordBatch/2", "controlType", ("canonical", "oracle-reads"),
    ),
    Plant(
        "inner offsets of a set taken as absolute", f"{RECORDS}/model.py",
        "if self.magic == 0 or not self.messages:", "if True:",
        "4.4.0/RecordBatch/1", "Offset", ("oracle-reads",),
    ),
    Plant(
        "the LZ4 checksum of magic 0 is the right one", f"{RECORDS}/_lz4.py",
        "_header_checksum(frame[:end]) + frame[end + 1 :]",
        "_header_checksum(frame[4:end]) + frame[end + 1 :]",
        "4.4.0/RecordBatch/0", "batches[0].messages", ("framing",),
    ),
    Plant(
        "only the first zstd frame is read", f"{RECORDS}/_zstd.py",
        "while rest:", "if rest:",
        "4.4.0/RecordBatch/2", "", ("decode",),
    ),
    Plant(
        "a legacy set in a message loses its timestamp", f"{RECORDS}/decoding.py",
        "        wrapper.timestamp,\n", "        0,\n",
        "4.4.0/FetchResponse/12", "responses[0].partitions", ("decode",),
    ),
    Plant(
        "a batch cut off is forgotten", f"{RECORDS}/decoding.py",
        "return RecordSet(tuple(batches), held[pos:])", "return RecordSet(tuple(batches))",
        "4.4.0/RecordBatch/2", "tail", ("round-trip", "cut"),
    ),
    # malformed bytes
    Plant(
        "bytes that are no UTF-8 are passed over", f"{WIRE}/lengths.py",
        "return data[start:end].decode(), end", 'return data[start:end].decode(errors="ignore"), end',
        "4.4.0/ApiVersionsRequest/3", "clientSoftware", ("malformed",), "mutations",
    ),
    Plant(
        "null is read where it may not stand", f"{WIRE}/lengths.py",
        "def _check_null(nullable: bool, pos: int) -> None:\n    if not nullable:",
        "def _check_null(nullable: bool, pos: int) -> None:\n    if False:",
        "4.4.0/ApiVersionsRequest/3", "clientSoftware", ("malformed",), "mutations",
    ),
    Plant(
        "the marker 2 of a nullable struct is null", f"{WIRE}/lengths.py",
        "    if marker not in (1, -1):", "    if marker not in (1, -1, 2):",
        "4.4.0/DescribeTopicPartitionsRequest/0", "cursor", ("malformed",), "mutations",
    ),
    Plant(
        "a hostile count allocates", f"{WIRE}/lengths.py",
        "    if count > len(data) - start:\n", "    bytearray(count)\n    if count > len(data) - start:\n",
        "4.4.0/MetadataRequest/12", "topics", ("malformed",), "mutations",
    ),
    Plant(
        "a hostile count loops", f"{WIRE}/lengths.py",
        "    if count > len(data) - start:\n",
        "    while count > 1 << 30:\n        pass\n    if count > len(data) - start:\n",
        "4.4.0/MetadataRequest/12", "topics", ("malformed",), "mutations",
    ),
    Plant(
        "a tag of a wrong size kills the process", f"{COMPILER}/_reading.py",
        "            raise DecodeError(Fault.TAG_SIZE", '            __import__("os").abort()  # ',
        "4.4.0/ApiVersionsResponse/3", "", ("malformed",), "mutations",
    ),
    Plant(
        "the checksum of a batch is not looked at", f"{RECORDS}/decoding.py",
        "if (computed := crc32c()(data[pos + 21 : end])) != crc:", "if (computed := crc) != crc:",
        "4.4.0/RecordBatch/2", "", ("malformed",), "mutations",
    ),
)  # fmt: skip
