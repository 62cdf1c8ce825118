"""The verdict on a mutant of a testee: the plan runs in its cells until a case fails."""

import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from wireproof.base.text.wording import counted
from wireproof.model.cell import Cell
from wireproof.power.summary import (
    MutantDescription,
    MutantDiagnosis,
    MutantOutcome,
    MutantVerdict,
    killing_case,
)
from wireproof.power.testees.mutant import AnswerMutant, MutatedSession, MutationCounts
from wireproof.power.testees.operator import predicting
from wireproof.power.testees.plan_runner import Baseline, CellOutcome, PlanRunner, SessionPair
from wireproof.power.testees.source_mutants import (
    SOURCE_CLASS,
    SourceMutant,
    mutated_launch,
    same_code,
    spec_of,
)
from wireproof.power.testees.watching import Excuse, Probe
from wireproof.proof.deviations.deviation import Deviation
from wireproof.proof.deviations.deviation_words import deviation_sentence
from wireproof.proof.deviations.search.cell_diagnosis import CellDiagnosis
from wireproof.proof.run.core.cell_events import FailedCase, LostCell
from wireproof.proof.testees.session.testee_session import TesteeSession
from wireproof.proof.testees.testee_errors import TesteeError

_MOST_CELLS: Final = 4
"""The most cells in which the plan tries to kill a mutant."""

_VERSION: Final = re.compile(r'"version":(-?\d+)')
"""The version that a question is about."""


@dataclass(slots=True)
class _Passed:
    """The cells of a mutant in which no case failed.

    Attributes:
        outcomes: the outcomes by cell, in the order in which the cells ran.
    """

    cases: int = 0
    duration_s: float = 0.0
    outcomes: dict[Cell, CellOutcome] = field(default_factory=dict)

    def compared(self, own: Mapping[Cell, Baseline]) -> "_Effect":
        """Compare the answers and the excuses with those of the testee itself."""
        effect = _Effect()
        for cell, done in self.outcomes.items():
            effect.excuses += done.excuses - own[cell].excuses
            effect.excused |= done.excuses.keys()
            asked, changed = done.transcript.compared(own[cell].transcript)
            effect.asked += asked
            effect.changed[cell] = changed
        return effect


@dataclass(slots=True)
class _Effect:
    """The differences between a mutant that failed no case and the testee itself.

    Attributes:
        excuses: the excuses that only the mutant needed.
        excused: all excuses that the mutant needed.
        asked: the number of answers that were compared.
        changed: by cell and digest, the questions whose answers differ, each cut short.
    """

    excuses: Counter[Excuse] = field(default_factory=Counter)
    excused: set[Excuse] = field(default_factory=set)
    asked: int = 0
    changed: dict[Cell, dict[int, str]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.excuses) or any(self.changed.values())


@dataclass(slots=True)
class MutantJudge:
    """Judges mutants of one testee. It keeps the testee's processes, and the answers of the testee itself.

    Attributes:
        name: the name of the testee.
        runner: runs the plan on the testee and its mutants; its owner closes it.
        cells: the cells that the plan tries, of those that the testee claims.
        diagnoses: whether to search the causes of each killed mutant, too.
    """

    name: str
    runner: PlanRunner
    cells: Sequence[Cell]
    diagnoses: bool = False
    _probed: dict[Cell, list[int]] = field(default_factory=dict, init=False)
    _own_causes: dict[Cell, set[Deviation]] = field(default_factory=dict, init=False)

    def judge(self, places: Sequence[AnswerMutant] | SourceMutant) -> MutantVerdict:
        """Judge a mutant at the first of several places that the plan reaches.

        Raises:
            OracleError: the oracle cannot work at all.
            TesteeError: the testee does not start.
        """
        if isinstance(places, SourceMutant):
            return self._judge_source(places)
        verdict = self._judge_answers(places[0])
        for mutant in places[1:]:
            if verdict.outcome is not MutantOutcome.NOT_ASKED:
                break
            verdict = self._judge_answers(mutant)
        return verdict

    def _judge_answers(self, mutant: AnswerMutant) -> MutantVerdict:
        tally, description = MutationCounts(), describe(self.name, mutant)
        one, other = self.runner.sessions
        pair = MutatedSession(one, mutant, tally), MutatedSession(other, mutant, tally)
        passed = self._plan(description, self._cells(mutant), pair)
        if not isinstance(passed, _Passed):
            return self._diagnosed(passed, pair, mutant)
        if not tally.changed:
            words = f"none of {tally.asked:,} answers about the message changed"
            return MutantVerdict(
                description, MutantOutcome.NOT_ASKED, duration_s=passed.duration_s, evidence=words
            )
        effect = passed.compared({cell: self.runner.baseline(cell) for cell in passed.outcomes})
        return _left(description, passed, effect, tally.changed, tally.first)

    def _judge_source(self, mutant: SourceMutant) -> MutantVerdict:
        description = describe(self.name, mutant)
        if not mutant.executed:
            return MutantVerdict(
                description, MutantOutcome.NOT_ASKED, evidence="no question executes the line"
            )
        if same_code(mutant):
            words = "Python compiles it to the same code"
            return MutantVerdict(description, MutantOutcome.EQUIVALENT, evidence=words)
        pair = self.runner.hurried(mutated_launch(self.runner.launch, spec_of(mutant)))
        try:
            return self._stillborn(description, pair[0]) or self._judge_running(description, mutant, pair)
        finally:
            for each in pair:
                each.close()

    def _stillborn(self, description: MutantDescription, testee: TesteeSession) -> MutantVerdict | None:
        try:
            if testee.hello() == self.runner.sessions[0].hello():
                return None
            words = "its hello says otherwise what it claims"
        except TesteeError as error:
            words = f"it does not start: {error.message[:200]}"
        return MutantVerdict(description, MutantOutcome.STILLBORN, evidence=words)

    def _judge_running(
        self, description: MutantDescription, mutant: SourceMutant, pair: SessionPair
    ) -> MutantVerdict:
        tried = set(self.cells)
        cells = [cell for cell in mutant.cells if cell in tried]
        cells = sorted(cells, key=lambda cell: not self.runner.has_baseline(cell))[:_MOST_CELLS]
        if not cells:
            started = time.monotonic()
            cells, asked = self._changed_cells(pair[0])
            if not cells:
                words = f"none of {asked:,} answers about {counted(len(self.cells), 'cell')} changed"
                return _equivalent(description, words, time.monotonic() - started)
        passed = self._plan(description, cells, pair)
        if not isinstance(passed, _Passed):
            return self._diagnosed(passed, pair, None)
        effect = passed.compared({cell: self.runner.baseline(cell) for cell in passed.outcomes})
        if effect:
            effect = passed.compared(self.runner.hurried_baselines(tuple(passed.outcomes)))
        changed = [
            words for cell, questions in effect.changed.items() for words in self._steady(cell, questions)
        ]
        if not changed:
            where = counted(len(passed.outcomes), "cell")
            words = f"all {effect.asked:,} answers in {where} are those of the codec itself"
            return _equivalent(description, words, passed.duration_s)
        return _left(description, passed, effect, len(changed), min(changed))

    def _steady(self, cell: Cell, questions: dict[int, str]) -> Iterator[str]:
        """Yield those changed questions to which the testee itself gives the same answer twice.

        Other answers change by themselves (gzip writes the time). Versions that do not exist are left out.
        """
        if not questions:
            return
        again = self.runner.run(cell, self.runner.sessions, set())
        _, unsteady = again.transcript.compared(self.runner.baseline(cell).transcript)
        versions = {each.version for each in self.cells if each.message == cell.message}
        for key, words in questions.items():
            version = _VERSION.search(words)
            if key not in unsteady and (version is None or int(version[1]) in versions):
                yield words

    def _changed_cells(self, testee: TesteeSession) -> tuple[list[Cell], int]:
        """Return the first cells in which answers to a few questions differ, and the number of questions."""
        probe, adapter = Probe(self.runner.environment), self.runner.adapt(testee)
        if not self._probed:
            own = self.runner.adapt(self.runner.sessions[0])
            self._probed = {cell: Probe(self.runner.environment).digests(own, cell) for cell in self.cells}
        found: list[Cell] = []
        for cell in self.cells:
            if probe.digests(adapter, cell) != self._probed[cell]:
                found.append(cell)
            if len(found) >= _MOST_CELLS:
                break
        return found, probe.asked

    def _plan(
        self, description: MutantDescription, cells: Sequence[Cell], pair: SessionPair
    ) -> MutantVerdict | _Passed:
        """Run the plan in one cell after the other, until a case fails that the testee itself passes."""
        passed = _Passed()
        for cell in cells:
            own = self.runner.baseline(cell)
            if own.lost:
                return MutantVerdict(description, MutantOutcome.LOST, evidence=f"{cell.id}: {own.lost}")
            started = time.monotonic()
            done = self.runner.run(cell, pair)
            if done.hung and self.runner.learn_of_hurry(cell):
                done = self.runner.run(cell, pair)
            passed.duration_s += time.monotonic() - started
            passed.cases += done.cases
            if isinstance(done.ended, FailedCase):
                case = killing_case(done.ended)
                return MutantVerdict(description, MutantOutcome.KILLED, passed.cases, passed.duration_s, case)
            if isinstance(done.ended, LostCell):
                return MutantVerdict(
                    description, MutantOutcome.LOST, evidence=f"{cell.id}: {done.ended.reason}"
                )
            passed.outcomes[cell] = done
        return passed

    def _diagnosed(
        self, verdict: MutantVerdict, pair: SessionPair, mutant: AnswerMutant | None
    ) -> MutantVerdict:
        """Return the verdict on a killed mutant with the causes that a run reports of it."""
        if not self.diagnoses or verdict.killed_by is None:
            return verdict
        cell = verdict.killed_by.cell
        if cell not in self._own_causes:
            own = self.runner.diagnose(cell, self.runner.sessions)
            self._own_causes[cell] = {each.deviation for each in own.causes} if own else set()
        found = self.runner.diagnose(cell, pair)
        if found is None:
            return verdict
        causes = [each for each in found.causes if each.deviation not in self._own_causes[cell]]
        causes.sort(key=lambda each: -each.predicted)
        words = (*(deviation_sentence(each.deviation) for each in causes), *_of_calls(found))
        expected = frozenset[str]() if mutant is None else predicting(mutant.name)
        if mutant is None or not expected:
            return replace(verdict, diagnosis=MutantDiagnosis(words, rest=found.rest))
        first = causes[0].deviation if causes else None
        family = first is not None and f"{first.trigger} {first.action}" in expected
        scope = first is not None and _is_there(first, mutant)
        return replace(verdict, diagnosis=MutantDiagnosis(words, family, scope, found.rest))

    def _cells(self, mutant: AnswerMutant) -> list[Cell]:
        """The mutant's own cell if it is in the plan, then the newest, the oldest, one between."""
        message = mutant.cell.message
        every = [each for each in self.cells if each.message == message and each.version in mutant.layouts]
        every.sort(key=lambda cell: -cell.version)
        between = len(every) // 2
        own = [each for each in every if each == mutant.cell]
        return list(dict.fromkeys([*own, *every[:1], *every[-1:], *every[between : between + 1]]))


def describe(testee: str, mutant: AnswerMutant | SourceMutant) -> MutantDescription:
    """A mutant in words."""
    if isinstance(mutant, SourceMutant):
        return MutantDescription(
            testee, "source", mutant.operator, SOURCE_CLASS, mutant.description, mutant.place
        )
    operator = mutant.operator
    return MutantDescription(
        testee, "answers", operator.name, operator.bug_class.value, operator.description, mutant.place
    )


def _of_calls(found: CellDiagnosis) -> Iterator[str]:
    """Yield a sentence if the codec's answers do not depend on the questions alone."""
    if found.stale:
        yield "It gives the answer to the question before"
    elif found.two_answers:
        yield "It answers one question in two ways"
    elif found.constant:
        yield "Its answers do not depend on the input"


def _is_there(deviation: Deviation, mutant: AnswerMutant) -> bool:
    """Test if a deviation is in the direction of a mutant, and covers the mutant's field, if it has one."""
    fields = {each.removesuffix("._tags").removesuffix("_tags") for each in deviation.all_fields}
    here = not fields or not mutant.path or mutant.path in fields
    return here and mutant.way in (None, deviation.direction)


def _equivalent(description: MutantDescription, words: str, duration_s: float) -> MutantVerdict:
    return MutantVerdict(description, MutantOutcome.EQUIVALENT, duration_s=duration_s, evidence=words)


def _left(
    description: MutantDescription, passed: _Passed, effect: _Effect, changed: int, example: str
) -> MutantVerdict:
    """The verdict on a mutant that changed answers and failed no case."""
    if effect.excuses:
        verdict = MutantVerdict(description, MutantOutcome.MASKED, passed.cases, passed.duration_s)
        return replace(verdict, excuses=_by(effect.excuses))
    verdict = MutantVerdict(
        description, MutantOutcome.SURVIVED, passed.cases, passed.duration_s, evidence=example
    )
    excused = sorted({name for name, *_ in effect.excused})
    return replace(verdict, changed=changed, excuses=dict.fromkeys(excused, 0))


def _by(excuses: Counter[Excuse]) -> dict[str, int]:
    by: Counter[str] = Counter()
    for (name, *_), count in excuses.items():
        by[name] += count
    return dict(by)
