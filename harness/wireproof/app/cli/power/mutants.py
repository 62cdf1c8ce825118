"""``wireproof power --testee``: mutants of testees, judged with their adapters and ledgers."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import Final

from wireproof.app.assembly.codec_under_test import CodecUnderTest, subject_of
from wireproof.app.assembly.inputs.run_inputs import RunInputs, with_primitives_of
from wireproof.app.assembly.run_plan import ledger_for
from wireproof.app.assembly.snapshot_layouts import NamingLayouts
from wireproof.app.assembly.worker_environment import environment_maker, open_testee
from wireproof.app.cli.power.source_planting import source_mutants
from wireproof.app.cli.testee.every_testee import every_word
from wireproof.base.fatal import FatalError
from wireproof.base.text.output import document, echo
from wireproof.model import Cell, KnownDeviations
from wireproof.power import MutantPool
from wireproof.power.testees import (
    OPERATORS,
    SOURCE_CLASS,
    AnswerMutant,
    Description,
    LostVerdict,
    MutantJudge,
    MutantVerdict,
    MutationFixtures,
    MutationSummary,
    Operator,
    SourceMutant,
    choose_mutants,
    describe,
)
from wireproof.proof.adapters.testee import TesteeAdapter
from wireproof.proof.config import PowerConfig
from wireproof.proof.run import DEFAULT_PHASES, ExitCode, Layouts, WorkerBroken, all_cells, header_layouts
from wireproof.proof.testees import Launch, prepare_testee

__all__ = ["Patient", "PlantedMutant", "chosen_operators", "judge_testees", "list_operators"]

EVERY: Final = "all"
"""The value of `--testee` for every testee that comes with wireproof."""

_PLACES: Final = 3
"""The number of places to try for a mutant until the plan reaches one."""


@dataclass(frozen=True, slots=True)
class Patient:
    """A testee to plant mutants in; plain data.

    Attributes:
        name: of the codec and its version.
        cells: those that it claims.
        known: its own ledger; None if it has none.
    """

    name: str
    prepared: RunInputs
    launch: Launch
    cells: tuple[Cell, ...]
    known: KnownDeviations | None


@dataclass(frozen=True, slots=True)
class PlantedMutant:
    """A mutant and the name of its testee.

    Attributes:
        places: the mutant at the place that the seed chose, then at others if the plan does not reach it.
    """

    testee: str
    places: tuple[AnswerMutant, ...] | SourceMutant

    @property
    def described(self) -> Description:
        """The description of the mutant."""
        mutant = self.places if isinstance(self.places, SourceMutant) else self.places[0]
        return describe(self.testee, mutant)


def patient_of(prepared: RunInputs, launch: Launch) -> tuple[Patient, MutationFixtures]:
    """Greet a testee once; the testee, and the inputs that its claims give for mutants.

    Raises:
        TesteeError: it does not start or greet.
    """
    subject = subject_of(launch.name, launch)
    assert subject.hello is not None
    prepared = with_primitives_of(replace(prepared, testee=launch), subject.hello)
    (part,) = prepared.parts
    cells = tuple(subject.claimed(list(all_cells(part.schemas))))
    layouts = Layouts({part.release.version: part.schemas})
    fixtures = MutationFixtures(
        subject.hello, cells, layouts.of, header_layouts(part.schemas), NamingLayouts()
    )
    return Patient(launch.name, prepared, launch, cells, _ledger(subject)), fixtures


def _ledger(subject: CodecUnderTest) -> KnownDeviations | None:
    return ledger_for(None, subject, DEFAULT_PHASES).known


def make_judge(patients: Mapping[str, Patient], seed: int) -> Callable[[PlantedMutant], MutantVerdict]:
    """A worker's judge. It keeps one testee open at a time, because its processes need memory."""
    current: list[tuple[str, MutantJudge]] = []

    def judge(planted: PlantedMutant) -> MutantVerdict:
        if not current or current[0][0] != planted.testee:
            for _, before in current:
                before.close()
            current[:] = [(planted.testee, _judge_of(patients[planted.testee], seed))]
        return current[0][1].judge(planted.places)

    return judge


def _judge_of(patient: Patient, seed: int) -> MutantJudge:
    (part,) = patient.prepared.parts
    headers, names = header_layouts(part.schemas), NamingLayouts()
    return MutantJudge(
        patient.name,
        environment_maker(patient.prepared)(),
        patient.launch,
        open_testee,
        lambda testee: TesteeAdapter(testee, headers, names),
        patient.known,
        patient.cells,
        seed,
    )


def lost(planted: PlantedMutant, reason: str) -> MutantVerdict:
    """The verdict on a mutant that the harness could not judge."""
    return LostVerdict(planted.described, reason)


def chosen_operators(classes: Sequence[str], names: Sequence[str]) -> dict[str, Operator]:
    """The operators of some classes and names; an empty list means all.

    Raises:
        FatalError: a name is unknown, or no operator is left.
    """
    unknown = [name for name in names if name not in OPERATORS]
    if unknown:
        raise FatalError(
            f"there is no mutation operator {unknown[0]!r} for answers",
            "`wireproof power --testee NAME --list` shows all.",
            ExitCode.USAGE,
        )
    chosen = {
        name: operator
        for name, operator in OPERATORS.items()
        if (not classes or operator.bug_class.value in classes) and (not names or name in names)
    }
    if not chosen and SOURCE_CLASS not in classes:
        raise FatalError(
            "no mutation operator is of these classes and names", "Drop an option.", ExitCode.NOTHING_RAN
        )
    return chosen


def list_operators(operators: Mapping[str, Operator]) -> None:
    """Print one operator per line on standard output."""
    for name, operator in operators.items():
        echo(f"{operator.bug_class:12} {name:34} {operator.says}")


def judge_testees(config: PowerConfig, prepared: RunInputs, operators: Sequence[str]) -> int:
    """Plant mutants in each testee of the options and judge them; the exit code.

    Raises:
        TesteeError: a testee does not build, start or greet.
    """
    from rich.console import Console

    from wireproof.verdict.report.mutants.testee_mutants import MutantReport, json_text, mutant_tsv

    patients, planted = _planted(config, prepared, operators)
    summary = MutationSummary(len(planted))
    report = MutantReport(Console(stderr=True), summary, verbose=config.verbose)
    report.begin(prepared.parts[0].release.version, config.seed, len(patients))
    try:
        for verdict in _verdicts(patients, planted, config):
            if isinstance(verdict, WorkerBroken):
                summary.broken = ExitCode.MISSING if verdict.advice else ExitCode.BROKEN
                report.broken(verdict.message, verdict.advice)
            elif isinstance(verdict, int):
                report.tick(verdict)
            else:
                summary.add(verdict)
                report.verdict(verdict)
                if config.form == "tsv":
                    echo(mutant_tsv(verdict))
    except KeyboardInterrupt:
        summary.interrupted = True
    report.end()
    if config.form == "json":
        document(json_text(summary) + "\n")
    return int(summary.exit_code)


def _verdicts(
    patients: Mapping[str, Patient], planted: Sequence[PlantedMutant], config: PowerConfig
) -> Iterator[MutantVerdict | WorkerBroken | int]:
    """The verdicts in turn, and between them the number judged so far."""
    judge = partial(make_judge, patients, config.seed)
    with MutantPool(judge, planted, lost, config.jobs, in_order=False) as pool:
        for verdict in pool.run():
            yield pool.judged if verdict is None else verdict


def _planted(
    config: PowerConfig, prepared: RunInputs, operators: Sequence[str]
) -> tuple[dict[str, Patient], list[PlantedMutant]]:
    patients, planted = {}, []
    for word in _words(config.testee):
        launch = prepare_testee(
            word, prepared.cache_dir, lambda words: echo(words, err=True), offline=prepared.offline
        )
        patient, fixtures = patient_of(prepared, launch)
        patients[patient.name] = patient
        mutants = _of_answers(patient, fixtures, operators, config.seed)
        if SOURCE_CLASS in (config.bug_class or [SOURCE_CLASS]) and not config.mutant:
            mutants += _of_source(patient, config.seed)
        planted += _sampled(mutants, config, patient.name)
    return patients, planted


def _words(testees: Sequence[str]) -> list[str]:
    return list(
        dict.fromkeys(word for each in testees for word in (every_word() if each == EVERY else [each]))
    )


def _of_answers(
    patient: Patient, fixtures: MutationFixtures, operators: Sequence[str], seed: int
) -> list[PlantedMutant]:
    mutants = choose_mutants(fixtures, operators, seed, _PLACES)
    return [
        PlantedMutant(patient.name, tuple(places)) for _, places in groupby(mutants, lambda each: each.name)
    ]


def _of_source(patient: Patient, seed: int) -> list[PlantedMutant]:
    found = source_mutants(patient.prepared, patient.launch, patient.cells, seed)
    return [PlantedMutant(patient.name, mutant) for mutant in found]


def _sampled(mutants: list[PlantedMutant], config: PowerConfig, testee: str) -> list[PlantedMutant]:
    """A sample of the mutants as large as the options allow, in their own order."""
    most = config.mutants
    if most is None or most >= len(mutants):
        return mutants
    chosen = set(random.Random(f"{config.seed}/{testee}").sample(range(len(mutants)), most))
    return [mutant for index, mutant in enumerate(mutants) if index in chosen]
