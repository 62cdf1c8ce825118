"""Control records: the key and the value of a record of a control batch.

The key is a version (int16) and a type (int16). The value of ABORT and COMMIT is a version and the
coordinator's epoch. The values of the other types are messages with a Kafka schema (``LeaderChangeMessage``,
``SnapshotHeaderRecord``, ``SnapshotFooterRecord``, ``KRaftVersionRecord``, ``VotersRecord``).
"""

import struct
from enum import IntEnum
from typing import Final, NamedTuple

from kafkawire.errors import DecodeError, Fault
from kafkawire.records._value_checks import number

_KEY: Final = struct.Struct(">hh")
_MARKER: Final = struct.Struct(">hi")


class ControlType(IntEnum):
    """The types of control records, as Kafka's `ControlRecordType` numbers them."""

    ABORT = 0
    COMMIT = 1
    LEADER_CHANGE = 2
    SNAPSHOT_HEADER = 3
    SNAPSHOT_FOOTER = 4
    KRAFT_VERSION = 5
    KRAFT_VOTERS = 6


def control_type(key: bytes | None) -> ControlType | int:
    """Return the type in a control record's key; a plain number for an unknown type.

    Of a newer version of the key only the known beginning is read, as in Kafka.

    Raises:
        DecodeError: NULL, TRUNCATED; LENGTH for a negative version.
    """
    if key is None:
        raise DecodeError(Fault.NULL, "key", "a control record without a key", 0)
    if len(key) < _KEY.size:
        raise DecodeError(Fault.TRUNCATED, "key", f"{_KEY.size} bytes wanted, {len(key)} are left", 0)
    version, kind = _KEY.unpack_from(key)
    if version < 0:
        raise DecodeError(Fault.LENGTH, "key", f"version {version}", 0)
    return ControlType(kind) if kind in _KNOWN else int(kind)


_KNOWN: Final = frozenset(ControlType)


def control_key(kind: int, version: int = 0) -> bytes:
    """The key of a control record.

    Raises:
        EncodeError: RANGE, TYPE.
    """
    return _KEY.pack(number(version, 16, "version"), number(kind, 16, "type"))


class EndTransactionMarker(NamedTuple):
    """The value of an ABORT or COMMIT record."""

    coordinator_epoch: int
    version: int = 0

    def to_bytes(self) -> bytes:
        """Return the bytes of the record's value.

        Raises:
            EncodeError: RANGE, TYPE.
        """
        return _MARKER.pack(number(self.version, 16, "version"), number(self.coordinator_epoch, 32, "epoch"))

    @classmethod
    def from_bytes(cls, value: bytes | None) -> "EndTransactionMarker":
        """The marker in a value; further bytes of a newer version are skipped, as in Kafka.

        Raises:
            DecodeError: NULL, TRUNCATED; LENGTH for a negative version.
        """
        if value is None:
            raise DecodeError(Fault.NULL, "value", "a marker without a value", 0)
        if len(value) < _MARKER.size:
            raise DecodeError(
                Fault.TRUNCATED, "value", f"{_MARKER.size} bytes wanted, {len(value)} are left", 0
            )
        version, epoch = _MARKER.unpack_from(value)
        if version < 0:
            raise DecodeError(Fault.LENGTH, "value", f"version {version}", 0)
        return cls(epoch, version)
