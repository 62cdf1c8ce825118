"""Mutants of a testee's source, and observers of a run while one is judged: excuses, other answers."""

import json
import marshal
import random
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from kafkawire.errors import CodecError
from kafkawire.primitives import codec_of
from kafkawire.records import encode_records, to_value
from kafkawire.schema import MessageLayout
from wireproof.base.files.own_folders import temporary_folder
from wireproof.model.adapter import Crashed, Decode, Encode, Refused, Reply, Request, Size
from wireproof.model.cell import PRIMITIVES_MODULE, RECORDS_MODULE, Cell, Divergence, without_indices
from wireproof.model.codec_ends import ExpectedEnd, MutationSite
from wireproof.power.testees import source_mutation
from wireproof.power.testees.source_mutation import SourceSite, mutated, sites
from wireproof.proof.adapters.testee.testee_adapter import TesteeAdapter
from wireproof.proof.deviations.search.cell_diagnosis import KnownCause
from wireproof.proof.run.core.environment import WorkerEnvironment
from wireproof.proof.run.core.plan import KnownDeviations
from wireproof.proof.testees.build.launch import Launch
from wireproof.proof.testees.process.child_process import ChildProcess
from wireproof.proof.testees.session.testee_session import (
    EndedAnswer,
    FailedAnswer,
    NotAskedAnswer,
    ProtocolAnswer,
    TesteeSession,
    WrappedSession,
)
from wireproof.proof.testees.testee_errors import TesteeError

_AT_A_TIME: Final = 16
_WORDS: Final = 200
"""Characters of a question that are kept."""

Excuse = tuple[str, str, str, str]
"""The name of the excuse, check, field without indices, kind."""


class ExcuseCounter:
    """Counts the cases that each known deviation excuses.

    Args:
        known: the known deviations; None if the testee has none.
    """

    def __init__(self, known: KnownDeviations | None) -> None:
        self._known = known
        self.excuses: Counter[Excuse] = Counter()

    @property
    def known_causes(self) -> Sequence[KnownCause]:
        """The causes that predict the testee's answers."""
        return () if self._known is None else self._known.known_causes

    def predicted(self, answers: Mapping[str, int]) -> None:
        """Count the answers that each known cause predicted."""
        for name, number in answers.items():
            self.excuses[name, "", "", ""] += number

    @property
    def cases(self) -> Collection[str]:
        """No case: nothing audits the ledger here."""
        return ()

    @property
    def expected_ends(self) -> Sequence[ExpectedEnd]:
        """The questions that are known to hang the testee or to end its process."""
        return () if self._known is None else self._known.expected_ends

    def explain(self, cell: Cell, divergences: Sequence[Divergence]) -> tuple[Divergence, ...]:
        """The divergences of a case, each with the `entry` that explains it."""
        explained = tuple(divergences) if self._known is None else self._known.explain(cell, divergences)
        for each in explained:
            by = each.entry or each.erratum
            if by:
                self.excuses[by, str(each.check), without_indices(each.path), each.kind] += 1
        return explained


@dataclass(slots=True)
class Transcript:
    """The answers to each question, which may be asked several times: kept as digests."""

    _answers: dict[int, set[int]] = field(default_factory=dict)
    _words: dict[int, str] = field(default_factory=dict)

    def add(self, question: str, answer: ProtocolAnswer) -> None:
        """Keep an answer, and how its question begins."""
        key = hash(question)
        self._words.setdefault(key, question[:_WORDS])
        self._answers.setdefault(key, set()).add(digest(answer))

    def compared(self, other: "Transcript") -> tuple[int, dict[int, str]]:
        """Return the number of shared questions; by digest, the beginnings of those with other answers."""
        shared = self._answers.keys() & other._answers.keys()
        return len(shared), {
            each: self._words[each] for each in shared if self._answers[each] != other._answers[each]
        }


def digest(answer: ProtocolAnswer | Reply) -> int:
    """A number for what an answer says; the words of errors may hold addresses, and do not count."""
    match answer:
        case FailedAnswer(orderly, error):
            return hash((orderly, error))
        case EndedAnswer(error) | Refused(error) | Crashed(error):
            return hash((type(answer).__name__, error))
        case _:
            return hash(repr(answer))


class WatchedSession(WrappedSession):
    """Asks a testee, and keeps which answers it gave.

    Args:
        transcript: what it adds to.
    """

    def __init__(self, testee: TesteeSession, transcript: Transcript) -> None:
        super().__init__(testee)
        self._transcript = transcript

    def ask(
        self, questions: Sequence[str], sites: Sequence[MutationSite | None] = ()
    ) -> list[ProtocolAnswer]:
        """The answer to each question."""
        answers = super().ask(questions, sites)
        for question, answer in zip(questions, answers, strict=True):
            self._transcript.add(question, answer)
        return answers


class CautiousSession(WrappedSession):
    """Asks a few questions at a time, and no more of a call in which the testee hung: one hang is enough."""

    def ask(
        self, questions: Sequence[str], sites: Sequence[MutationSite | None] = ()
    ) -> list[ProtocolAnswer]:
        """The answer to each question; those after a hang are not asked.

        Raises:
            TesteeError: it does not start any more.
        """
        answers: list[ProtocolAnswer] = []
        for start in range(0, len(questions), _AT_A_TIME):
            end = start + _AT_A_TIME
            some = super().ask(questions[start:end], sites[start:end])
            answers += some
            if any(isinstance(each, EndedAnswer) and each.error == "hang" for each in some):
                return [*answers, *[NotAskedAnswer("it hung before")] * (len(questions) - len(answers))]
        return answers


_CASES: Final = 5
"""Named cases of a cell that a probe asks about: its smallest and its fullest instances."""
_RECORD_CASES: Final = 60


@dataclass(slots=True)
class Probe:
    """Some questions about a cell: what it executes, and whether a mutant answers them otherwise.

    Args:
        environment: has the cases; its adapters are not asked.
    """

    environment: WorkerEnvironment
    asked: int = 0

    def ask(self, adapter: TesteeAdapter, cell: Cell) -> list[Reply]:
        """The replies to the questions about a cell."""
        layout = self.environment.layouts.of(cell)
        requests = [*self._requests(cell, layout)]
        self.asked += len(requests)
        return adapter.answers(cell, layout, requests)

    def digests(self, adapter: TesteeAdapter, cell: Cell) -> list[int]:
        """Numbers for what the replies say."""
        return [digest(each) for each in self.ask(adapter, cell)]

    def _requests(self, cell: Cell, layout: MessageLayout) -> Iterable[Request]:
        for value, data in self._values(cell, layout):
            yield from (Encode(value), Decode(data), Decode(data[:-1]), Decode(data + b"\0"))
            if cell.module != PRIMITIVES_MODULE:
                yield Size(value)

    def _values(self, cell: Cell, layout: MessageLayout) -> Iterable[tuple[dict[str, Any], bytes]]:
        if cell.module == RECORDS_MODULE:
            source = self.environment.record_source
            sets = [] if source is None else [each for each in source.cases(cell) if each.foreign is None]
            for each in sets[:: max(1, len(sets) // _RECORD_CASES)]:
                yield to_value(each.records), encode_records(each.records)
            return
        for case, _ in zip(self.environment.source.enumerated(cell, layout), range(_CASES), strict=False):
            try:
                yield case.value, codec_of(layout).encode(case.value)
            except CodecError:
                continue


SOURCE_CLASS: Final = "source"
"""The class of mutants of a library's source, as ``wireproof power --class`` takes it."""

_SCRIPT: Final = str(Path(source_mutation.__file__).resolve())


@dataclass(frozen=True, slots=True)
class SourceMutant:
    """A Python codec with one place of its source changed; plain data.

    Attributes:
        file: the whole path of the module.
        index: of the place, in the order of the source.
        text: the line as it is written.
        cells: those that execute the line; empty for a line outside of functions, or that nothing executes.
        executed: whether it is executed at all.
    """

    file: str
    index: int
    operator: str
    line: int
    function: bool
    text: str
    cells: tuple[Cell, ...] = ()
    executed: bool = True

    @property
    def name(self) -> str:
        """The name of the operator."""
        return self.operator

    @property
    def description(self) -> str:
        """The bug in words."""
        return f"the codec's own source is changed: {self.operator}"

    @property
    def place(self) -> str:
        """The module and the line, as a path from where packages lie."""
        return f"{self.file.rpartition('/site-packages/')[2]}:{self.line}: {self.text}"


@dataclass(frozen=True, slots=True)
class Sources:
    """The lines of the codec's source that a testee executes.

    Attributes:
        lines: by file and line the cells that execute it, as ``MESSAGE/VERSION``.
        imported: the files that were imported, each with the cell whose question did so; another word where
            none did.
        questions: how many were asked to find out.
    """

    lines: Mapping[tuple[str, int], frozenset[str]]
    imported: Mapping[str, str]
    questions: int


def mutated_launch(launch: Launch, spec: Mapping[str, Any], writable: Path | None = None) -> Launch:
    """Return the testee's launch by way of the script that changes its source.

    Args:
        writable: the folder that the script writes into.

    Raises:
        TesteeError: it is not a Python program with an interpreter of its own.
    """
    target = launch.target
    if not isinstance(target, ChildProcess) or len(target.command) < 2 or "python" not in target.command[0]:
        raise TesteeError(
            f"{launch.name} is not a Python program",
            "Mutants of source are for `run = [PYTHON, ADAPTER, ...]`.",
        )
    interpreter, *program = target.command
    command = (interpreter, "-I", _SCRIPT, json.dumps(dict(spec)), *program)
    return replace(launch, target=replace(target, command=command, writable=writable))


def trace(
    launch: Launch,
    folders: Sequence[str],
    cells: Sequence[Cell],
    probe: Probe,
    adapt: Callable[[Launch], TesteeAdapter],
) -> Sources:
    """Ask about each cell, and find which lines of functions the testee executes for it.

    Raises:
        TesteeError: it does not start.
    """
    with temporary_folder("trace") as folder:
        log = folder / "lines.json"
        adapter = adapt(mutated_launch(launch, {"folders": list(folders), "log": str(log)}, folder))
        for cell in cells:
            probe.ask(adapter, cell)
        adapter.end()
        if not log.is_file():
            raise TesteeError(f"{launch.name} did not end in order while its lines were written down")
        traced = json.loads(log.read_text())
    lines = {(path, line): frozenset(names) for path, line, names in traced["lines"]}
    return Sources(lines, dict(traced["imported"]), probe.asked)


def choose_source_mutants(
    sources: Sources, cells: Sequence[Cell], seed: int, most: int
) -> list[SourceMutant]:
    """So many mutants on lines that are executed, and those on other lines that the seed came upon meanwhile.

    Sites are drawn file by file: a large file of tables does not hide the small one that does the work.
    """
    by_name = {f"{cell.message}/{cell.version}": cell for cell in cells}
    draw = random.Random(f"{seed}/source")
    queues = [queue for path in sorted(sources.imported) if (queue := _queue(path, draw))]
    draw.shuffle(queues)
    found: list[SourceMutant] = []
    executed = 0
    while queues and executed < most:
        queue = queues.pop(0)
        mutant = _mutant(queue, sources, by_name, draw)
        executed += mutant.executed
        found.append(mutant)
        if queue[2]:
            queues.append(queue)
    return found


def _queue(path: str, draw: random.Random) -> tuple[str, list[str], list[SourceSite]] | None:
    source = Path(path).read_text(encoding="utf-8")
    every = sites(source)
    draw.shuffle(every)
    return (path, source.splitlines(), every) if every else None


def _mutant(
    queue: tuple[str, list[str], list[SourceSite]],
    sources: Sources,
    by_name: Mapping[str, Cell],
    draw: random.Random,
) -> SourceMutant:
    path, lines, every = queue
    site = every.pop()
    names = _cells_of(sources, path, site.line) if site.function else frozenset({sources.imported[path]})
    cells = [by_name[name] for name in sorted(names) if name in by_name]
    draw.shuffle(cells)
    executed = not site.function or bool(names)
    text = lines[site.line - 1].strip() if 0 < site.line <= len(lines) else ""
    return SourceMutant(
        path, site.number, site.operator, site.line, site.function, text, tuple(cells), executed
    )


def _cells_of(sources: Sources, path: str, line: int) -> frozenset[str]:
    """Return the cells that execute the statement of a line; the statement may begin some lines above."""
    for above in range(line, max(0, line - 12), -1):
        if (path, above) in sources.lines:
            return sources.lines[path, above]
    return frozenset()


def same_code(mutant: SourceMutant) -> bool:
    """True if Python compiles the mutant to the very same code."""
    source = Path(mutant.file).read_text(encoding="utf-8")
    one = compile(source, mutant.file, "exec", dont_inherit=True)
    other = compile(mutated(source, mutant.index), mutant.file, "exec", dont_inherit=True)
    return marshal.dumps(one) == marshal.dumps(other)


def spec_of(mutant: SourceMutant) -> dict[str, Any]:
    """Return the arguments of the script in the testee's process."""
    return {"file": mutant.file, "index": mutant.index}
