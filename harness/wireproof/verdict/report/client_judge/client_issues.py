"""The judgement of a program or a broker as issues: what code scanning and a merge request show.

The forms are a code quality report of GitLab, SARIF 2.1.0, and workflow commands of GitHub.
"""

from collections.abc import Iterator
from typing import Any

from wireproof.base.accepted_findings import UNMATCHED, UNMATCHED_SENTENCE
from wireproof.base.text.wording import printable
from wireproof.proof.broker_judge.broker_rules import BrokerRule
from wireproof.proof.client_judge.sent_requests import RequestFault
from wireproof.verdict.report.client_judge.client_summary import ClientSummary, group_lines, message_title
from wireproof.verdict.report.run.code_issues import CodeIssue, cause_key
from wireproof.verdict.report.run.code_quality_report import code_quality
from wireproof.verdict.report.run.sarif_report import sarif_log
from wireproof.verdict.report.text.workflow_commands import workflow_commands

_NO_FILE = "README.md"
"""Bytes on the wire have no line in a file; both hosts show an issue only at one."""


def _issues(account: ClientSummary) -> Iterator[CodeIssue]:
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


def render_client_code_quality(account: ClientSummary) -> str:
    """Return a code quality report: a JSON array, an issue for each cause."""
    return code_quality(_issues(account))


def render_client_sarif(account: ClientSummary) -> str:
    """Return a SARIF log with one run, a result for each cause."""
    sentences = {each.value: each.sentence for each in (*RequestFault, *BrokerRule)}
    sentences |= {UNMATCHED: UNMATCHED_SENTENCE, "not-run": "The judgement comes to its end."}
    found = [each.first for each in account.statistics.causes.values()]
    sentences |= {each.fault: each.rule for each in found if each.rule}
    invocation: dict[str, Any] = {"executionSuccessful": not (account.stopped or account.ended)}
    if account.exit_code is not None:
        invocation["exitCode"] = int(account.exit_code)
    identity = f"judge/{printable(account.program[0])}"
    return sarif_log(list(_issues(account)), sentences.__getitem__, identity, invocation)


def render_client_annotations(account: ClientSummary) -> str:
    """Return a workflow command, an error, for each cause; an empty text without causes."""
    return workflow_commands(_annotations(account))


def _annotations(account: ClientSummary) -> Iterator[tuple[str, str]]:
    if account.stopped:
        yield "wireproof judge: stopped", account.stopped
    for cause in account.statistics.causes.values():
        yield f"wireproof judge: {message_title(cause.first)}", "\n".join(group_lines(cause))
    for entry in account.unmatched:
        yield f"wireproof judge: {account.accepted_in}:{entry.line}", entry.unmatched_words
    if account.ended:
        yield "wireproof judge: the program", f"{account.program[0]} {account.ended}"
