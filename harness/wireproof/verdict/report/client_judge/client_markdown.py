"""The summary of a judged program in Markdown, for a pull request."""

from collections.abc import Iterator
from typing import Final

from wireproof.base.text.wording import counted
from wireproof.proof.client_judge.sent_requests import FindingGroup
from wireproof.verdict.report.client_judge.client_summary import ClientSummary, accepted_lines, message_title
from wireproof.verdict.report.text.escaping import bounded, code, cut, table, words

_CAUSES: Final = 20
_ERRORS: Final = 4


def render_client_markdown(account: ClientSummary) -> str:
    """Render the report; short enough for a comment."""
    sections = (_opening(account), _findings(account), _table(account), _closing(account))
    text = "\n\n".join("\n".join(lines) for section in sections if (lines := list(section)))
    return bounded(f"{text}\n")


def _opening(account: ClientSummary) -> Iterator[str]:
    against = f" against Kafka {words(account.release)}" if account.release else ""
    yield f"### wireproof judge: {code(cut(' '.join(account.program)))}{against}"
    yield ""
    verdict, dot, rest = account.verdict.partition(".")
    if account.exit_code is not None:
        yield f"**{words(verdict)}{dot}** {words(rest)}".rstrip()
    if account.ended:
        yield f"**The {account.subject} {words(account.ended)}.**"
    if account.stopped:
        yield f"**Stopped:** {words(cut(account.stopped))}"


def _findings(account: ClientSummary) -> Iterator[str]:
    causes = list(account.statistics.causes.values())
    if causes:
        yield "#### Findings"
        yield ""
    for cause in causes[:_CAUSES]:
        yield from _finding(cause)
    for line in accepted_lines(account):
        yield f"- {words(cut(line))}"
    if len(causes) > _CAUSES:
        yield f"- and {counted(len(causes) - _CAUSES, 'more finding')}; `--format json` has them all"


def _finding(cause: FindingGroup) -> Iterator[str]:
    first, divergence = cause.first, cause.first.divergence
    field = f" {code(divergence.path)}" if divergence and divergence.path else ""
    seen = counted(cause.count, "time")
    summary = words(cut(first.summary))
    yield f"- **{words(message_title(first))}**: {summary} ({code(first.fault)}{field}; {seen})"
    if divergence and (divergence.codec or divergence.oracle):
        yield f"  {first.party} {code(cut(divergence.codec))}, Kafka {code(cut(divergence.oracle))}  "
    yield f"  {words(first.where)}" + (f"  \n  {code(first.replay)}" if first.replay else "")


def _table(account: ClientSummary) -> Iterator[str]:
    """Render the table of messages; wrong ones first, so that a cut keeps them."""
    rows = sorted(
        account.statistics.rows.items(), key=lambda item: (item[1].right == item[1].requests, item[0])
    )
    yield from table(
        ("Message", "Version", "Requests", "Right", "Errors that the broker answered"),
        [
            (
                words(message),
                str(version),
                f"{row.requests:,}",
                f"{row.right:,}",
                words(", ".join(f"{name} ({count:,})" for name, count in row.errors.most_common(_ERRORS))),
            )
            for (message, version), row in rows
        ],
    )


def _closing(account: ClientSummary) -> Iterator[str]:
    if account.statistics.software:
        yield f"Software: {words(', '.join(name for name, _ in account.statistics.software.most_common()))}."
        yield ""
    yield words(account.summary)
