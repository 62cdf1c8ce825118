"""The causes and findings of a run as issues in code: the line that a scanner shows, and its key."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from wireproof.base.text.wording import counted
from wireproof.model.divergence import without_indices
from wireproof.verdict.report.causes import Cause
from wireproof.verdict.report.findings import CauseFinding, replay_command
from wireproof.verdict.report.lines.cause_lines import cause_text, search_errors
from wireproof.verdict.report.run_summary import RunSummary

_MANIFEST: Final = "testee.toml"
_PLACE: Final = re.compile(r"(?P<path>.+):(?P<line>\d{1,9})", re.DOTALL)
_FRAMES: Final = (
    re.compile(r'File "(?P<path>[^"\n]+)", line (?P<line>\d+)'),
    re.compile(r"\((?P<path>[^()\n]+\.(?:js|mjs|ts|java)):(?P<line>\d+)(?::\d+)?\)"),
    re.compile(r"(?P<path>[\w./-]+\.(?:go|rs)):(?P<line>\d+)"),
)
"""A frame of a stack trace, as Python, Node, Java, Go and Rust print it."""


@dataclass(frozen=True, slots=True)
class CodeIssue:
    """One cause, or a finding that no cause predicts.

    Attributes:
        check: the check that saw it, or ``cause``, ``cause-search``, ``ledger``, ``claim``, ``no-verdict``,
            ``not-run``.
        text: the message, the difference, both sides and what to type; several lines.
        path: a file, relative to the working folder if the file is in that folder.
        line: from 1.
        key: the same for the same cause in every run, 64 hexadecimal digits.
        is_error: whether it fails the run.
        logical: the message and the field, with dots; empty if the issue is about no message.
    """

    check: str
    text: str
    path: str
    line: int
    key: str
    is_error: bool = True
    logical: str = ""


def code_issues(summary: RunSummary) -> Iterator[CodeIssue]:
    """Yield the issues of a run: what stopped it, lost cells, causes, other findings, claims, the ledger."""
    place = manifest_place(summary.testee) or _MANIFEST
    if summary.broken is not None:
        words = f"{summary.broken.message} {summary.broken.advice}".strip()
        yield CodeIssue("not-run", words, place, 1, cause_key("not-run"))
    if summary.stopped:
        yield CodeIssue("not-run", summary.stopped, place, 1, cause_key("stopped"))
    for loss in summary.losses:
        words = f"{counted(len(loss.cells), 'cell')} without a verdict, such as {loss.first}: {loss.reason}"
        yield CodeIssue("no-verdict", words, place, 1, cause_key("no-verdict", loss.first))
    for cause in summary.causes.ranked():
        words = cause_text(cause, summary.causes, summary.testee)
        path, line = cause_place(cause, summary) or (place, 1)
        yield CodeIssue("cause", words, path, line, cause_key(*cause.key), logical=cause.message)
    for words in search_errors(summary.causes):
        yield CodeIssue("cause-search", words, place, 1, cause_key("cause-search", words), is_error=False)
    for finding in summary.causes.unpredicted(summary.findings):
        path, line = finding_place(finding, summary) or (place, 1)
        found = finding.divergence
        logical = ".".join(filter(None, (finding.message, found.path)))
        key = cause_key(finding.message, *finding.first.divergences[0].cause)
        yield CodeIssue(found.check, _text(finding, summary.testee), path, line, key, logical=logical)
    for claim in summary.claims:
        words = f"{claim.fault}: {claim.line}\n{claim.advice}"
        yield CodeIssue(
            "claim", words, place, 1, cause_key("claim", claim.fault, claim.message), is_error=claim.fails
        )
    for problem in summary.problems:
        words = "\n".join([f"{problem.entry}: {problem.fault}", *problem.lines])
        yield CodeIssue(
            "ledger",
            words,
            place,
            1,
            cause_key("ledger", problem.fault, problem.entry),
            is_error=problem.fails,
        )


def _text(finding: CauseFinding, testee: str) -> str:
    found = finding.divergence
    place = f" {found.path}" if found.path else ""
    rows = (
        f"{finding.message} version {finding.versions}:{place}: {found.summary}",
        f"codec: {found.codec}" if found.codec else "",
        f"Kafka: {found.oracle}" if found.oracle else "",
        f"blame {finding.blame}" if finding.blame else "",
        f"{counted(finding.cases, 'case')} of {counted(len(finding.cells), 'cell')}",
        replay_command(finding.first.case_id, testee),
    )
    return "\n".join(row for row in rows if row)


def manifest_place(testee: str) -> str:
    """Return the path of the testee.toml of a testee that is a folder; else an empty text."""
    file = Path(testee) / _MANIFEST
    return file.as_posix() if testee and file.is_file() else ""


def cause_place(cause: Cause, summary: RunSummary) -> tuple[str, int] | None:
    """Return the file and the line of a cause: those of the first finding that it predicts."""
    for finding in summary.findings:
        found = finding.first.divergences[0]
        key = str(found.check), without_indices(found.path), found.kind
        if key in cause.divergences and finding.cells & cause.cells:
            return finding_place(finding, summary)
    return None


def finding_place(finding: CauseFinding, summary: RunSummary) -> tuple[str, int] | None:
    """Return the file and the line of a finding; None if neither is known.

    It is the innermost frame of the codec's stack trace in the file of the message's location, or in a file
    of the testee's folder; else that location.
    """
    known = _PLACE.fullmatch(summary.locations.get(finding.message, ""))
    location = known["path"] if known else ""
    found, folder = finding.divergence.codec, Path(summary.testee)
    frames = sorted((match.start(), match) for pattern in _FRAMES for match in pattern.finditer(found))
    for _, match in reversed(frames):
        name = Path(match["path"]).name
        if location and name == Path(location).name:
            return location, max(1, int(match["line"]))
        if summary.testee and (folder / name).is_file():
            return (folder / name).as_posix(), max(1, int(match["line"]))
    return (location, max(1, int(known["line"]))) if known else None


def cause_key(*parts: str) -> str:
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
