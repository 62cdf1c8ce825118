"""The run as GitHub's workflow commands: what a pull request shows above its checks.

A step shows at most ten errors and ten warnings, so one line stands for each cause. The syntax is GitHub's
"Workflow commands for GitHub Actions".
"""

from collections.abc import Iterator
from itertools import islice
from typing import Final

from wireproof.report.account import Account
from wireproof.report.findings import Group, replay_line

__all__ = ["annotations"]

_MOST: Final = 10
_WIDTH: Final = 2_000


def annotations(account: Account) -> str:
    """A line for each cause, the first to look at first; no text where there is nothing to say."""
    errors = (_command("error", title, text) for title, text in islice(_errors(account), _MOST))
    warnings = (_command("warning", title, text) for title, text in islice(_warnings(account), _MOST))
    return "".join(f"{line}\n" for line in (*errors, *warnings))


def _errors(account: Account) -> Iterator[tuple[str, str]]:
    told = account.told()
    if account.broken is not None:
        yield "wireproof: not run", f"{account.broken.message}\n{account.broken.advice}".strip()
    if account.stopped:
        yield "wireproof: stopped", account.stopped
    if told.reason is not None:
        yield "wireproof: everything fails", told.reason.line(account.testee)
    for loss in account.losses:
        yield f"wireproof: no verdict on {len(loss.cells):,} cells", f"{loss.first}: {loss.reason}"
    for problem in account.problems:
        if problem.fails:
            text = f"{problem.message}\ntype: {problem.repair}"
            yield f"wireproof: ledger, {problem.fault} {problem.entry}", text
    for claim in account.claims:
        if claim.fails:
            yield f"wireproof: claim, {claim.fault} {claim.message}", f"{claim.line}\n{claim.advice}"
    for group in told.groups:
        yield f"wireproof: {group.where}", _finding(group, account.testee)


def _warnings(account: Account) -> Iterator[tuple[str, str]]:
    for problem in account.problems:
        if not problem.fails:
            text = f"{problem.message}\ntype: {problem.repair}"
            yield f"wireproof: ledger, {problem.fault} {problem.entry}", text


def _finding(group: Group, testee: str) -> str:
    found = group.first.divergence
    place = f" {found.path}" if found.path else ""
    rows = (
        f"[{found.check}]{place}: {found.summary}",
        f"codec {found.codec}" if found.codec else "",
        f"Kafka {found.oracle}" if found.oracle else "",
        f"alike {group.alike}" if group.alike else "",
        replay_line(group.first, testee),
    )
    return "\n".join(row for row in rows if row)


def _command(word: str, title: str, text: str) -> str:
    """One command in one line: what would end a line or a property is written as GitHub reads it."""
    cut = text if len(text) <= _WIDTH else f"{text[:_WIDTH]}..."
    name = _escaped(title).replace(":", "%3A").replace(",", "%2C")
    return f"::{word} title={name}::{_escaped(cut)}"


def _escaped(text: str) -> str:
    printable = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return printable.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
