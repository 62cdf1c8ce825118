"""Mutation testing of the harness with our own codec and with testees."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar, assert_never

from wireproof.app.assembly.codec_under_test import subject_of
from wireproof.app.assembly.inputs.run_inputs import (
    NamingLayouts,
    RunInputs,
    prepare,
    wanted_releases,
    with_primitives_of,
)
from wireproof.app.assembly.prerequisites import installed_forms, open_store
from wireproof.app.assembly.run_plan import ledger_for
from wireproof.app.assembly.worker_environment import environment_maker, open_testee
from wireproof.base.exit_codes import FatalError
from wireproof.base.text.wording import counted, echo
from wireproof.kafka.releases.release_table import table
from wireproof.model.adapter import Adapter
from wireproof.model.cell import Cell
from wireproof.power.codec_judging import OWN_CODEC, PowerEnvironment, lost_mutant, make_codec_judge
from wireproof.power.mutant_pool import MutantPool
from wireproof.power.mutants.generation import MessageCodecs, RecordCodecs
from wireproof.power.mutants.mutant_recipe import MakeOperators, MutantRecipe
from wireproof.power.summary import (
    TESTEE_GOAL,
    MutantDescription,
    MutantOutcome,
    MutantVerdict,
    MutationSummary,
)
from wireproof.power.testees.choosing import MutationFixtures, choose_mutants
from wireproof.power.testees.judging import MutantJudge, describe
from wireproof.power.testees.mutant import AnswerMutant
from wireproof.power.testees.plan_runner import PlanRunner
from wireproof.power.testees.source_mutants import SOURCE_CLASS, SourceMutant, choose_source_mutants, trace
from wireproof.power.testees.watching import Probe
from wireproof.proof.adapters.own.kafkawire_adapter import KafkawireAdapter
from wireproof.proof.adapters.own.limited_codec import LimitedCodec
from wireproof.proof.adapters.own.record_adapter import RecordCodec, RecordsAdapter
from wireproof.proof.adapters.testee.testee_adapter import TesteeAdapter
from wireproof.proof.config.command_configs import PowerConfig
from wireproof.proof.config.run_config import RunConfig
from wireproof.proof.run.core.environment import all_cells, header_layouts
from wireproof.proof.run.core.plan import KnownDeviations, RunOptions, at_edges
from wireproof.proof.run.engine.worker_pool import WorkerBroken
from wireproof.proof.testees.build.launch import Launch, prepare_testee
from wireproof.proof.testees.description.manifest import every_shipped_word, read_manifest
from wireproof.proof.testees.process.child_process import ChildProcess

_Operator = TypeVar("_Operator")


@dataclass(frozen=True, slots=True)
class MutationCampaign:
    """The mutants to judge.

    Attributes:
        title: the codecs and the release, in words.
        mutants: each is pickled for a worker.
        make_judge: makes the judge of one mutant after the other; each worker calls it once.
        goal: the least share of mutants to kill.
    """

    title: str
    mutants: Sequence[Any]
    make_judge: Callable[[], Callable[[Any], MutantVerdict]]
    lost: Callable[[Any, str], MutantVerdict]
    goal: float
    in_order: bool = True

    @property
    def summary(self) -> MutationSummary:
        return MutationSummary(len(self.mutants), goal=self.goal)

    def verdicts(self, jobs: int) -> Iterator[MutantVerdict | WorkerBroken | int]:
        """Yield the verdicts, and between them the number judged so far. `WorkerBroken` is the last item."""
        with MutantPool(self.make_judge, self.mutants, self.lost, jobs, self.in_order) as pool:
            for verdict in pool.run():
                yield pool.judged if verdict is None else verdict


def inputs_of(config: PowerConfig) -> RunInputs:
    """The inputs of the one release that a campaign uses."""
    releases = wanted_releases(table(), [config.release], [], config.source)
    if len(releases) > 1:
        raise FatalError("mutants are judged by one release at a time", "Name one.")
    return prepare(releases, open_store(config.jars, config.offline), installed_forms())


def chosen_operators(
    operators: Mapping[str, _Operator], config: PowerConfig, class_of: Callable[[_Operator], str]
) -> dict[str, _Operator]:
    """The operators that the options choose by class or name; `FatalError` if a name is unknown."""
    unknown = [name for name in config.mutant if name not in operators]
    if unknown:
        testee = " --testee NAME" if config.testee else ""
        words = f"`wireproof power{testee} --list` shows all."
        raise FatalError(f"there is no mutation operator {unknown[0]!r}", words)
    return {
        name: operator
        for name, operator in operators.items()
        if (not config.bug_class or class_of(operator) in config.bug_class)
        and (not config.mutant or name in config.mutant)
    }


def own_campaign(
    prepared: RunInputs, make_operators: MakeOperators, names: Sequence[str], seed: int
) -> MutationCampaign:
    """The mutants of our codec; the plan has to kill each.

    Args:
        make_operators: a function of a module, so that pickle finds it by name.
    """
    make_judge = partial(make_codec_judge, partial(_environment, prepared), make_operators, seed)
    title = f"{OWN_CODEC} against Kafka {prepared.parts[0].release.version}"
    return MutationCampaign(title, names, make_judge, partial(lost_mutant, make_operators), goal=1)


def _environment(prepared: RunInputs) -> PowerEnvironment:
    """The environment of each worker. It does not use the run's own codecs: a mutant replaces them."""
    (part,) = prepared.parts
    headers = header_layouts(part.schemas)

    def adapt(name: str, codecs: MessageCodecs | RecordCodecs) -> Adapter:
        match codecs:
            case MessageCodecs(make=make, frames=frames):
                return KafkawireAdapter(name, make, headers, frames)
            case RecordCodecs():
                return RecordsAdapter(name, RecordCodec(codecs.encode, codecs.decode, codecs.size))
            case _:
                assert_never(codecs)

    def limit(name: str, recipe: MutantRecipe) -> LimitedCodec:
        return LimitedCodec(name, recipe.codec, make_records=recipe.records, cpu_s=1)

    return PowerEnvironment(environment_maker(prepared)(), part.schemas, adapt, limit)


_MUTANTS: Final = 40
"""The number of mutants for each testee."""


def _folders(launch: Launch) -> list[str]:
    """The folders with the source that the manifest of the testee names."""
    if launch.home is None or not isinstance(launch.target, ChildProcess) or launch.target.folder is None:
        return []
    place: Path = launch.target.folder
    return [
        str(path)
        for source in read_manifest(launch.home).sources
        for path in place.glob(f"env/lib/python*/site-packages/{source}")
    ]


EVERY: Final = "all"
"""The value of `--testee` for every testee that comes with wireproof."""

_PLACES: Final = 3
"""The number of places to try for a mutant until the plan reaches one."""


@dataclass(frozen=True, slots=True)
class Patient:
    """A testee to plant mutants in; plain data.

    Attributes:
        name: the name of the codec and its version.
        cells: the cells that the plan tries, of those that it claims.
        options: the options of the plan.
        known: its own ledger; None if it has none.
    """

    name: str
    prepared: RunInputs
    launch: Launch
    cells: tuple[Cell, ...]
    options: RunOptions
    known: KnownDeviations | None


_Places: TypeAlias = tuple[AnswerMutant, ...] | SourceMutant


@dataclass(frozen=True, slots=True)
class PlantedMutant:
    """A mutant and the name of its testee."""

    testee: str
    places: _Places

    @property
    def described(self) -> MutantDescription:
        mutant = self.places if isinstance(self.places, SourceMutant) else self.places[0]
        return describe(self.testee, mutant)


def _patient_of(
    prepared: RunInputs, launch: Launch, options: RunConfig, seed: int
) -> tuple[Patient, MutationFixtures]:
    """Greet a testee once; return it, and the fixtures for its mutants that follow from its claims."""
    subject = subject_of(launch.name, launch)
    assert subject.hello is not None
    prepared = with_primitives_of(replace(prepared, testee=launch), subject.hello)
    (part,) = prepared.parts
    cells = tuple(subject.claimed(list(all_cells(part.schemas))))
    fixtures = MutationFixtures(
        subject.hello, cells, prepared.layouts.of, header_layouts(part.schemas), NamingLayouts()
    )
    if options.edges:
        cells = tuple(at_edges(cells, lambda cell: prepared.layouts.of(cell).flexible))
    plan = RunOptions(options.phases, seed=seed, mutations=options.mutation_set)
    known = ledger_for(None, subject, plan.whole_phases).known
    return Patient(launch.name, prepared, launch, cells, plan, known), fixtures


def _make_judge(patients: Mapping[str, Patient], diagnoses: bool) -> Callable[[PlantedMutant], MutantVerdict]:
    """Return a worker's judge. It keeps only one testee open, because processes of testees need memory."""
    current: list[tuple[str, MutantJudge]] = []

    def judge(planted: PlantedMutant) -> MutantVerdict:
        if not current or current[0][0] != planted.testee:
            for _, before in current:
                before.runner.close()
            current[:] = [(planted.testee, _judge_of(patients[planted.testee], diagnoses))]
        return current[0][1].judge(planted.places)

    return judge


def _judge_of(patient: Patient, diagnoses: bool) -> MutantJudge:
    (part,) = patient.prepared.parts
    headers, names = header_layouts(part.schemas), NamingLayouts()
    runner = PlanRunner(
        environment_maker(patient.prepared)(),
        patient.launch,
        open_testee,
        lambda testee, observer=None: TesteeAdapter(testee, headers, names, observer=observer),
        patient.known,
        patient.options,
    )
    return MutantJudge(patient.name, runner, patient.cells, diagnoses)


def _lost(planted: PlantedMutant, reason: str) -> MutantVerdict:
    """The verdict on a mutant that the harness could not judge."""
    return MutantVerdict(planted.described, MutantOutcome.LOST, evidence=reason)


def testee_campaign(config: PowerConfig, prepared: RunInputs, operators: Sequence[str]) -> MutationCampaign:
    """Plant mutants in each testee of the options."""
    patients, planted = _planted(config, prepared, operators)
    title = f"{counted(len(patients), 'testee')} against Kafka {prepared.parts[0].release.version}"
    make_judge = partial(_make_judge, patients, config.causes)
    return MutationCampaign(title, planted, make_judge, _lost, TESTEE_GOAL, in_order=False)


def _planted(
    config: PowerConfig, prepared: RunInputs, operators: Sequence[str]
) -> tuple[dict[str, Patient], list[PlantedMutant]]:
    patients: dict[str, Patient] = {}
    planted: list[PlantedMutant] = []
    options = RunConfig.of(profile=config.profile) if config.profile else RunConfig()
    words = (word for each in config.testee for word in (every_shipped_word() if each == EVERY else [each]))
    for word in dict.fromkeys(words):
        launch = prepare_testee(
            word, prepared.cache_dir, lambda words: echo(words, err=True), offline=prepared.offline
        )
        patient, fixtures = _patient_of(prepared, launch, options, config.seed)
        patients[patient.name] = patient
        answers = choose_mutants(fixtures, operators, config.seed, _PLACES)
        mutants: list[_Places] = [tuple(places) for _, places in groupby(answers, lambda each: each.name)]
        if SOURCE_CLASS in (config.bug_class or [SOURCE_CLASS]) and not config.mutant:
            mutants += _source_mutants(patient, fixtures.cells, config.seed)
        planted += [PlantedMutant(patient.name, each) for each in _sampled(mutants, config, patient.name)]
    return patients, planted


def _source_mutants(patient: Patient, cells: Sequence[Cell], seed: int) -> list[SourceMutant]:
    """The mutants of a testee's own source; empty if its manifest names no source."""
    folders = _folders(patient.launch)
    if not folders:
        return []
    (part,) = patient.prepared.parts
    headers, names = header_layouts(part.schemas), NamingLayouts()
    probe = Probe(environment_maker(patient.prepared)())
    found = trace(
        patient.launch, folders, cells, probe, lambda other: TesteeAdapter(open_testee(other), headers, names)
    )
    return choose_source_mutants(found, cells, seed, _MUTANTS)


def _sampled(mutants: list[_Places], config: PowerConfig, testee: str) -> list[_Places]:
    """A sample of the mutants as large as the options allow, in their own order."""
    most = config.mutants
    if most is None or most >= len(mutants):
        return mutants
    chosen = set(random.Random(f"{config.seed}/{testee}").sample(range(len(mutants)), most))
    return [mutant for index, mutant in enumerate(mutants) if index in chosen]
