"""Shipped testees with a planted bug and a copy of their ledger, run as ``wireproof run`` runs them."""

import io
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Final

from rich.console import Console

from tests.support.commands.forked_command import run_command
from tests.support.testees.inline_run import prove_here
from wireproof.base.exit_codes import ExitCode
from wireproof.model.agreement import ObservedCause
from wireproof.model.cell import Cell, FramePart
from wireproof.model.codec_ends import MutationSite
from wireproof.power.testees.operator import Question
from wireproof.proof.config.run_config import RunConfig
from wireproof.proof.config.selection import MutationSet
from wireproof.proof.run.core.cell_events import CellResult
from wireproof.proof.run.core.run_events import RunFooter
from wireproof.proof.testees.build.launch import Launch, prepare_testee
from wireproof.proof.testees.description.claimed_operations import Operation
from wireproof.proof.testees.description.manifest import read_manifest, shipped, shipped_folder
from wireproof.proof.testees.session.testee_session import (
    FailedAnswer,
    ProtocolAnswer,
    TesteeSession,
    WrappedSession,
)
from wireproof.verdict.ledger.entry import Entry, ReasonKind
from wireproof.verdict.ledger.evidence import Evidence, Location
from wireproof.verdict.ledger.files.ledger_reading import read_ledger
from wireproof.verdict.ledger.files.repairing import added
from wireproof.verdict.ledger.spans import Releases, Versions
from wireproof.verdict.report.run.terminal_report import TerminalReport

_PHASES: Final = ("enumerated", "frame", "mutations")

SPOILED: Final = "FindCoordinatorResponse"
"""A message that every testee reads: the bug is in it."""
_MESSAGES: Final = ("MetadataRequest", SPOILED)
_PAST: Final = date(2020, 1, 1)
_DAY: Final = re.compile(r"^((?:since|expires) = )\d{4}-\d\d-\d\d$", re.MULTILINE)
"""The lines of a ledger with the first and the last day of an entry."""


def names_in(language: str) -> list[str]:
    """The shipped testees of a language."""
    return [name for name in shipped() if _language(name) == language]


def names_not_in(language: str) -> list[str]:
    """The shipped testees of all other languages."""
    return [name for name in shipped() if _language(name) != language]


def _language(name: str) -> str:
    return read_manifest(shipped_folder() / name).language


@dataclass(frozen=True, slots=True)
class Crashing:
    """The planted bug: whatever the codec does not read of a message ends in one class of errors.

    Attributes:
        error: the class, such as one that its ledger knows of other places.
    """

    message: str
    error: str

    def wrap(self, testee: TesteeSession) -> TesteeSession:
        """The testee with the bug."""
        return _CrashingConversation(testee, self)


class _CrashingConversation(WrappedSession):
    def __init__(self, testee: TesteeSession, bug: Crashing) -> None:
        super().__init__(testee)
        self._bug = bug

    def ask(
        self, questions: Sequence[str], sites: Sequence[MutationSite | None] = ()
    ) -> list[ProtocolAnswer]:
        answers = super().ask(questions, sites)
        return [self._answer(question, answer) for question, answer in zip(questions, answers, strict=True)]

    def _answer(self, text: str, answer: ProtocolAnswer) -> ProtocolAnswer:
        question = Question.parse(text)
        reads = question.operation in (Operation.DECODE, Operation.REENCODE, Operation.UNFRAME)
        if isinstance(answer, FailedAnswer) and reads and question.message == self._bug.message:
            return replace(answer, orderly=False, error=self._bug.error)
        return answer


@dataclass(frozen=True, slots=True)
class Ran:
    """A run: its exit code, what it printed, and the causes of its failures."""

    code: ExitCode
    text: str
    causes: tuple[tuple[Cell, ObservedCause], ...]

    @property
    def places(self) -> set[tuple[Cell, str, str, str]]:
        return {(cell, cause.check, cause.field, cause.kind) for cell, cause in self.causes}

    @property
    def repairs(self) -> list[str]:
        """The commands that it prints, each to be typed."""
        lines = [line.strip() for line in self.text.splitlines()]
        return [line.removeprefix("type: ") for line in lines if line.startswith("type: ")]


@dataclass
class Gate:
    """A few cells of a shipped testee, held against a copy of its ledger.

    Attributes:
        folder: where the copy lies.
    """

    word: str
    folder: Path
    cache_dir: Path

    @cached_property
    def launch(self) -> Launch:
        return prepare_testee(self.word, self.cache_dir, print)

    @property
    def ledger(self) -> Path:
        return self.folder / "known.toml"

    def copy_ledger(self) -> None:
        """Take the testee's ledger. `tox run -e testees` shows that it knows all deviations of the cells."""
        assert self.launch.home is not None
        self.ledger.write_bytes((self.launch.home / "ledger.toml").read_bytes())
        self.type_it(f"wireproof ledger migrate --ledger {shlex.quote(str(self.ledger))}")

    def run(self, bug: Crashing) -> Ran:
        """A run of the cells with a bug."""
        config = RunConfig(
            message=_MESSAGES,
            phase=_PHASES,
            ledger=str(self.ledger),
            shrink=0,
            jobs=1,
            edges=True,
            mutations=MutationSet.SLICE,
        )
        text = io.StringIO()
        events = prove_here(config, replace(self.launch, wrapper=bug))
        report = TerminalReport(Console(file=text, width=10_000), live=False)
        for event in events:
            report(event)
        done = [event for event in events if isinstance(event, CellResult)]
        (end,) = [event for event in events if isinstance(event, RunFooter)]
        causes = tuple((event.cell, cause) for event in done for cause in event.causes)
        return Ran(end.exit_code, text.getvalue(), causes)

    def spoil_ledger(self, seen: Sequence[tuple[Cell, ObservedCause]]) -> None:
        """Let every entry be past its day; add entries at places of failures that say another kind, and one
        about a message that does not exist."""
        text = _DAY.sub(rf"\g<1>{_PAST}", self.ledger.read_text(encoding="utf-8"))
        assert {(entry.since, entry.expires) for entry in read_ledger(text, "").entries} <= {(_PAST, _PAST)}
        places: dict[str, list[Location]] = {}
        for cell, cause in seen:
            location = Location(cause.part, cell.message, cell.version, cause.field)
            places.setdefault(cause.check, []).append(location)
        kinds = {"malformed": "crashed:Unseen", "cut": "crashed:Unseen", "tail": "crashed:Unseen"}
        wild = [_wild(check, kinds[check], where) for check, where in places.items() if check in kinds]
        wild += [_wild("repeat", "crashed:Unseen", [Location(FramePart.MESSAGE, "NoSuchRequest", 0, "")])]
        self.ledger.write_text(added(text, wild), encoding="utf-8")

    def type_it(self, line: str) -> None:
        """A command as it was printed, in a process of its own."""
        program, *words = shlex.split(line)
        assert program == "wireproof"
        ran = run_command(Path.cwd(), *words)
        assert ran.returncode == 0, ran.stderr


def _wild(check: str, kind: str, where: Sequence[Location]) -> Entry:
    return Entry(
        id=f"unseen-{check}",
        message="*",
        versions=Versions.ALL,
        releases=Releases(),
        check=check,
        kind=kind,
        reason_kind=ReasonKind.BUG,
        reason="it is not so",
        owner="me",
        since=_PAST,
        expires=date(2099, 1, 1),
        seen=Evidence.of(where),
    )
