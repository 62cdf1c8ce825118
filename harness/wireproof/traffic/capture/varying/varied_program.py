"""The judgement of a program by varied answers, as a workload."""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any, Final

from wireproof.traffic.capture.capture_session import CaptureStage
from wireproof.traffic.capture.raw_client.raw_client import ApiCatalog
from wireproof.traffic.capture.variations.answer import Family
from wireproof.traffic.capture.variations.variation_table import CATALOGUE
from wireproof.traffic.capture.varying.cause_search import (
    CauseSearch,
    FoundCause,
    VaryFinding,
    VaryOutcome,
    VaryVerdict,
)
from wireproof.traffic.capture.varying.program_runs import (
    BudgetOverError,
    Lane,
    ProgramEnd,
    ProgramRuns,
    VaryingProxy,
    open_lanes,
)
from wireproof.traffic.capture.varying.varied_run import VariationChoice, choice_of, is_offer
from wireproof.traffic.capture.varying.version_offers import guess_offers, judge_offer, offer_rounds

_UNVARIED_LIMIT_S: Final = 300.0
_LIMIT_S: Final = 15.0
_LIMIT_TIMES: Final = 3.0
_SEARCH_LIMIT_S: Final = 4.0
_SEARCH_LIMIT_TIMES: Final = 2.0
_PART: Final = 12
"""The number of variations that one run tries together if several runs go on at the same time."""


@dataclass(frozen=True, slots=True)
class VaryOptions:
    """The options of a judgement.

    Attributes:
        only: the selections to try; none for the whole catalogue.
        versions: ``each``, ``edges`` or ``none``: the versions of each API that are offered alone.
        errors: true for retriable errors in place of the catalogue's other families.
        compares: true if stdout must be the same, too.
        budget_s: seconds for all runs; None for no limit.
        limit_s: seconds for a varied run; None for 15 s plus three times the duration without variations.
        maxfail: the number of findings after which the search ends; None for no limit.
        without: ids of variations to leave out.
        narrows: false to report only the variation, not the answer that it was made on.
        jobs: the number of runs at the same time, if several instances of the program can run at once.
    """

    only: tuple[VariationChoice, ...] = ()
    versions: str = "edges"
    errors: bool = False
    seed: int = 0
    compares: bool = False
    budget_s: float | None = None
    maxfail: int | None = None
    without: tuple[str, ...] = ()
    limit_s: float | None = None
    narrows: bool = True
    jobs: int = 1


@dataclass(slots=True)
class VariedProgram:
    """A workload that runs a command many times, and finds the variations that it cannot handle.

    Args:
        folder: for the outputs of the runs.
        found: takes each finding when it is made, and returns whether it counts for `maxfail`.
    """

    name = "varied-program"

    command: Sequence[str]
    proxy: VaryingProxy
    apis: ApiCatalog
    options: VaryOptions
    folder: Path
    found: Callable[[VaryFinding], bool]
    verdict: VaryVerdict = field(default_factory=VaryVerdict)
    _report: Callable[[str], None] = field(init=False)
    _runs: ProgramRuns = field(init=False)
    _usual: ProgramEnd = field(init=False)
    _search: CauseSearch = field(init=False)
    _began: float = 0.0
    _failures: int = 0
    _finding: Lock = field(default_factory=Lock)
    _taken: dict[tuple[str, ...], ProgramEnd] = field(default_factory=dict)
    """The ends of runs that ended as usual, by their selections. These selections are not run again."""

    def run(self, stage: CaptureStage) -> None:
        """Run the program twice without variations, then with them.

        Raises:
            CaptureError: the program cannot be started, or the cluster failed.
        """
        self._began, self._report = time.monotonic(), stage.report
        options = self.options
        first = Lane(stage, self.proxy)
        with open_lanes(first, self.apis.naming, self.folder, options.jobs) as lanes:
            self._runs = ProgramRuns(
                self.command, lanes, self.folder, seed=options.seed, compares=options.compares
            )
            try:
                usual = self._unvaried()
                if usual is not None:
                    self._usual = usual
                    self._search = CauseSearch(self._attempt, usual, self._is_found)
                    jobs = min(len(lanes), len(self._whole_rounds()))
                    self._examine_all(jobs if self._runs_beside_itself(jobs) else 1)
            except BudgetOverError:
                self.verdict.over_budget = True
            finally:
                self._runs.stopping.set()
                self._count()

    def _examine_all(self, jobs: int) -> None:
        """Examine the rounds, `jobs` of them at the same time."""
        with ThreadPoolExecutor(jobs) as pool:
            try:
                for done in as_completed([pool.submit(self._examine, each) for each in self._rounds(jobs)]):
                    done.result()
            except BudgetOverError:
                if not self._is_enough:
                    raise
            finally:
                self._runs.stopping.set()

    def _runs_beside_itself(self, jobs: int) -> bool:
        """Start `jobs` runs of the program at the same time; return True if each run ends as usual."""
        if jobs == 1:
            return True
        self._report(f"run {self._number}, without variations: {jobs} at the same time")
        limit_s = self.options.budget_s or _LIMIT_S + jobs * _LIMIT_TIMES * self.verdict.usual_s
        with ThreadPoolExecutor(jobs) as pool:
            ends = list(pool.map(lambda _: self._runs.run((), limit_s), range(jobs)))
        self.verdict.usual_s = max(self.verdict.usual_s, *(end.seconds for end in ends))
        other = next((end for end in ends if self._search.differs(end)), None)
        if other is None:
            return True
        ended = _ending(other, self._usual, self.apis)
        self._report(f"beside itself the program {ended}, so one run at a time: {other.errors.strip()}")
        return False

    def facts(self) -> Mapping[str, Any]:
        outcomes = {name: str(outcome) for name, outcome in self.verdict.outcomes.items()}
        return {"command": list(self.command), "runs": self.verdict.runs, "outcomes": outcomes}

    def _unvaried(self) -> ProgramEnd | None:
        """Return the usual end; None, with the fault in the verdict, if the program cannot be judged."""
        limit_s = self.options.budget_s or _UNVARIED_LIMIT_S
        ends: list[ProgramEnd] = []
        for _ in range(2):
            self._report(f"run {len(ends) + 1}, without variations")
            ends.append(self._runs.run((), limit_s))
            self.verdict.fault = _fault(ends, limit_s)
            if self.verdict.fault:
                return None
        self.verdict.usual_s = ends[-1].seconds  # the first one met a cold broker
        return ends[-1]

    def _rounds(self, jobs: int) -> list[Sequence[VariationChoice]]:
        """Return the sets of selections to try together: a set has at most one variation of each slot."""
        rounds = self._whole_rounds()
        if jobs == 1:
            return rounds
        return [one[at : at + _PART] for one in rounds for at in range(0, len(one), _PART)]

    def _whole_rounds(self) -> list[Sequence[VariationChoice]]:
        if self.options.only:
            return _rounds_of(self.options.only)
        rounds = catalogue_rounds(errors=self.options.errors, without=self.options.without)
        if self.options.errors or self.options.versions == "none":
            return rounds
        offers = offer_rounds(self.apis, self._usual.log, each=self.options.versions == "each")
        left_out = self.options.without
        return [*rounds, *([each for each in one if each.variation.id not in left_out] for one in offers)]

    def _examine(self, selections: Sequence[VariationChoice]) -> None:
        """Try selections together; remove the causes of a different end one by one, until none is left."""
        outcomes = self.verdict.outcomes
        rest = [each for each in selections if each.variation.id not in outcomes]
        for each in rest:
            outcomes[each.variation.id] = VaryOutcome.NOT_RUN
        repeated = False
        while rest and not self._runs.stopping.is_set():
            self._report(f"run {self._number}: {_words(rest)}")
            end = self._attempt(rest, patient=repeated or len(rest) == 1)
            if not self._search.differs(end):
                met = {site.variation.id for site in end.log.sites}
                for each in rest:
                    name = each.variation.id
                    outcomes[name] = VaryOutcome.TAKEN if name in met else VaryOutcome.UNMET
                return
            unknown = [each for each in rest if (str(each),) not in self._taken]
            guesses = guess_offers(unknown, self.apis, self._usual.log, end.log)
            cause = self._search.find(rest, end, guesses)
            if not cause.steady and len(cause.selections) > 1 and not repeated:
                repeated = True  # a single unusual end proves nothing about any selection
                continue
            if len(cause.selections) > 1 and any(is_offer(each) for each in cause.selections):
                self._apart(cause.selections)
            else:
                self._settle(cause)
            gone = {each.variation.id for each in cause.selections}
            rest = [each for each in rest if each.variation.id not in gone]

    def _apart(self, selections: Sequence[VariationChoice]) -> None:
        """Try offers one by one, because a program need not work with several old versions at once."""
        for each in selections:
            end = self._attempt([each], patient=True)
            if self._search.differs(end):
                self._settle(FoundCause((each,), end))
            else:
                self.verdict.outcomes[each.variation.id] = VaryOutcome.TAKEN

    def _judged(self, selection: VariationChoice, end: ProgramEnd) -> VaryOutcome:
        return judge_offer(selection, self.apis, self._usual.log, end.log)

    def _is_found(self, selection: VariationChoice, end: ProgramEnd) -> bool:
        return self._judged(selection, end) is VaryOutcome.FOUND

    def _settle(self, cause: FoundCause) -> None:
        """Record a cause: a finding, an unsteady run, or a version that the program does not speak."""
        outcome = VaryOutcome.FOUND if cause.steady else VaryOutcome.UNSTEADY
        if cause.steady and len(cause.selections) == 1:
            outcome = self._judged(cause.selections[0], cause.end)
        for each in cause.selections:
            self.verdict.outcomes[each.variation.id] = outcome
        if outcome is not VaryOutcome.FOUND:
            return
        names = " + ".join(each.variation.id for each in cause.selections)
        self._report(f"run {self._number}: the program does not take {names}; looking for the answer")
        cause = self._search.narrow(cause) if self.options.narrows else cause
        end = cause.end
        sites = [site for site in end.log.sites if site.variation == cause.selections[0].variation]
        finding = VaryFinding(
            cause.selections,
            _ending(self._usual, end, self.apis),
            _ending(end, self._usual, self.apis),
            sites[-1] if sites else None,
            end.errors,
            cause.narrowed,
        )
        with self._finding:
            self.verdict.findings.append(finding)
            self._failures += self.found(finding)
        if self._is_enough:
            self._runs.stopping.set()

    @property
    def _is_enough(self) -> bool:
        return self.options.maxfail is not None and self._failures >= self.options.maxfail

    @property
    def _number(self) -> int:
        return len(self._runs.ends) + 1

    def _attempt(self, selections: Sequence[VariationChoice], *, patient: bool) -> ProgramEnd:
        """Run the program with these selections; see `ProgramAttempt`.

        Raises:
            BudgetOverError: there is no time left.
        """
        names = tuple(sorted(map(str, selections)))
        if names in self._taken:
            return self._taken[names]
        usual_s = self.verdict.usual_s
        limit_s = self.options.limit_s or _LIMIT_S + _LIMIT_TIMES * usual_s
        if not patient:
            limit_s = min(limit_s, _SEARCH_LIMIT_S + _SEARCH_LIMIT_TIMES * usual_s)
        if self.options.budget_s is not None:
            left_s = self.options.budget_s - (time.monotonic() - self._began)
            if left_s < min(limit_s, 2 * usual_s):
                raise BudgetOverError
        end = self._runs.run(selections, limit_s)
        if not self._search.differs(end):
            self._taken[names] = end
        return end

    def _count(self) -> None:
        verdict = self.verdict
        for end in self._runs.ends:
            verdict.runs += 1
            verdict.connections += end.log.connections
            for (key, version), count in end.log.requests.items():
                name = self.apis.name(key)
                if name is not None:
                    verdict.spoken[name, version] += count


def _rounds_of(selections: Sequence[VariationChoice]) -> list[Sequence[VariationChoice]]:
    """Return the selections as sets that can be tried together, in the order of the catalogue."""
    order = {each.id: number for number, each in enumerate(CATALOGUE)}
    rounds: list[dict[str, VariationChoice]] = []
    for each in sorted(selections, key=lambda each: order.get(each.variation.id, len(order))):
        key = each.variation.slot or each.variation.id
        free = next((one for one in rounds if key not in one), None)
        if free is None:
            rounds.append(free := {})
        free[key] = each
    return [list(one.values()) for one in rounds]


def catalogue_rounds(*, errors: bool, without: Collection[str] = ()) -> list[Sequence[VariationChoice]]:
    """Return the variations of the catalogue as sets to try together, with one variation of a slot in each.

    Args:
        errors: true for retriable errors in place of the other families.
        without: ids of variations to leave out.
    """
    chosen = [each for each in CATALOGUE if (each.family is Family.ERRORS) == errors]
    return _rounds_of([choice_of(each) for each in chosen if each.id not in without])


def _fault(ends: Sequence[ProgramEnd], limit_s: float) -> str:
    """Return the reason why the unvaried program cannot be judged; ``""`` if there is none."""
    end = ends[-1]
    protocols = ", ".join(sorted(end.log.foreign))
    if end.late:
        return f"the program did not end within {limit_s:g} s without variations"
    if protocols:
        return f"the program spoke {protocols} to the broker, which expects Kafka's protocol without TLS"
    if not end.log.connections:
        return "the program did not connect to the broker"
    if not end.log.requests:
        return "the program connected, and sent no request"
    if ends[0].result != end.result:
        outputs = " with another output" if ends[0].ended == end.ended else ""
        first, second = (each.ended or "ended with exit code 0" for each in (ends[0], end))
        return f"the program is flaky: without variations it {first}, then {second}{outputs}"
    if len(ends) > 1 and end.ended:
        return f"the program fails without variations: it {end.ended}"
    return ""


def _ending(end: ProgramEnd, other: ProgramEnd, apis: ApiCatalog) -> str:
    """Return the end of a run in words."""
    if end.late:
        return f"had not ended after {end.seconds:.0f} s"
    words = end.ended or "ended with exit code 0"
    if end.ended == other.ended and end.output != other.output:
        words += ", with another output"
    wrong = sorted(end.log.not_offered - other.log.not_offered)
    asked = ", ".join(f"{apis.name(key) or key} version {version}" for key, version in wrong)
    return f"{words}, and sent {asked}, which was not offered" if asked else words


def _words(selections: Sequence[VariationChoice]) -> str:
    names = [str(each) for each in selections]
    return ", ".join(names) if len(names) < 4 else f"{len(names)} variations, from {names[0]} to {names[-1]}"
