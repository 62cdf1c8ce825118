"""The judgement of a program or a broker as a code quality report of GitLab."""

from wireproof.verdict.report.client_judge.client_issues import client_issues
from wireproof.verdict.report.client_judge.client_summary import ClientSummary
from wireproof.verdict.report.run.code_quality_report import code_quality


def render_client_code_quality(account: ClientSummary) -> str:
    """Return a JSON array, an issue for each cause."""
    return code_quality(client_issues(account))
