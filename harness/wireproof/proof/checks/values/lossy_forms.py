"""The meaning of messages in Kafka's objects that hold less than the generated class does.

`ConsumerProtocol`, `DefaultKafkaPrincipalBuilder`, `StickyAssignor` and `ConnectProtocol` read such objects.
The given value and the value that Kafka writes from the object are both reduced to the form defined here, and
then compared.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

LossyMeaning = Callable[[dict[str, Any]], dict[str, Any] | None]
"""Returns the form of a value; None for a value that Kafka's object cannot hold."""


def meaning_of(form: str) -> LossyMeaning | None:
    """Return the function that reduces a value as a form of `kafka_forms` does; None if it keeps all."""
    return _MEANINGS.get(form)


def _subscription(value: dict[str, Any]) -> dict[str, Any]:
    """Sort topics and partitions; a generation below 0 and an empty rack mean none."""
    meant = {**value, "topics": sorted(value["topics"])}
    if "ownedPartitions" in value:
        meant["ownedPartitions"] = _grouped(value["ownedPartitions"])
    if "generationId" in value:
        meant["generationId"] = max(value["generationId"], -1)
    if "rackId" in value:
        meant["rackId"] = value["rackId"] or None
    return meant


def _in_order(name: str, value: dict[str, Any]) -> dict[str, Any]:
    """Sort the partitions in the field of this name."""
    return {**value, name: _grouped(value[name])}


def _principal(value: dict[str, Any]) -> dict[str, Any]:
    """Return a principal without its unknown tags."""
    return {name: field for name, field in value.items() if name != "_tags"}


def _connect_metadata(value: dict[str, Any]) -> dict[str, Any] | None:
    """Return the value without an allocation; None with one: most bytes are no valid assignment."""
    return None if value.get("allocation") is not None else value


def _connect_assignment(value: dict[str, Any]) -> dict[str, Any]:
    """Sort tasks; a null assignment becomes an empty one."""
    lists = {name: value[name] or [] for name in ("assignment", "revoked") if name in value}
    return {**value, **{name: _grouped(held, "connector", "tasks") for name, held in lists.items()}}


def _grouped(
    entries: list[dict[str, Any]], key: str = "topic", items: str = "partitions"
) -> list[dict[str, Any]]:
    """Return each key once, with its items in order; keys without items are dropped."""
    pairs = sorted((entry[key], item) for entry in entries for item in entry[items])
    grouped: dict[str, list[int]] = {}
    for name, item in pairs:
        grouped.setdefault(name, []).append(item)
    return [{key: name, items: held} for name, held in grouped.items()]


_MEANINGS: dict[str, LossyMeaning] = {
    "subscription": _subscription,
    "assignment": partial(_in_order, "assignedPartitions"),
    "principal": _principal,
    "sticky": partial(_in_order, "previousAssignment"),
    "connect-metadata": _connect_metadata,
    "connect-assignment": _connect_assignment,
}
