"""Findings of a judged program as GitHub's workflow commands: an error for each cause."""

from collections.abc import Iterator

from wireproof.verdict.report.client_judge.client_summary import ClientSummary, group_lines, message_title
from wireproof.verdict.report.text.workflow_commands import workflow_commands


def render_client_annotations(account: ClientSummary) -> str:
    """Render a line for each cause; an empty text without causes."""
    return workflow_commands(_errors(account))


def _errors(account: ClientSummary) -> Iterator[tuple[str, str]]:
    if account.stopped:
        yield "wireproof judge: stopped", account.stopped
    for cause in account.statistics.causes.values():
        yield f"wireproof judge: {message_title(cause.first)}", "\n".join(group_lines(cause))
    for entry in account.unmatched:
        yield f"wireproof judge: {account.accepted_in}:{entry.line}", entry.unmatched_words
    if account.ended:
        yield "wireproof judge: the program", f"{account.program[0]} {account.ended}"
