"""The load of a whole partition of a coordinator's log: what a broker knows after a restart."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from wireproof.definitions.downgrade.load_rules import DowngradeOutcome
from wireproof.definitions.downgrade.record_loader import LoadedRecord, RecordLoader
from wireproof.traffic.wire.inner_messages import InternalLog

_STOPS: Final = (DowngradeOutcome.REFUSED, DowngradeOutcome.CRASHED)
_STATES: Final = (
    "Empty",
    "Ongoing",
    "PrepareCommit",
    "PrepareAbort",
    "CompleteCommit",
    "CompleteAbort",
    "Dead",
    "PrepareEpochFence",
)
"""Kafka's `TransactionState` by the byte in its records."""


@dataclass(slots=True)
class LoadedPartition:
    """The state after the load.

    Attributes:
        offsets: committed offsets by group, topic and partition.
        members: the number of members by group.
        transactions: the state by transactional id.
        skipped: the records that were ignored.
        stopped: the record that ended the load; None if all were read.
    """

    offsets: dict[tuple[str, str, int], int] = field(default_factory=dict)
    members: dict[str, int] = field(default_factory=dict)
    transactions: dict[str, str] = field(default_factory=dict)
    skipped: list[LoadedRecord] = field(default_factory=list)
    stopped: LoadedRecord | None = None


def load_partition(
    log: InternalLog, records: Iterable[tuple[bytes, bytes | None]], loader: RecordLoader
) -> LoadedPartition:
    """Load the records of a partition in order; only those of classic groups and of transactions count.

    A group coordinator that stops has loaded nothing of the partition (`doLoadGroupsAndOffsets` fills its
    cache at the end). A transaction coordinator keeps what it has read before the record that stops it
    (`loadTransactionMetadata`).

    Args:
        records: keys and values.
    """
    found = LoadedPartition()
    for key, value in records:
        loaded = loader.load(log, key, value)
        if loaded.outcome in _STOPS:
            if log is InternalLog.OFFSETS:
                return LoadedPartition(stopped=loaded)
            found.stopped = loaded
            return found
        if loaded.value is None and loaded.outcome is DowngradeOutcome.DATA_LOST:
            found.skipped.append(loaded)
        elif loaded.type is not None and loaded.key is not None:
            _apply(found, loaded.type.name, loaded.key, loaded.value)
    return found


def _apply(found: LoadedPartition, name: str, key: dict[str, Any], value: dict[str, Any] | None) -> None:
    if name == "OffsetCommit":
        _put(found.offsets, (key["group"], key["topic"], key["partition"]), value and value["offset"])
    elif name == "GroupMetadata":
        _put(found.members, key["group"], None if value is None else len(value["members"]))
    elif name == "TransactionLog":
        state = None if value is None else _STATES[value["transactionStatus"]]
        _put(found.transactions, key["transactionalId"], state)


def _put(state: dict[Any, Any], key: Any, value: Any) -> None:
    """Set a value; a tombstone removes it."""
    if value is None:
        state.pop(key, None)
    else:
        state[key] = value
