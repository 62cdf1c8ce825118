"""The run as a code quality report of GitLab: what a merge request shows."""

from wireproof.base.text.foreign_text import json_text, printable
from wireproof.verdict.report.run.code_issues import code_issues
from wireproof.verdict.report.run_summary import RunSummary


def render_code_quality(summary: RunSummary) -> str:
    """Return a JSON array, an issue for each cause and each other finding; GitLab compares fingerprints."""
    issues = [
        {
            "description": printable(issue.text),
            "check_name": f"wireproof/{issue.check}",
            "fingerprint": issue.key,
            "severity": "major" if issue.is_error else "info",
            "location": {"path": issue.path, "lines": {"begin": issue.line}},
        }
        for issue in code_issues(summary)
    ]
    return json_text(issues, indent=1) + "\n"
