"""The tables of a job: what each holds, column by column. All Parquet, all in one folder.

Times are nanoseconds since 1970. A frame is known by file, connection, direction and offset: where its
size begins in the stream of its direction.
"""

from dataclasses import dataclass
from typing import Final

from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    DataType,
    IntegerType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
)

from wireproof.pipeline.runtime.kafka_classes import ANSWER

__all__ = [
    "ANSWERS",
    "CANDIDATES",
    "CHUNKS",
    "CHOSEN",
    "CLASSES",
    "CLIENTS",
    "COVERAGE",
    "DISAGREEMENTS",
    "DIVERGENCES",
    "ENTRIES",
    "FRAMES",
    "LOOKS",
    "PLACE",
    "PLACE_NAMES",
    "QUARANTINE",
    "SHOWN",
    "SIZES",
    "STAGES",
    "TABLES",
    "Table",
]


def _column(name: str, type_: DataType, comment: str, *, null: bool = False) -> StructField:
    return StructField(name, type_, null, {"comment": comment})


_TEXT, _INT, _LONG, _BYTES, _FLAG = StringType(), IntegerType(), LongType(), BinaryType(), BooleanType()


@dataclass(frozen=True, slots=True)
class Table:
    """One table.

    Attributes:
        name: of its folder.
        about: what a row is.
    """

    name: str
    about: str
    schema: StructType


PLACE: Final = (
    _column("file", _TEXT, "name of the segment file or packet capture"),
    _column("connection", _LONG, "number of the connection in the file, from 1"),
    _column("direction", _INT, "0 to the broker, 1 to the client"),
    _column("offset", _LONG, "first byte, in the stream of the direction"),
)
PLACE_NAMES: Final = tuple(each.name for each in PLACE)

_CELL: Final = (
    _column("release", _TEXT, "of the broker: whose schemas name the frame"),
    _column("module", _TEXT, "of the release that has the message"),
    _column("message", _TEXT, "Kafka's name of it"),
    _column("version", _INT, "of the message"),
)
_INNER: Final = _column("inner", _INT, "which message in the frame, from 1; 0 for the frame itself")
_PROVENANCE: Final = _column(
    "provenance", _TEXT, "captured, or broker-accepted: we made it, a broker took it"
)
_LISTENER: Final = _column("listener", _TEXT, "of the broker")
_CLIENT: Final = _column("client", _TEXT, "the client's software as it called itself; empty where it did not")
_TIME: Final = _column("time_ns", _LONG, "when the frame's exchange was whole")
_DATA: Final = _column("data", _BYTES, "the frame, its size included")
_SHOWN: Final = _column("shown", _BYTES, "the fingerprint: equal for frames of the cell that show the same")
_SIZE: Final = _column("size_bytes", _LONG, "of the frame, its size included")
_REASON: Final = _column("reason", _TEXT, "why it went no further; the same for the same cause")

CHUNKS: Final = Table(
    "chunks",
    "an entry of a segment file: bytes as they were forwarded, or what befell a connection",
    StructType(
        [
            _column("file", _TEXT, "name of the segment file or packet capture"),
            _column("position", _LONG, "of the entry in the file"),
            _column("release", _TEXT, "of the broker"),
            _LISTENER,
            _column("time_ns", _LONG, "when it was written"),
            _column("connection", _LONG, "from 1; 0 for what is about the file"),
            _column("kind", _INT, "EntryKind; -1 for a damaged part of the file"),
            _column("direction", _INT, "0 to the broker, 1 to the client"),
            _column("payload", _BYTES, "of the entry; of damage its words"),
        ]
    ),
)

FRAMES: Final = Table(
    "frames",
    "a frame with its name; or, with a reason, bytes that are none",
    StructType(
        [
            *PLACE,
            _LISTENER,
            _column("release", _TEXT, "of the broker"),
            _column("module", _TEXT, "of the release that has the message", null=True),
            _column("message", _TEXT, "Kafka's name of it", null=True),
            _column("version", _INT, "of the message", null=True),
            _column("header_version", _INT, "of the header before it", null=True),
            _column("api_key", _INT, "of the request that it is or answers", null=True),
            _column("request_version", _INT, "of that request", null=True),
            _column("correlation_id", _INT, "of the exchange", null=True),
            _column("partner", _LONG, "offset of the other frame of the exchange", null=True),
            _column("ours", _FLAG, "whether its client is wireproof's own sweep"),
            _CLIENT,
            _TIME,
            _SIZE,
            _column("data", _BYTES, "the frame, its size included; of other bytes nothing", null=True),
            _column("reason", _TEXT, "why these bytes are no named frame", null=True),
        ]
    ),
)

_RANGE: Final = StructType(
    [
        StructField("apiKey", _INT, False),
        StructField("minVersion", _INT, False),
        StructField("maxVersion", _INT, False),
    ]
)

LOOKS: Final = Table(
    "looks",
    "a named frame as our codec and Kafka's classes read it",
    StructType(
        [
            *PLACE,
            *_CELL,
            _LISTENER,
            _PROVENANCE,
            _CLIENT,
            _TIME,
            _SIZE,
            _column("api_key", _INT, "of the request that it is or answers"),
            _column("fault", _TEXT, "why our codec's reading is not to be trusted", null=True),
            _column("frame_sha256", _BYTES, "of the frame"),
            _column("value_sha256", _BYTES, "of the canonical binary of header and body", null=True),
            _column("shown", _BYTES, "the fingerprint", null=True),
            _column("telling", _FLAG, "an answer that is neither an error nor empty"),
            _column(
                "errors", ArrayType(_TEXT, False), "PATH/CODE of each error code of an answer", null=True
            ),
            _column("holds", _FLAG, "whether messages may stand in it that are worth entries"),
            _column("advertised", ArrayType(_RANGE, False), "the APIs of an ApiVersions response", null=True),
            _column("kafka", ANSWER, "what Kafka's classes made of the same bytes"),
            _column("verdict", _TEXT, "agree, or how the two differ"),
        ]
    ),
)

DIVERGENCES: Final = Table(
    "divergences",
    "a frame that Kafka's classes and our codec read or write otherwise, or whose bytes neither gives back",
    StructType(
        [
            *PLACE,
            *_CELL,
            _CLIENT,
            _column("verdict", _TEXT, "how the two differ"),
            _column("path", _TEXT, "the field where they first do; empty where none can be named"),
            _column("summary", _TEXT, "in one sentence"),
            _DATA,
        ]
    ),
)

SHOWN: Final = Table(
    "shown",
    "frames of a cell that show the same, and the one that stands for all",
    StructType(
        [
            *_CELL,
            _PROVENANCE,
            _SHOWN,
            _column("frames", _LONG, "how many show it"),
            _column("bytes", _LONG, "of all of them"),
            *PLACE,
        ]
    ),
)

CANDIDATES: Final = Table(
    "candidates",
    "a message that was redacted; with a reason, one that could not be",
    StructType(
        [
            *PLACE,
            _INNER,
            *_CELL,
            _PROVENANCE,
            _LISTENER,
            _CLIENT,
            _TIME,
            _column("header_version", _INT, "of the header; of a message out of a log null", null=True),
            _column("data", _BYTES, "size, header and body; of a message out of a log the body", null=True),
            _column("head_bytes", _INT, "how many bytes stand before the body", null=True),
            _column(
                "replaced", MapType(_TEXT, _INT, False), "values that were, by path of their field", null=True
            ),
            _column("shown", _BYTES, "the fingerprint after redaction", null=True),
            _column("reason", _TEXT, "why it could not be redacted", null=True),
        ]
    ),
)

CHOSEN: Final = Table(
    "chosen",
    "what stands in the corpus, by place",
    StructType(
        [
            *_CELL,
            _PROVENANCE,
            *PLACE,
            _INNER,
            _column("name", _TEXT, "of the entry: the first thing that it adds"),
            _column("number", _INT, "its place among the entries of its cell and provenance"),
        ]
    ),
)

ENTRIES: Final = Table(
    "entries",
    "an entry of the corpus, with its bytes",
    StructType(
        [
            *CHOSEN.schema.fields,
            _LISTENER,
            _CLIENT,
            _TIME,
            _column("data", _BYTES, "size, header and body; of a message out of a log the body"),
            _column("head_bytes", _INT, "how many bytes stand before the body"),
            _column("replaced", MapType(_TEXT, _INT, False), "values that were, by path of their field"),
        ]
    ),
)

QUARANTINE: Final = Table(
    "quarantine",
    "what went no further, and why",
    StructType(
        [
            _column("stage", _TEXT, "chunks, frames, looks or candidates: where it was held up"),
            *PLACE,
            _column("release", _TEXT, "of the broker"),
            _column("message", _TEXT, "where it has a name", null=True),
            _column("version", _INT, "of the message", null=True),
            _REASON,
            _SIZE,
            _column("data", _BYTES, "its first 4 KiB", null=True),
        ]
    ),
)

COVERAGE: Final = Table(
    "coverage",
    "a message at a version that a release has, met or not; of one met in two provenances two rows",
    StructType(
        [
            *_CELL,
            _column("kind", _TEXT, "request, response, or of messages that stand in others' frames"),
            _column("provenance", _TEXT, "captured or broker-accepted; null where none was met", null=True),
            _column("frames", _LONG, "of it; of messages that stand in others' frames, of those"),
            _column("bytes", _LONG, "of all of them; of messages inside others after redaction"),
            _column("fingerprints", _LONG, "how many of them show different things"),
            _column("classes_met", _INT, "value classes that frames below --largest met and agree upon"),
            _column("classes", _INT, "value classes that frames can meet, of body and header"),
            _column("entries", _LONG, "of the corpus"),
        ]
    ),
)

CLASSES: Final = Table(
    "classes",
    "a class of values of a field, of a cell that was met",
    StructType(
        [
            *_CELL,
            _PROVENANCE,
            _column("field", _TEXT, "its path; those of the header begin with header."),
            _column("class", _TEXT, "such as null, length-0 or max"),
            _column("reachable", _FLAG, "whether it can be met; where not, and it was, our reason is wrong"),
            _column("frames", _LONG, "that met it; 0: none yet"),
        ]
    ),
)

CLIENTS: Final = Table(
    "clients",
    "a client's requests of one API and version at one listener, and the answers to them",
    StructType(
        [
            _CLIENT,
            _LISTENER,
            _column("release", _TEXT, "of the broker"),
            _column("api", _TEXT, "the message's name without Request or Response"),
            _column("version", _INT, "of request and answer; ApiVersions of one the broker lacks: 0"),
            _column("requests", _LONG, "frames"),
            _column("request_bytes", _LONG, "of them"),
            _column("answers", _LONG, "frames"),
            _column("answer_bytes", _LONG, "of them"),
            _column("error_answers", _LONG, "answers with an error code other than 0"),
            _column("errors", ArrayType(_TEXT, False), "these codes, PATH/CODE, each once"),
        ]
    ),
)

_SAVING: Final = "; null where KIP-625 does not speak of the type, which it does of int16, int32 and int64"

SIZES: Final = Table(
    "sizes",
    "what a field takes on the wire; all rows of a message and version together are the bytes of its frames",
    StructType(
        [
            *_CELL,
            _column(
                "part", _TEXT, "size (the 4 bytes before a frame), header, body, or unread: whole frames"
            ),
            _column(
                "field",
                _TEXT,
                "its path, as in classes; of a tag section _tags; empty for size and unread",
            ),
            _column("type", _TEXT, "Kafka's; null for tag sections and unread frames", null=True),
            _column("frames", _LONG, "of the cell"),
            _column(
                "values", _LONG, "of the field in them, nulls too; of an array elements; of unread frames"
            ),
            _column(
                "bytes", _LONG, "with lengths and counts; without the fields inside, which have their own"
            ),
            _column("fixed_bytes", _LONG, f"of the numbers alone{_SAVING}", null=True),
            _column(
                "unsigned_bytes", _LONG, "the same as upacked: two's complement, 7 bits a byte", null=True
            ),
            _column("signed_bytes", _LONG, "the same as packed: zig-zag, 7 bits a byte", null=True),
            _column(
                "encoding", _TEXT, "the shortest of the three, by KIP-625's name, as upacked32", null=True
            ),
            _column("saved_bytes", _LONG, "by it on this traffic; 0 where fixed is shortest", null=True),
        ]
    ),
)

DISAGREEMENTS: Final = Table(
    "disagreements",
    "divergences of one cause",
    StructType(
        [
            _column("release", _TEXT, "of the broker"),
            _column("message", _TEXT, "Kafka's name of it"),
            _column("verdict", _TEXT, "how Kafka's classes and our codec differ"),
            _column("path", _TEXT, "the field where they first do; empty where none can be named"),
            _column("frames", _LONG, "on which they differ so"),
            _column("versions", ArrayType(_INT, False), "of the message, each once"),
            _column("clients", ArrayType(_TEXT, False), "whose frames these are, each once"),
            _column("example", _TEXT, "one of them in a sentence"),
        ]
    ),
)

STAGES: Final = (
    CHUNKS,
    FRAMES,
    LOOKS,
    DIVERGENCES,
    SHOWN,
    CANDIDATES,
    CHOSEN,
    ENTRIES,
    QUARANTINE,
)
"""From the segments to the corpus, in the order in which they are made."""

ANSWERS: Final = (COVERAGE, CLASSES, CLIENTS, SIZES, DISAGREEMENTS)
"""What people ask of them."""

TABLES: Final = (*STAGES, *ANSWERS)
