"""The header version of each request and response version.

Kafka keeps it in a class (`ApiMessageType.requestHeaderVersion`, `responseHeaderVersion`), outside the
schema files (KIP-1313 puts it there later). It is asked of an oracle once, written into the snapshot, and
laid over schemas read from jars.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TypeAlias

from kafkawire.schema import MessageKind, MessageSpec, SchemaSet, VersionRange
from wireproof.kafka.releases._errors import ReleaseError
from wireproof.model.cell import Cell

__all__ = ["HeaderTable", "ask_headers", "headers_of", "with_headers"]

HeaderTable: TypeAlias = Mapping[str, tuple[tuple[VersionRange, int], ...]]
"""Message name to (versions, header version), ranges ascending, as `MessageSpec.header_versions`."""

FRAMED = (MessageKind.REQUEST, MessageKind.RESPONSE)
"""The kinds that follow a header."""


def headers_of(schemas: SchemaSet) -> HeaderTable:
    """The header versions that the messages of this set know, such as those of a snapshot."""
    return {spec.name: spec.header_versions for _, spec in schemas if spec.header_versions}


def ask_headers(schemas: SchemaSet, header_version: Callable[[Cell], int | None]) -> HeaderTable:
    """The header versions of every request and response, as `header_version` gives them cell by cell.

    Raises:
        ReleaseError: a request or a response has none.
    """
    return {
        spec.name: tuple(_ranges(_ask(schemas.release, module, spec, header_version)))
        for module, spec in schemas
        if spec.kind in FRAMED and not spec.retired
    }


def with_headers(schemas: SchemaSet, headers: HeaderTable) -> SchemaSet:
    """The same set with the header versions of the table; what the table lacks stays as it is.

    Raises:
        ReleaseError: a request or a response has a version that the table does not cover.
    """
    return SchemaSet(
        schemas.release,
        {
            module: {name: _with_header(schemas.release, spec, headers) for name, spec in messages.items()}
            for module, messages in schemas.modules.items()
        },
    )


def _with_header(release: str, spec: MessageSpec, headers: HeaderTable) -> MessageSpec:
    if spec.kind not in FRAMED or spec.retired:
        return spec
    ranges = headers.get(spec.name, spec.header_versions)
    for version in spec.valid_versions:
        if not any(version in versions for versions, _ in ranges):
            raise ReleaseError(f"no header version is known for {release}/{spec.name}/{version}")
    return replace(spec, header_versions=ranges)


def _ask(
    release: str, module: str, spec: MessageSpec, header_version: Callable[[Cell], int | None]
) -> Iterable[tuple[int, int]]:
    for version in spec.valid_versions:
        cell = Cell(release, module, spec.name, version)
        answer = header_version(cell)
        if answer is None:
            raise ReleaseError(f"the oracle knows no header version for {cell}")
        yield version, answer


def _ranges(answers: Iterable[tuple[int, int]]) -> list[tuple[VersionRange, int]]:
    """Neighbours with the same answer, as one range."""
    ranges: list[tuple[VersionRange, int]] = []
    for version, header in answers:
        if ranges and ranges[-1][1] == header:
            ranges[-1] = (VersionRange(ranges[-1][0].lowest, version), header)
        else:
            ranges.append((VersionRange(version, version), header))
    return ranges
