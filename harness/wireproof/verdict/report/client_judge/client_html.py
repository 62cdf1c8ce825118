"""The page of a judged program: the verdict on each request, and the bytes of each finding."""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Final

from kafkawire import layout
from kafkawire.errors import UnknownMessageError, UnsupportedVersionError
from wireproof.base.text.wording import counted, ranges_text
from wireproof.proof.checks.comparing.divergences import annotate_frame, named_bytes
from wireproof.proof.client_judge.sent_requests import FindingGroup, RequestFinding
from wireproof.verdict.report.client_judge.client_summary import ClientSummary, message_title
from wireproof.verdict.report.html.page import render
from wireproof.verdict.report.html.run_findings import ByteTable, byte_rows, evidence_table

_ERRORS: Final = 6
"""Errors of a message version that the page shows, the most frequent ones."""


@dataclass(frozen=True, slots=True)
class ClientFinding:
    """A finding as the page shows it.

    Attributes:
        title: message and version, or ``bytes`` outside of requests.
        times: how often it was met, in words.
        versions: all versions that show it, as ranges.
    """

    first: RequestFinding
    title: str
    times: str
    versions: str
    bytes: ByteTable


def render_client_html(account: ClientSummary) -> str:
    statistics = account.statistics
    findings = [_finding(group, account.release) for group in statistics.causes.values()]
    verdict, dot, rest = account.verdict.partition(".")
    program, *words = account.command or ("wireproof",)
    return render(
        "judge.html",
        account=account,
        program=" ".join(account.program),
        verdict=(f"{verdict}{dot}", rest.strip()),
        tone="bad" if findings else "wary" if account.ended or account.exit_code else "good",
        tiles=list(_tiles(account)),
        findings=findings,
        rows=list(_rows(account)),
        software=[name for name, _ in statistics.software.most_common()],
        clients=[name or "(no name)" for name, _ in statistics.clients.most_common()],
        command=shlex.join([PurePath(program).name, *words]),
    )


def _tiles(account: ClientSummary) -> Iterator[tuple[str, str, bool]]:
    statistics = account.statistics
    for count, noun in (
        (len(statistics.causes), "finding"),
        (statistics.requests, "request"),
        (len(statistics.rows), "message version"),
        (account.connections, "connection"),
    ):
        figure, _, words = counted(count, noun).partition(" ")
        yield figure, words, noun == "finding" and count > 0
    yield f"{account.duration_s:,.1f} s", "in all", False


def _finding(group: FindingGroup, release: str) -> ClientFinding:
    versions = ranges_text([version for version in group.versions if version is not None])
    first = group.first
    return ClientFinding(
        first, message_title(first), counted(group.count, "time"), versions, _bytes(first, release)
    )


def _bytes(finding: RequestFinding, release: str) -> ByteTable:
    """The bytes of both sides if Kafka wrote some; else the frame, with the names of its fields."""
    theirs = f"The {finding.party}'s bytes"
    found = None if finding.divergence is None else evidence_table(finding.divergence.bytes)
    if found is not None:
        return replace(found, right=theirs if found.right else "")
    annotation = None
    if finding.version is not None and release and not finding.request:
        try:
            body = layout(finding.message, finding.version, release=release)
            version = body.header_version
            name = "ResponseHeader" if finding.message.endswith("Response") else "RequestHeader"
            header = None if version is None else layout(name, version, release=release)
            annotation = annotate_frame(header, body, finding.frame)
        except (UnknownMessageError, UnsupportedVersionError):
            pass  # the finding is that Kafka does not have it
    shown = named_bytes(finding.frame, annotation)
    more = len(finding.frame) - len(shown.data)
    return ByteTable(theirs, "", tuple(byte_rows(shown)), f"all but the last {more:,} bytes" if more else "")


def _rows(account: ClientSummary) -> Iterator[tuple[str, int, int, int, str]]:
    """Yield message, version, requests, right ones and the broker's errors; the wrong ones first."""
    rows = account.statistics.rows.items()
    for (message, version), row in sorted(
        rows, key=lambda item: (item[1].right == item[1].requests, item[0])
    ):
        errors = ", ".join(f"{name} ({count:,})" for name, count in row.errors.most_common(_ERRORS))
        yield message, version, row.requests, row.right, errors
