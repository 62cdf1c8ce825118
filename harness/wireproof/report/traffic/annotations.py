"""What a client sent as GitHub's workflow commands: an error for each cause."""

from collections.abc import Iterator

from wireproof.report.text.workflow_commands import workflow_commands
from wireproof.report.traffic.account import TrafficAccount
from wireproof.report.traffic.words import cause_lines, named

__all__ = ["traffic_annotations"]


def traffic_annotations(account: TrafficAccount) -> str:
    """A line for each cause; no text where there is nothing to say."""
    return workflow_commands(_errors(account))


def _errors(account: TrafficAccount) -> Iterator[tuple[str, str]]:
    if account.stopped:
        yield "wireproof judge: stopped", account.stopped
    for cause in account.tally.causes.values():
        yield f"wireproof judge: {named(cause.first)}", "\n".join(cause_lines(cause))
    if account.ended:
        yield "wireproof judge: the program", f"{account.program[0]} {account.ended}"
