"""Where flexible versions start, compact and legacy forms, header versions."""

from dataclasses import replace

from kafkawire.schema import MessageSpec
from wireproof.power.bug_classes import BugClass
from wireproof.power.copies import Patch
from wireproof.power.definitions import SpecSpot, with_field
from wireproof.power.flaw import Flaw, Twin, WrongCode, WrongDefinition, WrongLayout
from wireproof.power.flaws._where import defined, in_frames, is_compact, shifted, with_edited_field
from wireproof.power.spots import Spot

__all__ = ["FLEXIBLE_FLAWS"]


def _becomes_flexible(spot: SpecSpot) -> bool:
    flexible = spot.spec.flexible_versions
    return spot.field is None and flexible.lowest in spot.spec.valid_versions


def _became_flexible_later(spot: SpecSpot) -> bool:
    return _becomes_flexible(spot) and spot.spec.flexible_versions.lowest - 1 in spot.spec.valid_versions


def _flexible_from(spot: SpecSpot, step: int) -> MessageSpec:
    return replace(spot.spec, flexible_versions=shifted(spot.spec.flexible_versions, lowest=step))


def _has_own_flexible_versions(spot: SpecSpot) -> bool:
    return spot.field is not None and spot.field.flexible_versions is not None


def _without_own_flexible_versions(spot: SpecSpot) -> MessageSpec:
    assert spot.field is not None
    return with_field(spot.spec, spot.field, replace(spot.field, flexible_versions=None))


def _has_two_headers(spot: SpecSpot) -> bool:
    return spot.field is None and len(spot.spec.header_versions) > 1


def _oldest_header(spot: SpecSpot) -> MessageSpec:
    (_, header), *_ = spot.spec.header_versions
    return replace(spot.spec, header_versions=((spot.spec.valid_versions, header),))


def _is_nested(spot: Spot) -> bool:
    return is_compact(spot) and bool(spot.struct_path)


FLEXIBLE_FLAWS = (
    Flaw(
        "flexible-a-version-late",
        BugClass.FLEXIBLE,
        "the first flexible version is written as a legacy one",
        WrongDefinition(_becomes_flexible, defined(lambda spot: _flexible_from(spot, 1))),
    ),
    Flaw(
        "flexible-a-version-early",
        BugClass.FLEXIBLE,
        "the last legacy version is written as a flexible one",
        WrongDefinition(_became_flexible_later, defined(lambda spot: _flexible_from(spot, -1))),
    ),
    Flaw(
        "legacy-length-in-a-flexible-message",
        BugClass.FLEXIBLE,
        "a field of a flexible version has the length prefix of legacy ones",
        WrongLayout(is_compact, lambda spot: with_edited_field(spot, compact=False)),
    ),
    Flaw(
        "compact-at-the-top-only",
        BugClass.FLEXIBLE,
        "a field of a nested struct has the length prefix of legacy versions",
        WrongLayout(_is_nested, lambda spot: with_edited_field(spot, compact=False)),
    ),
    Flaw(
        "own-flexible-versions-not-read",
        BugClass.FLEXIBLE,
        "everybody overlooks that a field has flexible versions of its own",
        WrongDefinition(_has_own_flexible_versions, defined(_without_own_flexible_versions)),
        shared=True,
    ),
    Flaw(
        "client-id-compact",
        BugClass.FLEXIBLE,
        "the client id of a flexible request header is written compact",
        WrongDefinition(_has_own_flexible_versions, defined(_without_own_flexible_versions)),
    ),
    Flaw(
        "header-version",
        BugClass.FLEXIBLE,
        "a message travels behind the other header version",
        WrongLayout(in_frames, lambda spot: replace(spot.layout, header_version=_other_header(spot))),
    ),
    Flaw(
        "oldest-header-for-all",
        BugClass.FLEXIBLE,
        "everybody takes the header version of the oldest versions for that of all",
        WrongDefinition(_has_two_headers, defined(_oldest_header)),
        shared=True,
    ),
    Flaw(
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
            Twin.INTERPRETED,
        ),
    ),
)


def _other_header(spot: Spot) -> int:
    """Requests have the headers 1 and 2, responses 0 and 1."""
    version = spot.layout.header_version
    return {2: 1, 0: 1}.get(version or 0, 2 if spot.layout.kind == "request" else 0)
