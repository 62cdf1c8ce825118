"""The plan of a run, made of its configuration: for the command, the library, pytest and Spark."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from wireproof.app.assembly.codec_under_test import CodecUnderTest, claims_audit, subject_of, under_test
from wireproof.app.assembly.corpus.corpus_in_use import CorpusInUse, use_corpus
from wireproof.app.assembly.inputs.cell_lookup import no_cell
from wireproof.app.assembly.inputs.run_inputs import (
    RunInputs,
    prepare,
    prepare_without_java,
    wanted_releases,
    with_primitives_of,
)
from wireproof.app.assembly.ledger_in_use import (
    NO_LEDGER,
    LedgerInUse,
    TriedCause,
    find_cause,
    ledger_path,
    open_ledger,
    use_ledger,
)
from wireproof.app.assembly.prerequisites import check_forms, installed_forms, need_libraries, open_store
from wireproof.app.assembly.worker_environment import environment_maker, import_for_workers
from wireproof.base.exit_codes import ExitCode, FatalError
from wireproof.base.grouping import grouped
from wireproof.kafka.releases.jar_store import JarStore
from wireproof.kafka.releases.release_table import table
from wireproof.model.cell import RECORDS_MODULE, Cell, Phase
from wireproof.proof.config.run_config import RunConfig
from wireproof.proof.run.core.environment import MakeEnvironment
from wireproof.proof.run.core.plan import RunOptions, at_edges, in_shard, matching, retired
from wireproof.proof.run.core.run_events import RunHeader
from wireproof.proof.run.engine.engine import Engine, Prover
from wireproof.proof.run.phases.records_phase import carries_records
from wireproof.proof.testees.build.launch import Launch
from wireproof.verdict.ledger.audit import AuditScope
from wireproof.verdict.ledger.bounds import CountScope
from wireproof.verdict.ledger.ledger import Ledger
from wireproof.verdict.report.failure_files import LAST_FAILED, read_failed_cells

_VOLUME_CASES: Final = 100_000
"""From this number of cases in a cell, Java's optimising compiler saves time."""


@dataclass(frozen=True, slots=True)
class RunPlan:
    """A run before it begins.

    Attributes:
        selected: the cells that the options name, claimed or not; `cells` has only the claimed ones.
        corpus: the corpus that replaces Kafka's classes; None for a run with these classes.
        cause: the cause that the run tries again; None for any other run.
    """

    config: RunConfig
    prepared: RunInputs
    subject: CodecUnderTest
    selected: Sequence[Cell]
    cells: Sequence[Cell]
    options: RunOptions
    ledger: LedgerInUse
    jobs: int
    corpus: CorpusInUse | None = None
    cause: TriedCause | None = None

    @property
    def make_environment(self) -> MakeEnvironment:
        """The function that a process calls to make its environment."""
        return environment_maker(self.prepared, volume=self.for_volume)

    @property
    def failure_record(self) -> Mapping[str, Any]:
        """The members of each failure's record that name the definitions of a fork; empty without a fork."""
        source = self.config.schema_source
        return {} if source is None else source.record

    @property
    def for_volume(self) -> bool:
        """True if the run is long enough for Java's optimising compiler."""
        return Phase.BULK in self.options.phases and self.options.cases >= _VOLUME_CASES

    def engine(
        self, prover: Prover | None = None, *, part: bool = True, first: Collection[Cell] = ()
    ) -> Engine:
        """Return a new engine, which can run only once.

        Args:
            prover: proves the cells; None for worker processes that end with the run.
            part: whether the prover gets only a part of the cells. Then the run does not judge the ledger and
                the claims, because a part shows too little.
            first: the cells to judge before all others; without effect if there is a prover.
        """
        ledger = claims = None
        if prover is None:
            import_for_workers(self.options.phases)
        if prover is None or not part:
            subject, layouts = self.subject, self.prepared.layouts
            ledger = self.ledger.audit
            claims = claims_audit(subject.launch, subject.hello, self.selected, layouts)
        return Engine(
            self.make_environment,
            self.options,
            self.jobs,
            self.config.budget,
            ledger,
            claims,
            prover,
            self.config.maxfail,
            first=first,
        )

    def started(self) -> RunHeader:
        parts = self.prepared.parts
        started = self.subject.describe(
            self.prepared.header(
                self.options,
                len(self.cells),
                mutations=self.options.mutations,
                retired={part.release.version: sum(1 for _ in retired(part.schemas)) for part in parts},
                ledger=self.ledger.words,
                ledger_of=self.ledger.of,
                cells_offered=len(self.subject.claimed(self.prepared.every_cell)),
                terms=self.ledger.terms,
                unclaimed=self._unclaimed(),
            )
        )
        return started if self.corpus is None else self.corpus.describe(started)

    def _unclaimed(self) -> dict[str, tuple[int, ...]]:
        """The versions of selected messages that the codec does not claim."""
        claimed = frozenset(self.subject.claimed(self.selected))
        versions = grouped(
            (f"{cell.release}/{cell.module}/{cell.message}", cell.version)
            for cell in self.selected
            if cell not in claimed
        )
        return {name: tuple(found) for name, found in versions.items()}


def plan_run(config: RunConfig, launch: Launch | None = None) -> RunPlan:
    """The plan of a run; `FatalError` if something that the run needs is missing, or nothing is selected."""
    source = config.schema_source
    # Read the ledger first: a fault in it is reported before anything is fetched or built.
    path = ledger_path(config.ledger, None)
    named = None if path is None else open_ledger(path)
    store = open_store(config.jars, config.offline)
    corpus = _corpus(config)
    prepared = _prepared(config, store, corpus)
    if launch is None:
        subject = under_test(config.testee, store.cache_dir, offline=store.offline)
    else:
        subject = subject_of(launch.name, launch)
    prepared = with_primitives_of(replace(prepared, testee=subject.launch), subject.hello)
    whole = RunOptions(config.phases, mutations=config.mutation_set).whole_phases
    unused = config.ledger == NO_LEDGER
    scope = _audit_scope(config, prepared, subject)
    cause = find_cause(config, subject.word, subject.ledger)
    if cause is not None:
        config, ledger = _for_cause(config, cause), use_ledger(cause.ledger, whole)
    else:
        ledger = use_ledger(None, whole) if unused else ledger_for(named, subject, whole, scope)
    if source is not None or cause is not None:
        ledger = replace(ledger, audit=None)  # its entries are about all cells of Kafka's releases
    selected, cells = _cells(config, prepared, subject, corpus, cause)
    if _holds_records(cells, prepared):
        need_libraries()
    jobs = min(config.processes, len(cells))
    options = _run_options(config, ledger, jobs)
    return RunPlan(config, prepared, subject, selected, cells, options, ledger, jobs, corpus, cause)


def _audit_scope(config: RunConfig, prepared: RunInputs, subject: CodecUnderTest) -> AuditScope:
    """The scope of the audit: the codec, and all cells whose cases its bounds count."""
    cells = frozenset(subject.claimed(prepared.every_cell))
    releases = tuple(part.release.version for part in prepared.parts)
    counts = CountScope(releases, config.phases, config.mutation_set, len(cells))
    return replace(subject.asked or AuditScope(), counts=counts, cells=cells)


def ledger_for(
    named: Ledger | None, subject: CodecUnderTest, phases: tuple[Phase, ...], scope: AuditScope | None = None
) -> LedgerInUse:
    """The ledger that the user named, else the testee's own. If the latter is about another version of the
    codec, it still explains failures, but no run audits it."""
    if named is not None:
        return use_ledger(named, phases, scope or subject.asked)
    own = None if subject.ledger is None else open_ledger(subject.ledger)
    ledger = use_ledger(own, phases, scope or subject.asked)
    return replace(ledger, audit=None, of=subject.ledger_of) if subject.ledger_of else ledger


def _corpus(config: RunConfig) -> CorpusInUse | None:
    """The corpus of a run without Java; None for any other run."""
    if config.no_java is None:
        return None
    return use_corpus(config.no_java, malformed=Phase.MUTATIONS.value in config.phase)


def _prepared(config: RunConfig, store: JarStore, corpus: CorpusInUse | None) -> RunInputs:
    """The inputs of the releases: their jars, or the corpus in place of the jars."""
    forms, source = config.twin or installed_forms(), config.schema_source
    check_forms(forms)
    if corpus is not None:
        return prepare_without_java(corpus.releases(config.release, source), store, forms, corpus.source)
    return prepare(wanted_releases(table(), config.release, config.cell, source), store, forms)


def _for_cause(config: RunConfig, cause: TriedCause) -> RunConfig:
    """Return the options of a run of the phases in which a cause showed, with the same mutations."""
    if config.phase or config.no_java is not None or not cause.phases:
        return config
    phases = tuple(each.value for each in config.phases if each in cause.phases and each is not Phase.SHAPE)
    return replace(config, phase=phases, mutations=config.mutation_set)


def _cells(
    config: RunConfig,
    prepared: RunInputs,
    subject: CodecUnderTest,
    corpus: CorpusInUse | None,
    cause: TriedCause | None,
) -> tuple[Sequence[Cell], Sequence[Cell]]:
    """Return the selected cells, and those that the codec claims: at least one cell."""
    selection = config.selection
    every = matching(prepared.every_cell, selection)
    if cause is not None:
        every = [cell for cell in every if cause.shows_in(cell)]
    if corpus is not None:
        every = [cell for cell in every if cell.id in corpus.cells]
    selected = in_shard(every, selection.shard)
    cells = claimed = subject.claimed(selected)
    if config.edges:
        layouts = prepared.layouts
        edges = at_edges(subject.claimed(every), lambda cell: layouts.of(cell).flexible)
        cells = in_shard(edges, selection.shard)
    if selected and not claimed:
        raise FatalError(
            f"{prepared.subjects[0]} claims none of the {len(selected)} cells that match",
            "`wireproof testee check` lists what it claims.",
            ExitCode.NOTHING_RAN,
        )
    if not cells:
        raise no_cell(prepared.every_cell, selection)
    if config.last_failed:
        failed = read_failed_cells(LAST_FAILED, subject.word)
        cells = [cell for cell in cells if cell.id in failed] or cells
    return selected, cells


def _run_options(config: RunConfig, ledger: LedgerInUse, jobs: int) -> RunOptions:
    return RunOptions(
        config.phases,
        config.examples,
        config.seed,
        config.shrink,
        cases=config.cases,
        first_case=config.first_case,
        known=ledger.known,
        mutations=config.mutation_set,
        shrink_all_s=math.inf if config.shrink_total is None else config.shrink_total / jobs,
        every_hang=config.every_hang,
    )


def _holds_records(cells: Sequence[Cell], prepared: RunInputs) -> bool:
    """True if a cell is a record set or contains one."""
    layouts = prepared.layouts
    return any(cell.module == RECORDS_MODULE or carries_records(layouts.of(cell)) for cell in cells)
