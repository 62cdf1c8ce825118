"""Data that travel inside other data: records of coordinators and of the metadata log, consumer protocols."""

from dataclasses import replace

from kafkawire.schema import MessageKind, MessageSpec
from wireproof.power.bug_classes import BugClass
from wireproof.power.definitions import SpecSpot
from wireproof.power.flaw import Flaw, WrongDefinition, WrongLayout
from wireproof.power.flaws._where import (
    defined,
    is_compact,
    is_whole_message,
    shifted,
    version_before,
    with_edited_field,
)
from wireproof.power.spots import Spot

__all__ = ["EMBEDDED_FLAWS"]

_COORDINATOR = (MessageKind.COORDINATOR_KEY, MessageKind.COORDINATOR_VALUE)


def _is_coordinator_record(spot: SpecSpot) -> bool:
    return is_whole_message(spot) and spot.spec.kind in _COORDINATOR


def _is_metadata_record(spot: SpecSpot) -> bool:
    return is_whole_message(spot) and spot.spec.kind is MessageKind.METADATA


def _is_protocol(spot: SpecSpot) -> bool:
    return is_whole_message(spot) and spot.spec.name.startswith("ConsumerProtocol")


def _is_legacy_data(spot: SpecSpot) -> bool:
    """Data without flexible versions, or with some that are not."""
    embedded = spot.spec.kind in (*_COORDINATOR, MessageKind.DATA)
    return spot.field is None and embedded and spot.spec.flexible_versions.lowest not in (0, 1)


def _flexible_early(spot: SpecSpot) -> MessageSpec:
    flexible, valid = spot.spec.flexible_versions, spot.spec.valid_versions
    if flexible.empty:
        return replace(spot.spec, flexible_versions=valid)
    return replace(spot.spec, flexible_versions=shifted(flexible, lowest=-1))


def _is_compact_in_a_record(spot: Spot) -> bool:
    kinds = (MessageKind.METADATA, *_COORDINATOR)
    return is_compact(spot) and spot.layout.kind in kinds


EMBEDDED_FLAWS = (
    Flaw(
        "coordinator-record-of-the-version-before",
        BugClass.EMBEDDED,
        "a key or value of a coordinator has the layout of the version before",
        WrongDefinition(_is_coordinator_record, version_before),
    ),
    Flaw(
        "metadata-record-of-the-version-before",
        BugClass.EMBEDDED,
        "a metadata record has the layout of the version before",
        WrongDefinition(_is_metadata_record, version_before),
    ),
    Flaw(
        "protocol-of-the-version-before",
        BugClass.EMBEDDED,
        "a consumer's subscription or assignment has the layout of the version before",
        WrongDefinition(_is_protocol, version_before),
    ),
    Flaw(
        "legacy-data-flexible",
        BugClass.EMBEDDED,
        "embedded data of a legacy version are written as flexible ones",
        WrongDefinition(_is_legacy_data, defined(_flexible_early)),
    ),
    Flaw(
        "legacy-length-in-a-record",
        BugClass.EMBEDDED,
        "a field of a flexible record has the length prefix of legacy ones",
        WrongLayout(_is_compact_in_a_record, lambda spot: with_edited_field(spot, compact=False)),
    ),
)
