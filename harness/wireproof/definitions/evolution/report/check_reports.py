"""The changes between two definitions as annotations, SARIF and JUnit XML."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from junitparser import Failure, TestCase, TestSuite

from wireproof.base.accepted_findings import UNMATCHED, UNMATCHED_SENTENCE
from wireproof.base.exit_codes import ExitCode
from wireproof.definitions.evolution import EvolutionRule, Impact, SchemaFinding
from wireproof.definitions.evolution.report.check_outcome import CheckOutcome
from wireproof.definitions.evolution.report.finding_text import FindingPlaces
from wireproof.verdict.report.run.code_issues import CodeIssue, cause_key
from wireproof.verdict.report.run.sarif_report import sarif_log
from wireproof.verdict.report.text.workflow_commands import workflow_commands
from wireproof.verdict.report.text.xml_results import legal, result, suite_xml


def check_issues(outcome: CheckOutcome, places: FindingPlaces) -> list[CodeIssue]:
    """Return the findings that fail, as errors; others that break something or need a gate, as warnings.

    Accepted findings are left out. An entry that accepts nothing is an error.
    """
    issues = [
        _issue(each, *places.place(each), is_error=outcome.fails(each))
        for each in outcome.findings
        if outcome.fails(each) or each.impact.breaks or each.impact is Impact.GATED
    ]
    for entry in outcome.unmatched:
        key = cause_key(UNMATCHED, str(entry))
        issues.append(CodeIssue(UNMATCHED, entry.unmatched_words, outcome.source, entry.line, key))
    return issues


def _issue(finding: SchemaFinding, path: str, line: int, *, is_error: bool) -> CodeIssue:
    change = finding.change
    what = str(change or finding.words)
    category = f"\n{finding.category.value}: {finding.category.sentence}" if finding.category else ""
    return CodeIssue(
        finding.rule.value,
        f"{finding.message} {finding.versions}: {what}\n{finding.impact}: {finding.rule.sentence}{category}",
        path,
        line,
        cause_key(finding.message, str(finding.versions), what, finding.rule.value),
        is_error=is_error,
        logical=".".join(filter(None, (finding.message, change.path if change else ""))),
    )


def issue_annotations(issues: Sequence[CodeIssue]) -> str:
    """Return the issues as GitHub's workflow commands, with file and line."""
    rows = [(each.is_error, (_title(each), each.text, each.path, each.line)) for each in issues]
    return workflow_commands(
        (row for is_error, row in rows if is_error), (row for is_error, row in rows if not is_error)
    )


def _title(issue: CodeIssue) -> str:
    return " ".join(filter(None, ("wireproof:", issue.logical, f"[{issue.check}]")))


def issue_sarif(issues: Sequence[CodeIssue], exit_code: ExitCode) -> str:
    """Return the issues as a SARIF log, with a rule for each rule of evolution."""
    invocation = {"executionSuccessful": True, "exitCode": int(exit_code)}
    sentences = {each.value: each.sentence for each in EvolutionRule}
    sentences[UNMATCHED] = UNMATCHED_SENTENCE
    return sarif_log(issues, sentences.__getitem__, "schema-check", invocation)


def issue_junit(issues: Sequence[CodeIssue]) -> str:
    """Return the issues as JUnit XML: a test case for each message; without an error it passes."""
    suite = TestSuite("wireproof schema check")
    suite.add_testcases(list(_cases(issues)))
    return suite_xml(suite)


def _cases(issues: Sequence[CodeIssue]) -> Iterator[TestCase]:
    def message(issue: CodeIssue) -> str:
        return issue.logical.partition(".")[0] or issue.path

    for name, group in groupby(sorted(issues, key=message), key=message):
        members = list(group)
        case = TestCase(legal(name), "wireproof.schema")
        errors = [each for each in members if each.is_error]
        lines = [f"{each.path}:{each.line}: {each.text} [{each.check}]" for each in members]
        if errors:
            case.result = [result(Failure, errors[0].text.partition("\n")[0], errors[0].check, lines)]
        else:
            case.system_out = legal("\n".join(lines))
        yield case
    if not issues:
        yield TestCase("no change breaks a program", "wireproof.schema")
