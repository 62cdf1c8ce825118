"""Control records that hold a message (kafka-clients: `ControlRecordUtils`).

The type is in the record's key; the value is the body alone, at a version that Kafka has never changed.
"""

from collections.abc import Mapping
from typing import Final

from kafkawire.compiler import MessageCodec
from kafkawire.errors import DecodeError, EncodeError, Fault
from kafkawire.records.control import ControlType, control_key, control_type
from kafkawire.values import StructValue
from kafkawire.wire import Buffer, as_bytes

CONTROL_MESSAGES: Final[Mapping[str, ControlType]] = {
    "LeaderChangeMessage": ControlType.LEADER_CHANGE,
    "SnapshotHeaderRecord": ControlType.SNAPSHOT_HEADER,
    "SnapshotFooterRecord": ControlType.SNAPSHOT_FOOTER,
    "KRaftVersionRecord": ControlType.KRAFT_VERSION,
    "VotersRecord": ControlType.KRAFT_VOTERS,
}
"""Kafka's names of the messages, and the types of their records."""

PREVIEW_LEADER_CHANGE: Final = 3
"""The type of a `LeaderChangeMessage` in 2.8, where 2 is another type. Since 3.0, 3 is a snapshot header."""

CONTROL_BODY_VERSION: Final = 0
"""The version at which Kafka writes and reads all. A ``Version`` field inside does not affect the layout."""


class ControlRecordCodec:
    """Type and message to the key and the value of a control record, and back.

    Args:
        codecs: the codecs by type, each of `CONTROL_BODY_VERSION`.
    """

    __slots__ = ("_codecs",)

    def __init__(self, codecs: Mapping[int, MessageCodec]) -> None:
        self._codecs = codecs

    def encode(self, kind: int, value: StructValue) -> tuple[bytes, bytes]:
        """Key and value.

        Raises:
            EncodeError: LABEL for a type without a message; else as the message's codec.
        """
        codec = self._codecs.get(kind)
        if codec is None:
            raise EncodeError(Fault.LABEL, "", f"no control message of type {kind} is known")
        return control_key(kind), codec.encode(value)

    def decode(self, key: Buffer | None, value: Buffer) -> tuple[int, StructValue]:
        """The type and the message.

        Raises:
            DecodeError: LABEL for a type without a message; NULL, TRUNCATED or LENGTH for the key; offsets
                count from the start of the key, or of the value.
        """
        kind = control_type(None if key is None else as_bytes(key))
        codec = self._codecs.get(kind)
        if codec is None:
            raise DecodeError(Fault.LABEL, "key", f"no control message of type {kind} is known", 2)
        return int(kind), codec.decode(value)
