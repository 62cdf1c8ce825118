"""Operators of flexible versions: their first version, compact and legacy forms, header versions."""

from dataclasses import replace

from kafkawire.schema import MessageSpec
from wireproof.power.bug_classes import BugClass
from wireproof.power.mutants.codec_operator import (
    CodecKind,
    CodecOperator,
    WrongCode,
    WrongDefinition,
    WrongLayout,
)
from wireproof.power.mutants.definition_sites import DefinitionSite, with_field
from wireproof.power.mutants.site_conditions import defined, in_frames, is_compact, shifted, with_edited_field
from wireproof.power.mutants.sites import Site
from wireproof.power.mutants.source_copies import Patch

__all__ = ["FLEXIBLE_OPERATORS"]


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


FLEXIBLE_OPERATORS = (
    CodecOperator(
        "flexible-a-version-late",
        BugClass.FLEXIBLE,
        "the first flexible version is written as a legacy one",
        WrongDefinition(_becomes_flexible, defined(lambda site: _flexible_from(site, 1))),
    ),
    CodecOperator(
        "flexible-a-version-early",
        BugClass.FLEXIBLE,
        "the last legacy version is written as a flexible one",
        WrongDefinition(_became_flexible_later, defined(lambda site: _flexible_from(site, -1))),
    ),
    CodecOperator(
        "legacy-length-in-a-flexible-message",
        BugClass.FLEXIBLE,
        "a field of a flexible version has the length prefix of legacy ones",
        WrongLayout(is_compact, lambda site: with_edited_field(site, compact=False)),
    ),
    CodecOperator(
        "compact-at-the-top-only",
        BugClass.FLEXIBLE,
        "a field of a nested struct has the length prefix of legacy versions",
        WrongLayout(_is_nested, lambda site: with_edited_field(site, compact=False)),
    ),
    CodecOperator(
        "own-flexible-versions-not-read",
        BugClass.FLEXIBLE,
        "codec and harness overlook that a field has flexible versions of its own",
        WrongDefinition(_has_own_flexible_versions, defined(_without_own_flexible_versions)),
        shared=True,
    ),
    CodecOperator(
        "client-id-compact",
        BugClass.FLEXIBLE,
        "the client id of a flexible request header is written compact",
        WrongDefinition(_has_own_flexible_versions, defined(_without_own_flexible_versions)),
    ),
    CodecOperator(
        "header-version",
        BugClass.FLEXIBLE,
        "a message has the other header version",
        WrongLayout(in_frames, lambda site: replace(site.layout, header_version=_other_header(site))),
    ),
    CodecOperator(
        "oldest-header-for-all",
        BugClass.FLEXIBLE,
        "codec and harness take the header version of the oldest versions for that of all",
        WrongDefinition(_has_two_headers, defined(_oldest_header)),
        shared=True,
    ),
    CodecOperator(
        "frame-size-counts-itself",
        BugClass.FLEXIBLE,
        "the size before a frame counts its own four bytes",
        WrongCode(
            in_frames,
            (
                Patch(
                    "wire.framing",
                    "return write_int32(len(payload)) + payload",
                    "return write_int32(len(payload) + 4) + payload",
                ),
            ),
            CodecKind.INTERPRETED,
        ),
    ),
)


def _other_header(site: Site) -> int:
    """Requests have the headers 1 and 2, responses 0 and 1."""
    version = site.layout.header_version
    return {2: 1, 0: 1}.get(version or 0, 2 if site.layout.kind == "request" else 0)
