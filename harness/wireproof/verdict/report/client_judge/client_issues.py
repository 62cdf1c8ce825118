"""Findings of a judged program or broker as issues: what code scanning and a merge request show."""

from collections.abc import Iterator

from wireproof.base.accepted_findings import UNMATCHED
from wireproof.verdict.report.client_judge.client_summary import ClientSummary, group_lines
from wireproof.verdict.report.run.code_issues import CodeIssue, cause_key

_NO_FILE = "README.md"
"""Bytes on the wire have no line in a file; both hosts show an issue only at one."""


def client_issues(account: ClientSummary) -> Iterator[CodeIssue]:
    """Yield an issue for each cause, each entry that accepts nothing, and what ended the judgement."""
    place = account.accepted_in or _NO_FILE
    for cause in account.statistics.causes.values():
        first = cause.first
        path = first.divergence.path if first.divergence else ""
        logical = ".".join(filter(None, (first.message, path)))
        text = "\n".join(group_lines(cause))
        yield CodeIssue(first.fault, text, place, 1, cause_key(*cause.first.cause), logical=logical)
    for entry in account.unmatched:
        yield CodeIssue(UNMATCHED, entry.unmatched_words, place, entry.line, cause_key(UNMATCHED, str(entry)))
    for words in filter(None, (account.stopped, account.ended)):
        yield CodeIssue("not-run", words, place, 1, cause_key("not-run"))
