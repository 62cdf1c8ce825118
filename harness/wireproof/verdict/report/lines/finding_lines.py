"""The lines of a group of findings, with the evidence of the first one."""

from collections.abc import Iterator
from typing import Final

from wireproof.base.text.wording import counted
from wireproof.model import Divergence
from wireproof.model.divergence import DIFFERS
from wireproof.proof.checks import ROWS
from wireproof.verdict.report.findings import CauseGroup, replay_line
from wireproof.verdict.report.text.escaping import marked

_ROW_MARGIN: Final = 11 * " "


def headline(divergence: Divergence) -> str:
    """Return ``[CHECK] FIELD: SUMMARY``."""
    field = f" {divergence.path}" if divergence.path else ""
    return f"[{divergence.check}]{field}: {divergence.summary}"


def finding_lines(group: CauseGroup, testee: str = "") -> Iterator[str]:
    """Yield the lines of findings that look alike, the first of them in full, with markup.

    Args:
        testee: the word that names the codec to replay it with; our own where it is empty.
    """
    finding = group.first
    divergence = finding.divergence
    yield f"[bold red]{marked(group.where)}:[/] {marked(divergence.summary)}"
    rows = [
        ("check", f"{divergence.check}: {ROWS[divergence.check].verifies}"),
        ("subject", divergence.subject),
        ("blame", finding.blame),
        ("field", f"{divergence.path} ({divergence.field})" if divergence.field else divergence.path),
        ("at byte", "" if divergence.offset is None else str(divergence.offset)),
        ("codec", divergence.codec),
        ("Kafka", divergence.oracle),
        ("agrees", divergence.opinions),
        ("kind", "" if divergence.kind == DIFFERS else divergence.kind),
        ("ledger", divergence.near),
        ("case", finding.first.case_id),
        ("value", _shortened(finding.value or "")),
        ("seen in", f"{counted(group.cases, 'case')} of {counted(len(group.cells), 'cell')}"),
        ("alike", group.alike),
        ("replay", replay_line(finding, testee)),
    ]
    for name, text in rows:
        if text:
            yield f"  [dim]{name:8}[/] {marked(text, _ROW_MARGIN)}"


def _shortened(text: str, width: int = 200) -> str:
    return text if len(text) <= width else f"{text[:width]}... ({len(text)} characters)"
