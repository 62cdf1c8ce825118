"""The outcome of `wireproof schema check`: the findings that count, and those that a file accepts."""

from collections.abc import Sequence
from dataclasses import dataclass

from wireproof.base.accepted_findings import AcceptedFinding, AcceptedFindings
from wireproof.base.exit_codes import ExitCode
from wireproof.definitions.evolution.evolution_check import SchemaFinding
from wireproof.definitions.evolution.evolution_rules import ChangeCategory


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """The findings of a comparison.

    Attributes:
        findings: those that no entry accepts.
        accepted: the findings that would fail, each with the entry that accepts it.
        unmatched: entries that accept nothing.
        source: the file of the entries.
        categories: those whose changes fail.
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
        """Return the code that the command ends with."""
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
