"""Findings about schemas as text and JSON, and as reports for CI: SARIF, JUnit."""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from junitparser import Failure, TestCase, TestSuite

from kafkawire.schema import FieldSpec, MessageSpec, SchemaSet
from wireproof.base.accepted_findings import UNMATCHED, UNMATCHED_SENTENCE, AcceptedFinding, AcceptedFindings
from wireproof.base.exit_codes import ExitCode
from wireproof.base.text.typed_json import JsonForm, TypedJson
from wireproof.base.text.wording import counted
from wireproof.definitions.evolution.break_example import BreakExample
from wireproof.definitions.evolution.evolution_check import SchemaFinding
from wireproof.definitions.evolution.evolution_rules import ChangeCategory, EvolutionRule, Impact
from wireproof.verdict.report.run.code_issues import CodeIssue, cause_key
from wireproof.verdict.report.run.sarif_report import sarif_log
from wireproof.verdict.report.text.workflow_commands import workflow_commands
from wireproof.verdict.report.text.xml_results import legal, result, suite_xml


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """The findings of a comparison.

    Attributes:
        findings: the findings that no entry accepts.
        accepted: the findings that would fail, each with the entry that accepts it.
        unmatched: entries that accept nothing.
        source: the file of the entries.
        categories: the categories whose changes fail the command.
    """

    findings: tuple[SchemaFinding, ...]
    accepted: tuple[tuple[SchemaFinding, AcceptedFinding], ...]
    unmatched: tuple[AcceptedFinding, ...]
    source: str
    categories: frozenset[ChangeCategory]

    @classmethod
    def of(
        cls,
        findings: Sequence[SchemaFinding],
        accepted: AcceptedFindings,
        compared: frozenset[str] | None,
        categories: frozenset[ChangeCategory],
    ) -> "CheckOutcome":
        """Return the outcome of comparing these messages, None for all; entries accept only what fails."""
        entries = [accepted.entry_for(*_key(each)) if _harms(each, categories) else None for each in findings]
        pairs = list(zip(findings, entries, strict=True))
        taken = tuple((finding, entry) for finding, entry in pairs if entry is not None)
        used = {entry.key for _, entry in taken}
        judged = (each for each in accepted.entries if compared is None or each.message in compared)
        unmatched = (each for each in judged if each.key not in used)
        left = tuple(finding for finding, entry in pairs if entry is None)
        return cls(left, taken, tuple(unmatched), accepted.source, categories)

    @property
    def exit_code(self) -> ExitCode:
        failed = self.unmatched or any(map(self.fails, self.findings))
        return ExitCode.DIVERGENCE if failed else ExitCode.PROVEN

    def fails(self, finding: SchemaFinding) -> bool:
        """Test if a finding that is not accepted fails the command."""
        return _harms(finding, self.categories)


def _harms(finding: SchemaFinding, categories: frozenset[ChangeCategory]) -> bool:
    harms = finding.impact.breaks or finding.category is ChangeCategory.SOURCE
    return harms and finding.category in categories


def _key(finding: SchemaFinding) -> tuple[str, str, str]:
    return finding.message, finding.change.path if finding.change else "", finding.rule.value


@dataclass(frozen=True, slots=True)
class FindingPlaces:
    """The definitions of both sides, which know the lines of their fields."""

    before: SchemaSet
    after: SchemaSet

    def place(self, finding: SchemaFinding) -> tuple[str, int]:
        """Return file and line of the field in the new definition; a message that is gone has its old file.

        The line is that of the field, else of the struct around it, else 1. A message of a release has no
        file: its name in Kafka's source is returned.
        """
        spec = _named(self.after, finding.message) or _named(self.before, finding.message)
        if spec is None or not spec.source:
            return f"{finding.message}.json", 1
        return _relative(spec.source), _line(spec, finding.change.path if finding.change else "")


def _named(schemas: SchemaSet, name: str) -> MessageSpec | None:
    return next((messages[name] for messages in schemas.modules.values() if name in messages), None)


def _relative(source: str) -> str:
    """Return the path relative to the working folder, where it is below it, as scanners expect."""
    path = Path(os.path.normpath(source))
    here = Path.cwd()
    return (path.relative_to(here) if path.is_relative_to(here) else path).as_posix()


def _line(spec: MessageSpec, path: str) -> int:
    """Return the line of the innermost field of a path that the definition has; 1 for none."""
    lines = [field.line for field in _walked(spec, path)]
    return next((line for line in reversed(lines) if line), 1)


def _walked(spec: MessageSpec, path: str) -> Iterator[FieldSpec]:
    shared = {struct.name: struct.fields for struct in spec.common_structs}
    fields = spec.fields
    for name in path.replace("[]", "").split("."):
        field = next((each for each in fields if each.json_name == name), None)
        if field is None:
            return
        yield field
        fields = field.fields or shared.get(field.struct_name or "", ())


_ORDER = (
    Impact.BREAKS_BOTH,
    Impact.BREAKS_READERS,
    Impact.BREAKS_WRITERS,
    Impact.STOPS_WRITERS,
    Impact.GATED,
    Impact.NEW_VERSION,
    Impact.SAFE,
)
_SHORT = {
    ChangeCategory.WIRE: "wire",
    ChangeCategory.STORED: "stored: bytes on disk",
    ChangeCategory.SOURCE: "source",
}
_MOST_HEX = 64
"""The most bytes of an example that a line shows."""


def finding_lines(findings: Sequence[SchemaFinding], before: str, after: str) -> Iterator[str]:
    """Yield the lines of the report: what breaks first, then each rule once."""
    for impact in _ORDER:
        chosen = sorted((each for each in findings if each.impact is impact), key=_place)
        if not chosen:
            continue
        yield f"{impact[0].upper()}{impact[1:]}: {counted(len(chosen), 'change')}"
        for _, group in groupby(chosen, key=_place):
            members = list(group)
            first = members[0]
            about = f"  ({_SHORT[first.category]})" if first.category else ""
            yield f"  {first.module:24} {first.message:44} {first.versions}{about}"
            for each in members:
                gate = f", gated by {each.rule.gate}" if impact is Impact.GATED else ""
                yield f"    {each.change or each.words}{gate}  [{each.rule.value}]"
            for each in {(each.to_old, each.to_new): each for each in reversed(members)}.values():
                yield from _examples(each, before, after)
        yield ""
    used = {each.rule: None for each in sorted(findings, key=lambda each: _ORDER.index(each.impact))}
    if used:
        yield "Rules"
    for rule in used:
        yield f"  {rule.value}: {rule.sentence} ({rule.source})"
    categories = {each.category for each in findings if each.category}
    if categories:
        yield "Categories"
    for category in ChangeCategory:
        if category in categories:
            yield f"  {category.value}: {category.sentence}"


def accepted_lines(outcome: CheckOutcome) -> Iterator[str]:
    """Yield the accepted findings with their reasons, and the entries that accept nothing."""
    if outcome.accepted:
        yield f"Accepted: {counted(len(outcome.accepted), 'change')}"
    for finding, entry in outcome.accepted:
        what = finding.change or finding.words
        yield f"  {finding.message} {finding.versions}: {what}  [{finding.rule.value}]"
        yield f"    {entry.date}: {entry.reason}"
    for entry in outcome.unmatched:
        yield f"{outcome.source}:{entry.line}: error: {entry.unmatched_words}"


def summary_line(findings: Sequence[SchemaFinding], before: str, after: str, accepted: int = 0) -> str:
    """Return the number of changes by their impact, on one line."""
    counts = Counter(each.impact for each in findings)
    words = "".join(f"; {impact}: {counts[impact]}" for impact in _ORDER if counts[impact])
    words += f"; accepted: {accepted}" if accepted else ""
    return f"{before} to {after}: {counted(len(findings) + accepted, 'change')}{words}"


def _place(finding: SchemaFinding) -> tuple[str, str, int, int, str]:
    category = finding.category.value if finding.category else ""
    return finding.module, finding.message, finding.versions.lowest, finding.versions.highest, category


def _examples(finding: SchemaFinding, before: str, after: str) -> Iterator[str]:
    ways = ((finding.to_old, after, before), (finding.to_new, before, after))
    for example, writer, reader in ways:
        if example is not None:
            yield f"    {_sentence(finding, example, writer, reader)}"
            yield f"      {_hex(example.data)}"
    if finding.impact.breaks and finding.change and finding.to_old is finding.to_new is None:
        yield "    no body shows it: the headers differ, or the example is longer than those that were tried"


def _sentence(finding: SchemaFinding, example: BreakExample, writer: str, reader: str) -> str:
    case = f"{example.case} of version {example.version}"
    what = f"{example.path}: {example.outcome}" if example.path else example.outcome
    if finding.impact is Impact.STOPS_WRITERS:
        return (
            f"{writer} drops {example.path} of {case}, {reader} does not write the message: {example.outcome}"
        )
    if finding.impact is Impact.NEW_VERSION:
        return f"in one version, {reader} would misread {case}: {what}"
    if finding.stored:
        return f"{writer} stores {case}, {reader} misreads the bytes on disk: {what}"
    return f"{writer} writes {case}, {reader} misreads it: {what}"


def _hex(data: bytes) -> str:
    text = data[:_MOST_HEX].hex(" ", -4)
    return f"{text} ... ({len(data):,} bytes)" if len(data) > _MOST_HEX else text or "(no bytes)"


_JSON: Final = TypedJson({}, forms={bytes: JsonForm(bytes.hex, bytes.fromhex)})


def as_plain(outcome: CheckOutcome, places: FindingPlaces) -> dict[str, Any]:
    """Return the outcome as JSON has it: first the findings that no entry accepts."""
    rows = [_finding(each, places) for each in outcome.findings]
    for finding, entry in outcome.accepted:
        accepted = {"reason": entry.reason, "date": str(entry.date)}
        rows.append({**_finding(finding, places), "accepted": accepted})
    unmatched = [{"line": each.line, "text": each.unmatched_words} for each in outcome.unmatched]
    return {"findings": rows, "unmatched": unmatched}


def _finding(finding: SchemaFinding, places: FindingPlaces) -> dict[str, Any]:
    change = finding.change
    file, line = places.place(finding)
    return {
        "module": finding.module,
        "message": finding.message,
        "versions": str(finding.versions),
        "path": change.path if change else "",
        "file": file,
        "line": line,
        "what": change.what if change else finding.words,
        "before": change.before if change else "",
        "after": change.after if change else "",
        "impact": str(finding.impact),
        "rule": finding.rule.value,
        "source": finding.rule.source,
        "category": finding.category.value if finding.category else "",
        "accepted": None,
        "gate": finding.rule.gate if finding.impact is Impact.GATED else "",
        "newToOld": finding.to_old and _JSON.write(finding.to_old),
        "oldToNew": finding.to_new and _JSON.write(finding.to_new),
    }


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
