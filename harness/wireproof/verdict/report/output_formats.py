"""The table of output formats: the reports that a command writes when it ends.

A field of `ReportPaths` is a format. Its renderer is a function of this package, found by the name of the
format.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

from wireproof.proof.config import REPORTS

__all__ = ["CLIENT_FORMATS", "OUTPUT_FORMATS", "RUN_FORMATS", "OutputFormat"]


@dataclass(frozen=True, slots=True)
class OutputFormat:
    """One output format.

    Attributes:
        name: of its option, with underscores: ``--junit FILE``, ``--code-quality FILE``.
        help: of the option, sentences.
        of_clients: whether `wireproof judge` writes it, too.
        to_standard_output: whether the option is a flag, and the text goes to standard output.
        to_step_summary: whether the text is also appended to the step summary of GitHub Actions.
    """

    name: str
    help: str
    of_clients: bool = False
    to_standard_output: bool = False
    to_step_summary: bool = False

    @property
    def option(self) -> str:
        """The option on a command line."""
        return f"--{self.name.replace('_', '-')}"

    def run_renderer(self) -> Callable[[Any], str]:
        """Return the function that renders a `RunSummary`: ``run.NAME_report.render_NAME``."""
        return _imported(f"wireproof.verdict.report.run.{self.name}_report", f"render_{self.name}")

    def client_renderer(self) -> Callable[[Any], str]:
        """Return the function that renders a `ClientSummary`: that of ``client_judge.client_NAME``."""
        return _imported(
            f"wireproof.verdict.report.client_judge.client_{self.name}", f"render_client_{self.name}"
        )


def _imported(module: str, function: str) -> Callable[[Any], str]:
    found: Callable[[Any], str] = getattr(import_module(module), function)
    return found


OUTPUT_FORMATS: Final = tuple(
    OutputFormat(each.name, each.sentence, each.of_clients, each.is_flag, each.to_step_summary)
    for each in REPORTS
)
RUN_FORMATS: Final = OUTPUT_FORMATS
"""The formats of the commands that prove codecs."""
CLIENT_FORMATS: Final = tuple(each for each in OUTPUT_FORMATS if each.of_clients)
"""The formats of `wireproof judge`."""
