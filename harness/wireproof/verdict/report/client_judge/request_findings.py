"""Texts of findings."""

from collections.abc import Iterator
from typing import Final

from wireproof.proof.client_judge import FindingGroup, RequestFinding

__all__ = ["group_lines", "finding_lines", "message_title", "format_times"]

_SHOWN_BYTES: Final = 64


def message_title(finding: RequestFinding) -> str:
    """Return message and version, or ``bytes`` outside of requests."""
    return f"{finding.message} version {finding.version}" if finding.message else "bytes"


def format_times(count: int) -> str:
    """Format a number of occurrences."""
    return f"{count:,} time{'' if count == 1 else 's'}"


def finding_lines(finding: RequestFinding) -> Iterator[str]:
    """Yield the lines of a finding."""
    yield f"{message_title(finding)}: {finding.summary}"
    yield f"  fault    {finding.fault}"
    if (divergence := finding.divergence) is not None:
        if divergence.path:
            yield f"  field    {divergence.path}" + (f" ({divergence.field})" if divergence.field else "")
        if divergence.offset is not None:
            yield f"  at byte  {divergence.offset}"
        if divergence.codec:
            yield f"  client   {divergence.codec}"
        if divergence.oracle:
            yield f"  Kafka    {divergence.oracle}"
    who = f" of {finding.client}" if finding.client else ""
    yield f"  where    {finding.place}, connection {finding.connection}{who}, byte {finding.offset}"
    if finding.frame:
        more = f" and {len(finding.frame) - _SHOWN_BYTES:,} more" if len(finding.frame) > _SHOWN_BYTES else ""
        yield f"  frame    {finding.frame[:_SHOWN_BYTES].hex()}{more}"


def group_lines(cause: FindingGroup) -> Iterator[str]:
    """Yield the lines of a group's first finding, and its number of occurrences."""
    yield from finding_lines(cause.first)
    yield f"  met      {format_times(cause.count)}"
