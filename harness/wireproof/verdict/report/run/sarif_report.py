"""The run as SARIF 2.1.0 (OASIS): what code scanning shows in a repository."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote

from wireproof.base.text.wording import json_text, printable
from wireproof.base.version import own_version
from wireproof.proof.checks.check_table import ROWS
from wireproof.verdict.report.run.code_issues import CodeIssue, code_issues
from wireproof.verdict.report.run_summary import RunSummary

_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_OTHER_RULES: Final = {
    "cause": "Each answer of the codec is Kafka's",
    "cause-search": "The search for causes comes to its end",
    "claim": "The claims of the codec agree with its answers",
    "ledger": "Each entry of the ledger explains a deviation that shows, and no more",
    "no-verdict": "Each cell has a verdict",
    "not-run": "The run comes to its end",
}
_MOST: Final = 5_000
"""Results of a run that GitHub shows."""


def render_sarif(summary: RunSummary) -> str:
    """Return a log with one run: a rule for each check, a result for each cause and each other finding."""
    identity = printable(summary.testee) or "kafkawire"
    return sarif_log(list(code_issues(summary)), _sentence, identity, _invocation(summary))


def sarif_log(
    issues: Sequence[CodeIssue], sentence: Callable[[str], str], identity: str, invocation: Mapping[str, Any]
) -> str:
    """Return a log with one run.

    Args:
        sentence: the sentence about a rule, without a full stop where the table has none.
        identity: the part of the run's category after the name of the tool.
    """
    rules = sorted({issue.check for issue in issues})
    run = {
        "tool": {"driver": _driver(rules, sentence)},
        "automationDetails": {"id": f"wireproof/{identity}/"},
        "invocations": [invocation],
        "columnKind": "utf16CodeUnits",
        "results": [_result(issue, rules.index(issue.check)) for issue in issues[:_MOST]],
    }
    return json_text({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"


def _driver(rules: list[str], sentence: Callable[[str], str]) -> dict[str, Any]:
    return {
        "name": "wireproof",
        "version": own_version(),
        "rules": [
            {
                "id": rule,
                "shortDescription": {"text": f"{sentence(rule).removesuffix('.')}."},
                "help": {"text": f"Type: wireproof explain {rule}"},
                "defaultConfiguration": {"level": "error"},
            }
            for rule in rules
        ],
    }


def _sentence(rule: str) -> str:
    return ROWS[rule].verifies if rule in ROWS else _OTHER_RULES[rule]


def _invocation(summary: RunSummary) -> dict[str, Any]:
    finished = summary.finished
    whole = finished is not None and summary.broken is None and not summary.stopped
    invocation: dict[str, Any] = {"executionSuccessful": whole}
    if finished is not None:
        invocation["exitCode"] = int(finished.exit_code)
    return invocation


def _result(issue: CodeIssue, rule: int) -> dict[str, Any]:
    location: dict[str, Any] = {
        "physicalLocation": {
            "artifactLocation": {"uri": quote(issue.path)},
            "region": {"startLine": issue.line},
        }
    }
    if issue.logical:
        location["logicalLocations"] = [{"fullyQualifiedName": printable(issue.logical), "kind": "member"}]
    return {
        "ruleId": issue.check,
        "ruleIndex": rule,
        "level": "error" if issue.is_error else "warning",
        "message": {"text": printable(issue.text)},
        "locations": [location],
        "partialFingerprints": {"wireproofCause/v1": issue.key},
    }
