"""The difference of two judgements of a client or a broker, read from their event files."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import groupby
from pathlib import Path
from typing import Any, Final, NamedTuple

from wireproof.base.text.parsing import MISSHAPEN, parse_json, shape_fault
from wireproof.base.text.wording import counted, printable
from wireproof.model.divergence import without_indices
from wireproof.verdict.report.client_judge.client_summary import FORMAT_VERSION
from wireproof.verdict.report.events.event_reader import EventFileError, MergeError, event_lines
from wireproof.verdict.report.text.escaping import bounded, folded, words


class FindingKey(NamedTuple):
    """The identity of a finding in all judgements. The field is without indices; both may be empty."""

    message: str
    field: str
    fault: str
    kind: str

    def __str__(self) -> str:
        return f"{self.message or 'bytes'} {self.field}".rstrip() + f" [{self.fault}]"


class FindingChange(StrEnum):
    """The change of a finding between two judgements."""

    NEW = "new"
    GONE = "gone"
    """It no longer shows in a message that the judgement after has."""
    NOT_JUDGED = "not judged any more"
    """The judgement after does not have its message, or was cut short."""
    UNCHANGED = "unchanged"


_LISTED: Final = (FindingChange.NEW, FindingChange.GONE, FindingChange.NOT_JUDGED)


@dataclass(slots=True)
class Judgement:
    """A judgement, read from its event file.

    Attributes:
        subject: the program's command line, or the broker's address.
        findings: the sentence of each.
        messages: those that were judged.
        whole: the file has its end.
    """

    subject: str
    findings: dict[FindingKey, str] = field(default_factory=dict)
    messages: set[str] = field(default_factory=set)
    requests: int = 0
    whole: bool = False

    def __str__(self) -> str:
        found = f"{counted(self.requests, 'request')}, {counted(len(self.findings), 'finding')}"
        return f"{self.subject}: {found}{'' if self.whole else ', without an end'}"


def read_judgement(path: Path) -> Judgement | None:
    """Read an event file; None for one that ``wireproof judge`` did not write.

    Raises:
        MergeError: a line is not an event of this format.
        OSError: the file cannot be read.
    """
    try:
        lines = (line for line in event_lines(path) if line.endswith("\n"))
        header = parse_json(next(lines, "{}\n"))
        if not isinstance(header, dict) or header.get("gate") != "judge":
            return None
    except (*MISSHAPEN, EventFileError):
        return None  # the reader of runs says what is wrong
    number = 1
    try:
        if header["format"] != FORMAT_VERSION:
            reason = f"its format is {header['format']!r}; this wireproof reads format {FORMAT_VERSION}"
            raise EventFileError(number, reason)
        judgement = Judgement(" ".join(map(str, header["program"])))
        for number, line in enumerate(lines, 2):  # noqa: B007 - the handler names the line
            _add(judgement, parse_json(line))
    except EventFileError as error:
        raise MergeError(f"{path}: {error}") from error
    except MISSHAPEN as error:
        raise MergeError(
            f"{path}: line {number}: this is not an event of wireproof judge: {shape_fault(error)}"
        ) from error
    return judgement


def _add(judgement: Judgement, event: Mapping[str, Any]) -> None:
    match event["event"]:
        case "finding":
            path = without_indices(str(event.get("field", "")))
            key = FindingKey(event["message"], path, event["fault"], str(event.get("kind", "")))
            judgement.findings.setdefault(key, str(event["summary"]))
        case "cell":
            judgement.messages.add(event["message"])
            judgement.requests += int(event["requests"])
        case "footer":
            judgement.whole = True


@dataclass(frozen=True, slots=True)
class JudgementDifference:
    """The difference of two judgements."""

    before: Judgement
    after: Judgement

    @property
    def regressed(self) -> bool:
        return any(change is FindingChange.NEW for change, _, _ in self.changes())

    def changes(self) -> Iterator[tuple[FindingChange, FindingKey, str]]:
        """Yield each finding with its sentence, in the order of the changes."""
        for change in FindingChange:
            for key, summary in sorted((self.before.findings | self.after.findings).items()):
                if self._change(key) is change:
                    yield change, key, summary

    def _change(self, key: FindingKey) -> FindingChange:
        if key in self.after.findings:
            return FindingChange.UNCHANGED if key in self.before.findings else FindingChange.NEW
        judged = self.after.whole and (key.message in self.after.messages or not key.message)
        return FindingChange.GONE if judged else FindingChange.NOT_JUDGED

    @property
    def summary_line(self) -> str:
        """The numbers of findings by their change."""
        found = [change for change, _, _ in self.changes()]
        return "findings: " + ", ".join(f"{change} {found.count(change):,}" for change in FindingChange)

    def lines(self) -> Iterator[str]:
        """Yield the lines for a terminal."""
        yield printable(f"before  {self.before}")
        yield printable(f"after   {self.after}")
        for title, items in self._sections():
            yield ""
            yield title
            yield from (f"  {printable(item)}" for item in items)

    def markdown(self) -> str:
        """Return a comment for a pull request."""
        verdict = "A finding is new." if self.regressed else "No new finding."
        parts = [
            f"### wireproof judge: {verdict}",
            *(f"- {words(str(each))}" for each in (self.before, self.after)),
        ]
        for title, items in self._sections():
            parts += [
                "",
                *folded(title, [f"- {words(item)}" for item in items], is_open=title.startswith("New")),
            ]
        return bounded("\n".join([*parts, "", self.summary_line, ""]))

    def json(self) -> str:
        found = [
            {"change": str(change), **key._asdict(), "summary": summary}
            for change, key, summary in self.changes()
        ]
        return json.dumps({"regressed": self.regressed, "findings": found}, indent=2) + "\n"

    def _sections(self) -> Iterator[tuple[str, list[str]]]:
        for change, group in groupby(self.changes(), key=lambda each: each[0]):
            items = [f"{key}: {summary}" for _, key, summary in group]
            if change in _LISTED:
                yield f"{change.capitalize()}: {counted(len(items), 'finding')}", items
