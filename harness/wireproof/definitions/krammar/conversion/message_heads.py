"""The head of a Kafka message in krammar: key, versions, and what a head cannot say."""

from collections.abc import Iterator
from typing import Final

from kafkawire.schema.model import MessageKind, MessageSpec, VersionRange
from wireproof.definitions.krammar.conversion.conversion_notes import NoteLevel
from wireproof.definitions.krammar.definition_model import (
    KrammarField,
    KrammarScalar,
    KrammarStruct,
    StructRole,
)

__all__ = ["VERSION_FIELD", "head_notes", "head_of"]

VERSION_FIELD: Final = KrammarField("Version", KrammarScalar.INT16)
"""The first field of a struct with version field."""

_ROLES: Final = {MessageKind.REQUEST: StructRole.REQUEST, MessageKind.RESPONSE: StructRole.RESPONSE}


def head_of(spec: MessageSpec) -> KrammarStruct:
    """The struct of a message, without fields."""
    role = _ROLES.get(spec.kind, StructRole.VERSIONED)
    message = role is not StructRole.VERSIONED
    return KrammarStruct(
        spec.name,
        role,
        (),
        key=spec.api_key if message else None,
        max_version=spec.valid_versions.highest if message else None,
        flexible_since=None if _flexible(spec).empty else spec.flexible_versions.lowest,
        source=spec.source,
    )


def _flexible(spec: MessageSpec) -> VersionRange:
    return spec.flexible_versions.intersect(spec.valid_versions)


def head_notes(spec: MessageSpec, request: MessageSpec | None) -> Iterator[tuple[NoteLevel, str]]:
    """Yield what the head cannot say.

    Args:
        request: that of a response; None where there is none.
    """
    if spec.retired:
        yield NoteLevel.REFUSED, "a message without valid versions"
        return
    if spec.kind is MessageKind.RESPONSE:
        yield from _response_notes(spec, request)
    valid = spec.valid_versions
    if valid.lowest:
        yield NoteLevel.DROPPED, f"the lowest version {valid.lowest}: krammar begins at 0"
    if spec.kind not in _ROLES:
        yield NoteLevel.DROPPED, f"the newest version {valid.highest}, which only requests have"
        yield NoteLevel.DROPPED, f"the type {spec.kind}"
        if spec.api_key is not None:
            yield NoteLevel.DROPPED, f"the apiKey {spec.api_key}, which only requests have"
    for present, name in (
        (bool(spec.listeners), "listeners"),
        (not spec.deprecated_versions.empty, "deprecatedVersions"),
        (spec.latest_version_unstable, "latestVersionUnstable"),
    ):
        if present:
            yield NoteLevel.DROPPED, name


def _response_notes(spec: MessageSpec, request: MessageSpec | None) -> Iterator[tuple[NoteLevel, str]]:
    if request is None:
        yield NoteLevel.REFUSED, "a response without its request: name the release, or a folder with both"
        return
    if spec.name.removesuffix("Response") != request.name.removesuffix("Request"):
        yield NoteLevel.REFUSED, f"a response whose name is not that of its request, {request.name}"
    if spec.valid_versions.highest != request.valid_versions.highest:
        both = f"{spec.valid_versions}, and {request.name}'s {request.valid_versions}"
        yield NoteLevel.REFUSED, f"a newest version of its own: the versions are {both}"
    elif _flexible(spec) != request.flexible_versions.intersect(spec.valid_versions):
        both = f"{spec.flexible_versions}, and {request.name}'s {request.flexible_versions}"
        yield NoteLevel.REFUSED, f"flexible versions of its own: {both}"
