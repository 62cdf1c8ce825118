"""The renderers of the output formats: the reports that a command writes when it ends.

A field of `ReportPaths` is a format. Its renderer is a function of this package, found by the name of the
format.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

from wireproof.proof.config.report_paths import REPORTS, ReportOption

RUN_FORMATS: Final = REPORTS
"""The formats of the commands that prove codecs."""
CLIENT_FORMATS: Final = tuple(each for each in REPORTS if each.of_clients)
"""The formats of `wireproof judge`."""
_OF_ISSUES: Final = ("annotations", "code_quality", "sarif")
"""The formats of `wireproof judge` that one module, ``client_issues``, renders."""


def run_renderer(form: ReportOption) -> Callable[[Any], str]:
    """Return the function that renders a `RunSummary`: ``run.NAME_report.render_NAME``."""
    return _imported(f"wireproof.verdict.report.run.{form.name}_report", f"render_{form.name}")


def client_renderer(form: ReportOption) -> Callable[[Any], str]:
    """Return the function that renders a `ClientSummary`: ``client_judge.client_NAME.render_client_NAME``."""
    module = "issues" if form.name in _OF_ISSUES else form.name
    return _imported(f"wireproof.verdict.report.client_judge.client_{module}", f"render_client_{form.name}")


def _imported(module: str, function: str) -> Callable[[Any], str]:
    found: Callable[[Any], str] = getattr(import_module(module), function)
    return found
