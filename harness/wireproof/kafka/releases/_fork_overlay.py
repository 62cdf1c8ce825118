"""Laying the definitions of a fork over those of the release that it is of."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from kafkawire.schema import MessageKind, MessageSpec, SchemaSet, VersionRange
from wireproof.kafka.releases._fork import Fork
from wireproof.kafka.releases._headers import FRAMED

__all__ = ["lay_over"]

_REQUEST: Final = (1, 2)
"""Header versions of requests: of versions that are not flexible, and of flexible ones (KIP-482)."""
_RESPONSE: Final = (0, 1)
_WITHOUT_CLIENT_ID: Final = ("ControlledShutdownRequest", 0)
"""Its header has version 0 (`ApiMessageType`, releases before 4.0)."""
_ANY_CLIENT: Final = "ApiVersionsResponse"
"""Its header always has version 0: a client reads it before it knows the broker (KIP-511)."""


def lay_over(fork: Fork, version: str, schemas: SchemaSet) -> SchemaSet:
    """Return the schemas of a release with those of the fork in their places.

    A request or a response without `headerVersions` (KIP-1313) gets the header versions that Kafka's
    generator gives it (`ApiMessageTypeGenerator`): by its flexible versions.

    Args:
        version: the version of the fork, such as ``4.4.0+acme``.
        schemas: those of the release.
    """
    modules = {}
    for module, messages in schemas.modules.items():
        own = {name: _with_headers(spec) for name, spec in fork.modules.get(module, {}).items()}
        modules[module] = dict(sorted({**messages, **own}.items()))
    return SchemaSet(version, modules)


def _with_headers(spec: MessageSpec) -> MessageSpec:
    if spec.kind not in FRAMED or spec.retired or spec.header_versions:
        return spec
    return replace(spec, header_versions=tuple(_ranges(spec)))


def _ranges(spec: MessageSpec) -> Iterable[tuple[VersionRange, int]]:
    """Header versions by range, as many ranges as there are different ones."""
    first = 0
    versions = list(spec.valid_versions)
    for version, following in zip(versions, [*versions[1:], None], strict=True):
        header = _header(spec, version)
        if following is None or _header(spec, following) != header:
            last = VersionRange.ALL.highest if following is None else version
            yield VersionRange(first, last), header
            first = version + 1


def _header(spec: MessageSpec, version: int) -> int:
    flexible = version in spec.flexible_versions
    if spec.kind is MessageKind.REQUEST:
        return 0 if (spec.name, version) == _WITHOUT_CLIENT_ID else _REQUEST[flexible]
    return 0 if spec.name == _ANY_CLIENT else _RESPONSE[flexible]
