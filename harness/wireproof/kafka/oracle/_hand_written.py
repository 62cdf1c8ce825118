"""The places of the schemas of Kafka's hand-written protocols."""

from typing import Final

__all__ = ["schema_places"]

_STICKY: Final = "org.apache.kafka.clients.consumer.StickyAssignor"
_EAGER: Final = "org.apache.kafka.connect.runtime.distributed.ConnectProtocol"
_INCREMENTAL: Final = "org.apache.kafka.connect.runtime.distributed.IncrementalCooperativeConnectProtocol"

_PLACES: Final = {
    ("StickyAssignorUserData", 0): (f"{_STICKY}#STICKY_ASSIGNOR_USER_DATA_V0",),
    ("StickyAssignorUserData", 1): (f"{_STICKY}#STICKY_ASSIGNOR_USER_DATA_V1",),
    ("ConnectWorkerState", 0): (f"{_EAGER}#CONFIG_STATE_V0",),
    ("ConnectWorkerState", 1): (f"{_INCREMENTAL}#CONFIG_STATE_V1", f"{_INCREMENTAL}#ALLOCATION_V1"),
    ("ConnectAssignment", 0): (f"{_EAGER}#ASSIGNMENT_V0",),
    ("ConnectAssignment", 1): (f"{_INCREMENTAL}#ASSIGNMENT_V1",),
}


def schema_places(message: str, version: int) -> tuple[str, ...]:
    """The schemas of a message, in order, as ``class#FIELD``; version 2 of Connect's has those of 1."""
    return _PLACES[message, min(version, 1)]
