"""The records that a downgrade with real brokers adds to the logs: of a later release, about known groups."""

from typing import Any, Final, NamedTuple

from kafkawire.compiler import compile_layout
from kafkawire.schema import resolve
from kafkawire.values import TAGS
from kafkawire.wire import write_int16, write_int32
from wireproof.definitions.downgrade.downgrade_matrix import coordinator_schemas
from wireproof.definitions.downgrade.record_loader import record_types
from wireproof.traffic.wire.inner_messages import InternalLog

TOPIC: Final = "downgrade"
TAGGED_OFFSET: Final = 1042

_DEFINED_BY: Final = "3.9.2"
_TAGS: Final = {TAGS: {100: b"later"}}
_NO_TYPE: Final = 100
_NOW_MS: Final = 4_000_000_000_000
"""In the year 2096: no offset expires before."""


class AddedRecord(NamedTuple):
    """A record with the reason why it is there; without bytes if nothing is added."""

    case: str
    key: bytes = b""
    value: bytes = b""


def added_to(log: InternalLog, group: tuple[str, ...]) -> list[AddedRecord]:
    """The record of each partition of a log.

    Args:
        group: the group or transactional id that the broker itself wrote into the partition, by partition.
    """
    nothing = AddedRecord("nothing")
    if log is InternalLog.TRANSACTIONS:
        value = _transaction()
        return [
            nothing,
            _record(log, 0, {"transactionalId": group[1]}, 1, {**value, **_TAGS}, "a tagged field"),
            _later(log, 0, {"transactionalId": group[2]}, 1, value),
            _unknown_type(group[3]),
        ]
    keys = [{"group": name, "topic": TOPIC, "partition": 0} for name in group]
    return [
        nothing,
        _record(log, 1, keys[1], 4, {**_offset(), **_TAGS}, "a tagged field"),
        _later(log, 1, keys[2], 4, _offset()),
        _record(log, 2, {"group": group[3]}, 4, _group(tags=True), "tagged fields, of members too"),
        _later(log, 2, {"group": group[4]}, 4, _group(tags=False)),
        _unknown_type(group[5]),
    ]


def _offset() -> dict[str, Any]:
    return {"offset": TAGGED_OFFSET, "metadata": "later", "commitTimestamp": _NOW_MS}


def _group(*, tags: bool) -> dict[str, Any]:
    member = {
        "clientId": "later",
        "clientHost": "/127.0.0.1",
        "rebalanceTimeout": 300_000,
        "sessionTimeout": 300_000,
        "subscription": b"meta",
        "assignment": b"assigned",
    }
    members = [{**member, "memberId": name, **(_TAGS if tags else {})} for name in ("one", "two")]
    return {
        "protocolType": "consumer",
        "generation": 7,
        "protocol": "range",
        "leader": "one",
        "currentStateTimestamp": _NOW_MS,
        "members": members,
        **(_TAGS if tags else {}),
    }


def _transaction() -> dict[str, Any]:
    """A transactional id without a transaction: state Empty."""
    return {
        "producerId": 4242,
        "producerEpoch": 7,
        "transactionTimeoutMs": 60_000,
        "transactionStatus": 0,
        "transactionPartitions": None,
        "transactionLastUpdateTimestampMs": _NOW_MS,
        "transactionStartTimestampMs": -1,
    }


def _record(
    log: InternalLog, number: int, key: dict[str, Any], version: int, value: dict[str, Any], case: str
) -> AddedRecord:
    kind = record_types(coordinator_schemas(_DEFINED_BY))[log, number]
    label = write_int16(number) + compile_layout(resolve(kind.key, kind.key_version)).encode(key)
    body = compile_layout(resolve(kind.value, version)).encode(value)
    return AddedRecord(f"{kind.name} v{version} with {case}", label, write_int16(version) + body)


def _later(
    log: InternalLog, number: int, key: dict[str, Any], version: int, value: dict[str, Any]
) -> AddedRecord:
    """The next version: an int32 at the end of the fields, before the tagged ones."""
    known = _record(log, number, key, version, value, "")
    later = version + 1
    name = known.case.split()[0]
    data = write_int16(later) + known.value[2:-1] + write_int32(1) + known.value[-1:]
    return AddedRecord(f"{name} v{later} with a new field", known.key, data)


def _unknown_type(name: str) -> AddedRecord:
    key = write_int16(_NO_TYPE) + write_int16(len(name)) + name.encode()
    return AddedRecord(f"type {_NO_TYPE}", key, write_int16(0) + b"\x00")
