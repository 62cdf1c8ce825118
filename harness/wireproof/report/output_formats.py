"""The table of output formats: the reports that a command writes when it ends. A row adds one."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

__all__ = ["CLIENT_FORMATS", "OUTPUT_FORMATS", "RUN_FORMATS", "OutputFormat"]


@dataclass(frozen=True, slots=True)
class OutputFormat:
    """One output format.

    Attributes:
        name: of its option: ``--junit FILE``.
        help: of the option, sentences.
        run: MODULE:FUNCTION that renders a `RunSummary` as text. The module is imported when it is needed.
        client: MODULE:FUNCTION that renders a `ClientSummary`; empty where `wireproof judge` has none.
        to_standard_output: whether the option is a flag, and the text goes to standard output.
        to_step_summary: whether the text is also appended to the step summary of GitHub Actions.
    """

    name: str
    help: str
    run: str
    client: str = ""
    to_standard_output: bool = False
    to_step_summary: bool = False

    def run_renderer(self) -> Callable[[Any], str]:
        """Return the function that renders the summary of a run."""
        return _imported(self.run)

    def client_renderer(self) -> Callable[[Any], str]:
        """Return the function that renders the summary of a judged client."""
        return _imported(self.client)


def _imported(place: str) -> Callable[[Any], str]:
    module, _, function = place.partition(":")
    found: Callable[[Any], str] = getattr(import_module(module), function)
    return found


OUTPUT_FORMATS: Final = (
    OutputFormat(
        "junit",
        "Write JUnit XML at the end, a test case for each cell; - is standard output.",
        run="wireproof.report.run.junit_report:render_junit",
        client="wireproof.report.client_judge.client_junit:render_client_junit",
    ),
    OutputFormat(
        "markdown",
        "Write a summary for a pull request at the end; - is standard output. It is added to "
        "$GITHUB_STEP_SUMMARY as well, where that is set.",
        run="wireproof.report.run.markdown_report:render_markdown",
        client="wireproof.report.client_judge.client_markdown:render_client_markdown",
        to_step_summary=True,
    ),
    OutputFormat(
        "annotations",
        "Write GitHub annotations to standard output at the end: an error for each cause, a warning for what "
        "expires soon in the ledger.",
        run="wireproof.report.run.annotations_report:render_annotations",
        client="wireproof.report.client_judge.client_annotations:render_client_annotations",
        to_standard_output=True,
    ),
)
RUN_FORMATS: Final = OUTPUT_FORMATS
"""The formats of the commands that prove codecs."""
CLIENT_FORMATS: Final = tuple(each for each in OUTPUT_FORMATS if each.client)
"""The formats of `wireproof judge`."""
