"""Messages that travel as bytes inside other data: which framing each has, and how Kafka frames it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, Protocol, TypeAlias

from kafkawire.embedded.control_record import CONTROL_BODY_VERSION, CONTROL_MESSAGES
from kafkawire.embedded.hand_written import CONNECT_MESSAGES, STICKY_USER_DATA
from kafkawire.embedded.label import Label
from kafkawire.schema.layout import MessageLayout
from kafkawire.schema.model import MessageKind
from wireproof.model.adapter import Crashed, Refused, Sized, Unsupported
from wireproof.model.cell import Cell
from wireproof.model.kafka.releases import ReleaseFeature


class Framing(StrEnum):
    """The framing of an embedded message. The names are those of the Java side (`BlobForms`)."""

    SUBSCRIPTION = "subscription"
    """Version and body; newer versions are read as the newest."""
    ASSIGNMENT = "assignment"
    """As a subscription."""
    PRINCIPAL = "principal"
    """Version and body."""
    COORDINATOR_KEY = "coordinator-key"
    """Record type and body; up to 3.9 the version is the type."""
    COORDINATOR_VALUE = "coordinator-value"
    """Version and body; the record's key says which message it is."""
    METADATA_RECORD = "metadata-record"
    """Frame version, type and version as varints, and body."""
    REMOTE_LOG_METADATA = "remote-log-metadata"
    """As a metadata record."""
    CONTROL_RECORD = "control-record"
    """The type in the record's key, the body alone in its value: snapshot headers and footers among them."""
    TRANSACTION_MARKER = "transaction-marker"
    """Version and body, in a control record of type COMMIT."""
    CONTROL_TYPE = "control-type"
    """Version and body: the key of a control record."""
    STICKY = "sticky"
    """The body alone."""
    CONNECT_METADATA = "connect-metadata"
    """Version and body; newer versions are read as the newest."""
    CONNECT_ASSIGNMENT = "connect-assignment"
    """As the metadata."""


@dataclass(frozen=True, slots=True)
class EmbeddedBlob:
    """Bytes that carry a message.

    Attributes:
        key: the key of the record that has the data as its value, if the key names the message; else None.
    """

    data: bytes
    key: bytes | None = None

    def __len__(self) -> int:
        return len(self.data) + len(self.key or b"")


@dataclass(frozen=True, slots=True)
class OracleBlob:
    """The answer of the oracle for a blob, or for a value.

    Attributes:
        blob: the blob that it writes; its key is None where the oracle writes none.
        value: the canonical binary of the message it holds.
    """

    blob: EmbeddedBlob
    value: bytes


@dataclass(frozen=True, slots=True)
class LabelFamily:
    """The messages that one framing may hold. A codec has to know them to read any blob of the framing.

    Attributes:
        release: the release of the messages.
        name: a name that is unique in the release.
        layouts: the layout of each message, by its label.
    """

    release: str
    name: str
    framing: Framing
    layouts: Mapping[Label, MessageLayout] = field(hash=False)


@dataclass(frozen=True, slots=True)
class EncodedBlob:
    blob: EmbeddedBlob


@dataclass(frozen=True, slots=True)
class DecodedBlob:
    """
    Attributes:
        left_bytes: the number of bytes of the data that were not read.
    """

    label: Label
    value: dict[str, Any]
    left_bytes: int = 0


@dataclass(frozen=True, slots=True)
class ReencodedBlob:
    """A blob that was read and written again, by a codec whose values have no other representation.

    Attributes:
        left_bytes: the number of bytes of the given data that were not read.
    """

    blob: EmbeddedBlob
    left_bytes: int = 0


BlobReply: TypeAlias = EncodedBlob | DecodedBlob | ReencodedBlob | Sized | Refused | Crashed | Unsupported


class BlobAdapter(Protocol):
    """A codec of blobs under test. Never raises for what the codec does."""

    @property
    def name(self) -> str: ...

    def encode(self, family: LabelFamily, label: Label, values: Sequence[dict[str, Any]]) -> list[BlobReply]:
        """The blob of each value."""

    def size(self, family: LabelFamily, label: Label, values: Sequence[dict[str, Any]]) -> list[BlobReply]:
        """The length of each value's data, without encoding."""

    def decode(self, family: LabelFamily, label: Label, blobs: Sequence[EmbeddedBlob]) -> list[BlobReply]:
        """The label and the value in each blob.

        Args:
            label: the label of the blobs, before any mutation. It selects the codec's claims; the codec
                itself does not get it.
        """

    def labels(self, family: LabelFamily) -> list[Label]:
        """Labels that the codec knows and the family lacks, because the release does not have them yet."""


_BY_NAME: Final = {
    "ConsumerProtocolSubscription": Framing.SUBSCRIPTION,
    "ConsumerProtocolAssignment": Framing.ASSIGNMENT,
    "DefaultPrincipalData": Framing.PRINCIPAL,
    "EndTxnMarker": Framing.TRANSACTION_MARKER,
    "ControlRecordTypeSchema": Framing.CONTROL_TYPE,
    STICKY_USER_DATA: Framing.STICKY,
    CONNECT_MESSAGES[0]: Framing.CONNECT_METADATA,
    CONNECT_MESSAGES[1]: Framing.CONNECT_ASSIGNMENT,
}

_COORDINATORS: Final = ("core", "group-coordinator", "transaction-coordinator", "share-coordinator")


def framing_of(cell: Cell, layout: MessageLayout) -> Framing | None:
    """The framing of a cell; None if it has no special framing.

    Requests, responses and headers travel in frames. The producer state snapshot and the quorum state are
    files. The subscription of Kafka Streams has no framing: its first field is its version.
    """
    if layout.name in CONTROL_MESSAGES:
        return Framing.CONTROL_RECORD if layout.version == CONTROL_BODY_VERSION else None
    if cell.module in _COORDINATORS:
        return Framing.COORDINATOR_KEY if layout.name.endswith("Key") else Framing.COORDINATOR_VALUE
    if layout.kind is MessageKind.METADATA:
        return Framing.REMOTE_LOG_METADATA if cell.module == "storage" else Framing.METADATA_RECORD
    return _BY_NAME.get(layout.name)


def kafka_forms(framing: Framing, cell: Cell) -> tuple[str, ...]:
    """The ways in which the release itself reads and writes the framing, by the names of the Java side.

    `VERSION_PREFIX` is `MessageUtil` with the generated class as the reader. It serves for coordinators whose
    own reader is Scala, or is missing in the release. The forms of `UNLABELLED` ignore the label.
    """
    match framing:
        case Framing.SUBSCRIPTION | Framing.ASSIGNMENT:
            return (framing, f"{framing}-message") if _returns_messages(cell) else (framing,)
        case Framing.COORDINATOR_KEY | Framing.COORDINATOR_VALUE:
            return (framing,) if _has_serde(cell) else (VERSION_PREFIX,)
        case Framing.STICKY:
            return STICKY_SCHEMA, framing
        case Framing.CONNECT_METADATA | Framing.CONNECT_ASSIGNMENT:
            return CONNECT_SCHEMA, framing
        case _:
            return (framing,)


def _returns_messages(cell: Cell) -> bool:
    return ReleaseFeature.CONSUMER_PROTOCOL_MESSAGES.is_in(cell.release)


def _has_serde(cell: Cell) -> bool:
    """Return whether the coordinator's serde knows the message. The serde of 3.9 lacks share groups."""
    if cell.message.startswith("ShareGroup") and not ReleaseFeature.SHARE_GROUP_SERDE.is_in(cell.release):
        return False
    serde = _SERDES.get(cell.module)
    return serde is not None and serde.is_in(cell.release)


def class_form(framing: Framing, cell: Cell) -> str | None:
    """Return the form of Kafka's class for a message whose schema is the reference; None for all others.

    The class holds less than the schema, and may write other bytes than the schema defines.
    """
    schema, *classes = kafka_forms(framing, cell)
    return classes[0] if schema in (STICKY_SCHEMA, CONNECT_SCHEMA) else None


VERSION_PREFIX: Final = "version-prefix"
STICKY_SCHEMA: Final = "sticky-schema"
CONNECT_SCHEMA: Final = "connect-schema"
UNLABELLED: Final = (VERSION_PREFIX, STICKY_SCHEMA, CONNECT_SCHEMA)

_SERDES: Final = {
    "group-coordinator": ReleaseFeature.GROUP_COORDINATOR_SERDE,
    "transaction-coordinator": ReleaseFeature.TRANSACTION_COORDINATOR_SERDE,
    "share-coordinator": ReleaseFeature.SHARE_COORDINATOR_SERDE,
}
"""The release feature that says whether a jar has a serde for the records of each coordinator."""
