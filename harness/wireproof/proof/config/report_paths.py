"""The reports that a command writes: an option of `RunConfig` for each.

A field of `ReportPaths` is one output format. The command line, configuration files and the reference take
the option from here; `wireproof.verdict.report.output_formats` finds its renderer by the name.
"""

from dataclasses import dataclass, field, fields
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class ReportOption:
    """The option of one output format.

    Attributes:
        name: of the option, with underscores: ``--junit FILE``, ``--code-quality FILE``.
        of_clients: whether `wireproof judge` writes it, too.
        is_flag: the option has no value; the text goes to standard output.
        to_step_summary: the text is also appended to the step summary of GitHub Actions.
    """

    name: str
    sentence: str
    of_clients: bool = False
    is_flag: bool = False
    to_step_summary: bool = False

    @property
    def option(self) -> str:
        """The option on a command line."""
        return f"--{self.name.replace('_', '-')}"


def _report(sentence: str, *, of_clients: bool = False, to_step_summary: bool = False) -> Any:
    options = {"sentence": sentence, "of_clients": of_clients, "to_step_summary": to_step_summary}
    return field(default=None, metadata=options)


def _printed(sentence: str, *, of_clients: bool = False) -> Any:
    return field(default=False, metadata={"sentence": sentence, "of_clients": of_clients, "is_flag": True})


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportPaths:
    """The files that the command writes; ``-`` is standard output, None means that it writes none.

    Attributes:
        events: lines of JSON, written while the run goes on.
        junit: JUnit XML.
        markdown: a summary.
        annotations: whether GitHub annotations go to standard output.
        sarif: findings for code scanning.
        code_quality: findings for a merge request of GitLab.
        badge: the verdict for a badge.
        html: a page for people.
    """

    events: str | None = None
    junit: str | None = _report(
        "Write JUnit XML at the end, a test case for each cell; - is standard output.", of_clients=True
    )
    markdown: str | None = _report(
        "Write a summary for a pull request at the end; - is standard output. It is added to "
        "$GITHUB_STEP_SUMMARY as well, where that is set.",
        of_clients=True,
        to_step_summary=True,
    )
    annotations: bool = _printed(
        "Write GitHub annotations to standard output at the end: an error for each cause, a warning for what "
        "expires soon in the ledger.",
        of_clients=True,
    )
    sarif: str | None = _report(
        "Write SARIF 2.1.0 at the end, a result for each cause, for code scanning; - is standard output.",
        of_clients=True,
    )
    code_quality: str | None = _report(
        "Write a code quality report of GitLab at the end, an issue for each cause; - is standard output.",
        of_clients=True,
    )
    badge: str | None = _report(
        "Write the endpoint of a shields.io badge at the end, such as 744/744; - is standard output."
    )
    html: str | None = _report(
        "Write one page of HTML at the end: verdict, map, findings with their bytes; - is standard output.",
        of_clients=True,
    )


REPORTS: Final = tuple(
    ReportOption(each.name, **each.metadata) for each in fields(ReportPaths) if each.metadata
)
"""The formats, in the order of the help."""
REPORT_NAMES: Final = tuple(each.name for each in fields(ReportPaths))
"""The names of the formats, and of the events."""
