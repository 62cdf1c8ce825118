"""Data that travel inside other data: records of coordinators and of the metadata log, consumer protocols."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from kafkawire.schema import MessageKind, MessageSpec
from wireproof.power.mutants.codec_operator import Deviation, WrongDefinition, WrongLayout
from wireproof.power.mutants.sites import (
    DefinitionSite,
    Site,
    defined,
    is_compact,
    is_whole_message,
    shifted,
    version_before,
    with_edited_field,
)

_COORDINATOR = (MessageKind.COORDINATOR_KEY, MessageKind.COORDINATOR_VALUE)


def _is_coordinator_record(site: DefinitionSite) -> bool:
    return is_whole_message(site) and site.spec.kind in _COORDINATOR


def _is_metadata_record(site: DefinitionSite) -> bool:
    return is_whole_message(site) and site.spec.kind is MessageKind.METADATA


def _is_protocol(site: DefinitionSite) -> bool:
    return is_whole_message(site) and site.spec.name.startswith("ConsumerProtocol")


def _is_legacy_data(site: DefinitionSite) -> bool:
    """Data without flexible versions, or with some that are not."""
    embedded = site.spec.kind in (*_COORDINATOR, MessageKind.DATA)
    return site.field is None and embedded and site.spec.flexible_versions.lowest not in (0, 1)


def _flexible_early(site: DefinitionSite) -> MessageSpec:
    flexible, valid = site.spec.flexible_versions, site.spec.valid_versions
    if flexible.empty:
        return replace(site.spec, flexible_versions=valid)
    return replace(site.spec, flexible_versions=shifted(flexible, lowest=-1))


def _is_compact_in_a_record(site: Site) -> bool:
    kinds = (MessageKind.METADATA, *_COORDINATOR)
    return is_compact(site) and site.layout.kind in kinds


EMBEDDED_DEVIATIONS: Final[Mapping[str, Deviation]] = {
    "coordinator-record-of-the-version-before": WrongDefinition(_is_coordinator_record, version_before),
    "metadata-record-of-the-version-before": WrongDefinition(_is_metadata_record, version_before),
    "protocol-of-the-version-before": WrongDefinition(_is_protocol, version_before),
    "legacy-data-flexible": WrongDefinition(_is_legacy_data, defined(_flexible_early)),
    "legacy-length-in-a-record": WrongLayout(
        _is_compact_in_a_record, lambda site: with_edited_field(site, compact=False)
    ),
}
