"""What of a message passes through objects of Kafka's that hold less than its generated class does.

`ConsumerProtocol` and `DefaultKafkaPrincipalBuilder` read such objects. They are compared by what they mean:
what Kafka writes of the object, and what went in, both in the form that is given here.
"""

from collections.abc import Callable
from typing import Any

__all__ = ["Meaning", "meaning_of"]

Meaning = Callable[[dict[str, Any]], dict[str, Any]]


def meaning_of(form: str) -> Meaning | None:
    """What a form of Kafka's (`kafka_forms`) keeps of a message; None where that is all."""
    return _MEANINGS.get(form)


def _subscription(value: dict[str, Any]) -> dict[str, Any]:
    """Topics and partitions in order; below 0 there is no generation, and an empty rack is none."""
    meant = {**value, "topics": sorted(value["topics"])}
    if "ownedPartitions" in value:
        meant["ownedPartitions"] = _grouped(value["ownedPartitions"])
    if "generationId" in value:
        meant["generationId"] = max(value["generationId"], -1)
    if "rackId" in value:
        meant["rackId"] = value["rackId"] or None
    return meant


def _assignment(value: dict[str, Any]) -> dict[str, Any]:
    """Partitions in order."""
    return {**value, "assignedPartitions": _grouped(value["assignedPartitions"])}


def _principal(value: dict[str, Any]) -> dict[str, Any]:
    """No unknown tags."""
    return {name: field for name, field in value.items() if name != "_tags"}


def _grouped(topics: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each topic once, with its partitions in order; topics without any are gone."""
    pairs = sorted((topic["topic"], partition) for topic in topics for partition in topic["partitions"])
    grouped: dict[str, list[int]] = {}
    for name, partition in pairs:
        grouped.setdefault(name, []).append(partition)
    return [{"topic": name, "partitions": partitions} for name, partitions in grouped.items()]


_MEANINGS: dict[str, Meaning] = {
    "subscription": _subscription,
    "assignment": _assignment,
    "principal": _principal,
}
