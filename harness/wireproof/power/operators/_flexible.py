"""Operators of flexible versions: their first version, compact and legacy forms, header versions."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from kafkawire.schema import MessageSpec
from wireproof.power.mutants.codec_operator import (
    CodecKind,
    Deviation,
    WrongCode,
    WrongDefinition,
    WrongLayout,
)
from wireproof.power.mutants.sites import (
    DefinitionSite,
    Site,
    defined,
    in_frames,
    is_compact,
    shifted,
    with_edited_field,
    with_field,
)


def _becomes_flexible(site: DefinitionSite) -> bool:
    flexible = site.spec.flexible_versions
    return site.field is None and flexible.lowest in site.spec.valid_versions


def _became_flexible_later(site: DefinitionSite) -> bool:
    return _becomes_flexible(site) and site.spec.flexible_versions.lowest - 1 in site.spec.valid_versions


def _flexible_from(site: DefinitionSite, step: int) -> MessageSpec:
    return replace(site.spec, flexible_versions=shifted(site.spec.flexible_versions, lowest=step))


def _has_own_flexible_versions(site: DefinitionSite) -> bool:
    return site.field is not None and site.field.flexible_versions is not None


def _without_own_flexible_versions(site: DefinitionSite) -> MessageSpec:
    assert site.field is not None
    return with_field(site.spec, site.field, replace(site.field, flexible_versions=None))


def _has_two_headers(site: DefinitionSite) -> bool:
    return site.field is None and len(site.spec.header_versions) > 1


def _oldest_header(site: DefinitionSite) -> MessageSpec:
    (_, header), *_ = site.spec.header_versions
    return replace(site.spec, header_versions=((site.spec.valid_versions, header),))


def _is_nested(site: Site) -> bool:
    return is_compact(site) and bool(site.struct_path)


FLEXIBLE_DEVIATIONS: Final[Mapping[str, Deviation]] = {
    "flexible-a-version-late": WrongDefinition(
        _becomes_flexible, defined(lambda site: _flexible_from(site, 1))
    ),
    "flexible-a-version-early": WrongDefinition(
        _became_flexible_later, defined(lambda site: _flexible_from(site, -1))
    ),
    "legacy-length-in-a-flexible-message": WrongLayout(
        is_compact, lambda site: with_edited_field(site, compact=False)
    ),
    "compact-at-the-top-only": WrongLayout(_is_nested, lambda site: with_edited_field(site, compact=False)),
    "own-flexible-versions-not-read": WrongDefinition(
        _has_own_flexible_versions, defined(_without_own_flexible_versions)
    ),
    "client-id-compact": WrongDefinition(_has_own_flexible_versions, defined(_without_own_flexible_versions)),
    "header-version": WrongLayout(
        in_frames, lambda site: replace(site.layout, header_version=_other_header(site))
    ),
    "oldest-header-for-all": WrongDefinition(_has_two_headers, defined(_oldest_header)),
    "frame-size-counts-itself": WrongCode(in_frames, CodecKind.INTERPRETED),
}


def _other_header(site: Site) -> int:
    """Requests have the headers 1 and 2, responses 0 and 1."""
    version = site.layout.header_version
    return {2: 1, 0: 1}.get(version or 0, 2 if site.layout.kind == "request" else 0)
