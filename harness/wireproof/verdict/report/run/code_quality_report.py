"""The run as a code quality report of GitLab: what a merge request shows."""

from collections.abc import Iterable

from wireproof.base.text.wording import json_text, printable
from wireproof.verdict.report.run.code_issues import CodeIssue, code_issues
from wireproof.verdict.report.run_summary import RunSummary


def render_code_quality(summary: RunSummary) -> str:
    """Return a JSON array, an issue for each cause and each other finding."""
    return code_quality(code_issues(summary))


def code_quality(issues: Iterable[CodeIssue]) -> str:
    """Return a JSON array of issues; GitLab compares fingerprints."""
    rows = [
        {
            "description": printable(issue.text),
            "check_name": f"wireproof/{issue.check}",
            "fingerprint": issue.key,
            "severity": "major" if issue.is_error else "info",
            "location": {"path": issue.path, "lines": {"begin": issue.line}},
        }
        for issue in issues
    ]
    return json_text(rows, indent=1) + "\n"
