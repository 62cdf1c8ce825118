"""What a run is made of, out of the options of ``wireproof run``: for the command and `wireproof.proving`."""

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from wireproof.assembly.codec_under_test import CodecUnderTest, claims_audit, subject_of, under_test
from wireproof.assembly.corpus_in_use import CorpusInUse, use_corpus
from wireproof.assembly.jar_store import open_store
from wireproof.assembly.ledger_in_use import NO_LEDGER, LedgerInUse, ledger_path, open_ledger, use_ledger
from wireproof.assembly.prerequisites import as_fatal_error, need_libraries
from wireproof.assembly.run_inputs import (
    RunInputs,
    prepare,
    prepare_without_java,
    wanted_releases,
    with_primitives_of,
)
from wireproof.assembly.selection import mutations_of, no_cell, phases_of, selection_of
from wireproof.assembly.worker_environment import TWINS, make_bench
from wireproof.fatal import FatalError
from wireproof.ledger import Ledger
from wireproof.model import RECORDS_MODULE, Cell, Phase
from wireproof.releases import JarStore, table
from wireproof.run import (
    Engine,
    ExitCode,
    Layouts,
    MakeEnvironment,
    Prover,
    RunOptions,
    RunStarted,
    all_cells,
    at_edges,
    carries_records,
    in_shard,
    matching,
    retired,
)
from wireproof.testees import Launch
from wireproof.version import own_version

__all__ = ["RunPlan", "ledger_for", "plan_run"]

_VOLUME_CASES: Final = 100_000
"""So many cases of a cell are worth Java's optimising compiler."""


@dataclass(frozen=True, slots=True)
class RunPlan:
    """A run before it begins.

    Attributes:
        selected: the cells that the options name, claimed or not; `cells` are those that are claimed.
        jobs: processes at once.
        budget_s: wall-clock seconds; None for no limit.
        corpus: the set that the codec is held against in place of Kafka's classes; else None.
    """

    prepared: RunInputs
    subject: CodecUnderTest
    selected: Sequence[Cell]
    cells: Sequence[Cell]
    options: RunOptions
    ledger: LedgerInUse
    jobs: int
    budget_s: float | None
    corpus: CorpusInUse | None = None

    @property
    def make_bench(self) -> MakeEnvironment:
        """What a process calls to get its bench."""
        return make_bench(self.prepared, volume=self.for_volume)

    @property
    def for_volume(self) -> bool:
        """Whether Java had better take its time to become fast."""
        return Phase.BULK in self.options.phases and self.options.cases >= _VOLUME_CASES

    def engine(self, prover: Prover | None = None, *, part: bool = True) -> Engine:
        """The run; each can be run once.

        Args:
            prover: proves its cells; None for processes that end with it.
            part: whether such a prover gets a part of the cells only. Then ledger and claims are not judged:
                what a part shows says little.
        """
        ledger = claims = None
        if prover is None or not part:
            subject, layouts = self.subject, _layouts(self.prepared)
            ledger = self.ledger.audit
            claims = claims_audit(subject.launch, subject.hello, self.selected, layouts)
        return Engine(self.make_bench, self.options, self.jobs, self.budget_s, ledger, claims, prover)

    def started(self) -> RunStarted:
        """The header of the run."""
        parts = self.prepared.parts
        started = self.subject.told(
            RunStarted(
                version=own_version(),
                command=tuple(sys.argv),
                seed=self.options.seed,
                releases=tuple(part.release.version for part in parts),
                jars={jar.file_name: jar.sha256 for part in parts for jar in part.release.jars},
                subjects=self.prepared.subjects,
                phases=self.options.phases,
                mutations=self.options.mutations,
                cells=len(self.cells),
                retired={part.release.version: sum(1 for _ in retired(part.schemas)) for part in parts},
                ledger=self.ledger.words,
                ledger_of=self.ledger.of,
                cells_offered=len(self.subject.claimed(_every_cell(self.prepared))),
            )
        )
        return started if self.corpus is None else self.corpus.told(started)


def plan_run(options: dict[str, Any], launch: Launch | None = None) -> RunPlan:
    """The plan that the options make; takes some of them out of the dict.

    Args:
        launch: the testee in place of the one that the options name.

    Raises:
        FatalError: it cannot run, or there is nothing to run.
    """
    with as_fatal_error("Kafka's generator reads these files otherwise: look at kafkawire.schema."):
        return _plan(options, launch)


def _plan(options: dict[str, Any], launch: Launch | None) -> RunPlan:
    # Before anything is fetched or built.
    path = ledger_path(options, None)
    named = None if path is None else open_ledger(path)
    store = open_store(options.pop("jars"), options.pop("offline"))
    corpus = _corpus(options.pop("corpus"), options["phases"])
    prepared = _prepared(options, store, corpus)
    word = options.pop("testee")
    if launch is None:
        subject = under_test(word, store.cache_dir, offline=store.offline)
    else:
        subject = subject_of(launch.name, launch)
    prepared = with_primitives_of(replace(prepared, testee=subject.launch), subject.hello)
    phases = (Phase.CORPUS,) if corpus else phases_of(options["phases"])
    mutations = mutations_of(options.pop("mutations", None), options["phases"])
    whole = RunOptions(phases, mutations=mutations).whole_phases
    unused = options["ledger"] == NO_LEDGER
    ledger = use_ledger(None, whole) if unused else ledger_for(named, subject, whole)
    selected, cells = _cells(options, prepared, subject, corpus)
    if _holds_records(cells, prepared):
        need_libraries()
    jobs = min(options["jobs"], len(cells))
    run_options = replace(_run_options(options, phases, ledger, jobs), mutations=mutations)
    return RunPlan(prepared, subject, selected, cells, run_options, ledger, jobs, options["budget"], corpus)


def ledger_for(named: Ledger | None, subject: CodecUnderTest, phases: tuple[Phase, ...]) -> LedgerInUse:
    """The one that the user named, else the testee's own: of another version of its codec it explains what it
    can, and nothing is held against it, for there it says what it never saw."""
    if named is not None:
        return use_ledger(named, phases, subject.asked)
    own = None if subject.ledger is None else open_ledger(subject.ledger)
    ledger = use_ledger(own, phases, subject.asked)
    return replace(ledger, audit=None, of=subject.ledger_of) if subject.ledger_of else ledger


def _corpus(path: str | None, phases: tuple[str, ...]) -> CorpusInUse | None:
    """The corpus of a run without Java; None for any other run."""
    return None if path is None else use_corpus(path, malformed=Phase.MUTATIONS.value in phases)


def _prepared(options: dict[str, Any], store: JarStore, corpus: CorpusInUse | None) -> RunInputs:
    """The releases asked for: their jars, or the corpus that stands in for them."""
    words, twins = options.pop("releases"), options.pop("twins") or tuple(TWINS)
    if corpus is not None:
        return prepare_without_java(corpus.releases(words), store, twins, corpus.source)
    return prepare(wanted_releases(table(), words, options["patterns"]), store, twins)


def _cells(
    options: dict[str, Any], prepared: RunInputs, subject: CodecUnderTest, corpus: CorpusInUse | None
) -> tuple[Sequence[Cell], Sequence[Cell]]:
    """The cells that are selected, and those of them that are claimed; one at least."""
    selection = selection_of(options)
    every = matching(_every_cell(prepared), selection)
    if corpus is not None:
        every = [cell for cell in every if cell.id in corpus.cells]
    selected = in_shard(every, selection.shard)
    cells = claimed = subject.claimed(selected)
    if options["edges"]:
        layouts = _layouts(prepared)
        edges = at_edges(subject.claimed(every), lambda cell: layouts.of(cell).flexible)
        cells = in_shard(edges, selection.shard)
    if selected and not claimed:
        raise FatalError(
            f"{prepared.subjects[0]} claims none of the {len(selected)} cells that match",
            "`wireproof testee check` lists what it claims.",
            ExitCode.NOTHING_RAN,
        )
    if not cells:
        raise no_cell(_every_cell(prepared), selection)
    return selected, cells


def _every_cell(prepared: RunInputs) -> list[Cell]:
    return [cell for part in prepared.parts for cell in all_cells(part.schemas)]


def _run_options(
    options: dict[str, Any], phases: tuple[Phase, ...], ledger: LedgerInUse, jobs: int
) -> RunOptions:
    shrink_total_s = options["shrink_total_s"]
    return RunOptions(
        phases,
        options["examples"],
        options["seed"],
        options["shrink_s"],
        cases=options["cases"],
        first_case=options["first_case"],
        known=ledger.known,
        shrink_all_s=math.inf if shrink_total_s is None else shrink_total_s / jobs,
        every_hang=bool(options.get("every_hang")),
    )


def _holds_records(cells: Sequence[Cell], prepared: RunInputs) -> bool:
    """Whether a cell is a record set or has one in it."""
    layouts = _layouts(prepared)
    return any(cell.module == RECORDS_MODULE or carries_records(layouts.of(cell)) for cell in cells)


def _layouts(prepared: RunInputs) -> Layouts:
    return Layouts({part.release.version: part.schemas for part in prepared.parts})
