"""The testees of a matrix: their unique names, their claims and their ledgers."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kafkawire.primitives import PRIMITIVES
from wireproof.app.assembly.codec_under_test import CodecUnderTest, under_test
from wireproof.app.assembly.inputs.run_inputs import OWN_NAME
from wireproof.app.assembly.ledger_in_use import open_ledger
from wireproof.base.exit_codes import ExitCode, FatalError
from wireproof.base.text.wording import echo
from wireproof.model.agreement import CodecTask
from wireproof.proof.testees.build.launch import Launch
from wireproof.proof.testees.build.testee_build import is_built
from wireproof.proof.testees.description.claimed_operations import Operation
from wireproof.proof.testees.description.hello import Hello
from wireproof.proof.testees.description.manifest import read_manifest, shipped, shipped_folder
from wireproof.proof.testees.testee_errors import TesteeError
from wireproof.verdict.ledger.entry import ANY_MESSAGE, Entry
from wireproof.verdict.ledger.known_causes import LedgerCause
from wireproof.verdict.ledger.ledger import CombinedLedger, Ledger
from wireproof.verdict.report.comparison.matrix_tables import DeviationRow, EntryTerms, LimitedCases

_OPERATIONS: Final[Mapping[CodecTask, Sequence[Operation]]] = {
    CodecTask.ENCODE: (Operation.ENCODE, Operation.FRAME),
    CodecTask.DECODE: (Operation.DECODE, Operation.REENCODE, Operation.UNFRAME),
    CodecTask.MALFORMED: (Operation.DECODE, Operation.REENCODE, Operation.UNFRAME),
}


@dataclass(frozen=True, slots=True)
class Party:
    """One codec of a matrix, with its ledger.

    Attributes:
        name: unique among the testees.
        word: the name that the user typed.
        ledger: its known deviations; None if it has no ledger.
    """

    name: str
    word: str
    launch: Launch
    hello: Hello
    ledger: Ledger | None

    def claims(self, question: CodecTask, message: str, version: int, *, framed: bool = False) -> bool:
        """Test if the codec claims an operation for the question, at a version of a message."""
        hello = self.hello
        alone = hello.primitives if message in PRIMITIVES else hello.claims
        asked = (alone, hello.embedded) if framed else (alone,)
        return any(
            claims.has(operation, message, version) for claims in asked for operation in _OPERATIONS[question]
        )

    def deals_with(self, message: str, version: int, *, framed: bool = False) -> bool:
        """Test if the codec claims any operation at a version of a message."""
        hello = self.hello
        alone = hello.primitives if message in PRIMITIVES else hello.claims
        return hello.concerns(message, version) if framed else alone.any_of(message, version)


@dataclass(frozen=True, slots=True)
class Parties:
    """All testees, in the order of their names on the command line.

    Attributes:
        left_out: the unavailable testees, each with the reason in one line.
    """

    found: Sequence[Party]
    left_out: Sequence[LimitedCases]

    @property
    def ledgers(self) -> CombinedLedger:
        named = {
            each.name: (each.ledger, each.hello.identity.subject)
            for each in self.found
            if each.ledger is not None
        }
        return CombinedLedger(named)

    def deviations(self) -> Iterator[DeviationRow]:
        """The entries of their ledgers; most entries first."""
        for name, (ledger, _) in self.ledgers.ledgers.items():
            reasons: dict[tuple[str, str], list[str]] = {}
            for cause in ledger.causes:
                messages = reasons.setdefault((cause.reason_kind, cause.reason), [])
                messages += cause.deviation.scope or [ANY_MESSAGE]
            for entry in ledger.entries:
                reasons.setdefault((entry.reason_kind, entry.reason), []).append(entry.message)
            for (kind, reason), messages in sorted(reasons.items(), key=lambda item: -len(item[1])):
                yield DeviationRow(name, kind, reason, list(dict.fromkeys(messages)))

    @property
    def terms(self) -> Iterator[tuple[str, EntryTerms]]:
        """The terms of all entries of their ledgers, each with the name that the entry has in a run."""
        for name, (ledger, _) in self.ledgers.ledgers.items():
            entries: tuple[LedgerCause | Entry, ...] = (*ledger.causes, *ledger.entries)
            for entry in entries:
                days = entry.since.isoformat(), entry.expires.isoformat()
                yield (
                    f"{name}/{entry.id}",
                    EntryTerms(entry.reason_kind, entry.reason, entry.owner, *days, entry.link),
                )


def gather(words: Sequence[str], cache_dir: Path, *, offline: bool = False) -> Parties:
    """Build and greet the named testees; without names, all that come with wireproof."""
    subjects: list[CodecUnderTest] = []
    left_out: list[LimitedCases] = []
    chosen = list(words or _quick(left_out))
    if not words:
        _announce(chosen, left_out, cache_dir)
    for word in chosen:
        try:
            subjects.append(under_test(word, cache_dir, offline=offline))
        except TesteeError as error:
            if words:
                raise
            left_out.append(LimitedCases(word, " ".join(f"{error.message} {error.advice}".split())))
    names = _names(subjects)
    if len(set(names)) < len(names):
        twice, _ = Counter(names).most_common(1)[0]
        raise FatalError(f"{twice} is named twice", "Name each codec once.")
    if not subjects:
        reasons = "\n".join(f"{each.testee}: {each.reason}" for each in left_out)
        raise FatalError("no testee can be built", reasons, ExitCode.MISSING)
    return Parties([_party(name, each) for name, each in zip(names, subjects, strict=True)], left_out)


def _announce(names: Sequence[str], left_out: Sequence[LimitedCases], cache_dir: Path) -> None:
    """Print the compared testees if the user named none, and the testees that must be built first."""
    missing = [name for name in names if not is_built(read_manifest(shipped_folder() / name), cache_dir)]
    echo(f"No --testee: comparing {', '.join(names)}", err=True)
    for each in left_out:
        echo(f"  without {each.testee}: {each.reason}", err=True)
    if missing:
        echo(f"  to be built first, which may take minutes: {', '.join(missing)}", err=True)


def _quick(left_out: list[LimitedCases]) -> Iterator[str]:
    """The testees that come with wireproof, without those whose build is slow."""
    for name in shipped():
        if read_manifest(shipped_folder() / name).slow:
            left_out.append(LimitedCases(name, f"its build is slow: name it with --testee {name}"))
        else:
            yield name


def _names(subjects: Sequence[CodecUnderTest]) -> list[str]:
    """The name of each codec; with its version if several codecs have the same name."""
    own = [each.hello.identity.subject for each in subjects if each.hello is not None]
    taken = Counter([OWN_NAME, *own])
    return [
        name if taken[name] == 1 or each.launch is None else each.launch.name
        for name, each in zip(own, subjects, strict=True)
    ]


def _party(name: str, subject: CodecUnderTest) -> Party:
    assert subject.launch is not None
    assert subject.hello is not None
    ledger = None if subject.ledger is None else open_ledger(subject.ledger)
    return Party(name, subject.word, subject.launch, subject.hello, ledger)
