"""The judgement of a program by varied answers, as a workload."""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from wireproof.traffic.capture.capture_session import CaptureStage
from wireproof.traffic.capture.raw_client.raw_client import ApiCatalog
from wireproof.traffic.capture.variations.answer import Family
from wireproof.traffic.capture.variations.variation_table import CATALOGUE
from wireproof.traffic.capture.varying.cause_search import (
    BudgetOverError,
    CauseSearch,
    FoundCause,
    VaryFinding,
    VaryOutcome,
    VaryVerdict,
)
from wireproof.traffic.capture.varying.program_runs import ProgramEnd, ProgramRuns, VaryingProxy
from wireproof.traffic.capture.varying.varied_run import VariationChoice, choice_of
from wireproof.traffic.capture.varying.version_offers import guess_offers, is_offer, judge_offer, offer_rounds

_UNVARIED_LIMIT_S: Final = 300.0
_LIMIT_S: Final = 15.0
_LIMIT_TIMES: Final = 3.0


@dataclass(frozen=True, slots=True)
class VaryOptions:
    """The options of a judgement.

    Attributes:
        only: the selections to try; none for the whole catalogue.
        versions: ``each``, ``edges`` or ``none``: the versions of each API that are offered alone.
        errors: true for retriable errors in place of the catalogue's other families.
        compares: true if stdout must be the same, too.
        budget_s: seconds for all runs; None for no limit.
        limit_s: seconds for a varied run; None for 15 s and three times as long as without variations.
        maxfail: the number of findings after which the search ends; None for no limit.
        without: ids of variations to leave out.
        narrows: false to name the variation alone, and not its answer.
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


class VariedProgram:
    """A workload that runs a command often, and finds the variations that it does not take.

    Args:
        folder: for the outputs of the runs.
        report: takes a line of progress.
        found: takes each finding when it is made, and returns whether it counts for `maxfail`.
    """

    name = "varied-program"

    def __init__(
        self,
        command: Sequence[str],
        proxy: VaryingProxy,
        apis: ApiCatalog,
        options: VaryOptions,
        folder: Path,
        found: Callable[[VaryFinding], bool],
    ) -> None:
        self.verdict = VaryVerdict()
        self._command = list(command)
        self._proxy = proxy
        self._apis = apis
        self._options = options
        self._folder = folder
        self._found = found
        self._report: Callable[[str], None] = lambda line: None
        self._runs: ProgramRuns | None = None
        self._usual: ProgramEnd | None = None
        self._search: CauseSearch | None = None
        self._began = 0.0
        self._failures = 0

    def run(self, stage: CaptureStage) -> None:
        """Run the program twice without variations, then with them.

        Raises:
            CaptureError: the program cannot be started, or the cluster failed.
        """
        self._began, self._report = time.monotonic(), stage.report
        options = self._options
        self._runs = ProgramRuns(
            self._command, stage, self._proxy, self._folder, seed=options.seed, compares=options.compares
        )
        try:
            self._usual = self._unvaried()
            if self._usual is None:
                return
            self._search = CauseSearch(self._attempt, self._usual.result)
            for selections in self._rounds():
                if not self._is_enough:
                    self._examine(selections)
        except BudgetOverError:
            self.verdict.over_budget = True
        finally:
            self._count()

    def facts(self) -> Mapping[str, Any]:
        """Return the command and the outcomes."""
        outcomes = {name: str(outcome) for name, outcome in self.verdict.outcomes.items()}
        return {"command": self._command, "runs": self.verdict.runs, "outcomes": outcomes}

    def _unvaried(self) -> ProgramEnd | None:
        """Return the usual end; None, with the fault in the verdict, if the program cannot be judged."""
        assert self._runs is not None
        limit_s = self._options.budget_s or _UNVARIED_LIMIT_S
        ends: list[ProgramEnd] = []
        for _ in range(2):
            self._report(f"run {len(ends) + 1}, without variations")
            ends.append(self._runs.run((), limit_s))
            self.verdict.fault = _fault(ends, limit_s)
            if self.verdict.fault:
                return None
        self.verdict.usual_s = max(end.seconds for end in ends)
        return ends[-1]

    def _rounds(self) -> list[list[VariationChoice]]:
        """Return the sets of selections to try together: a slot has one variation in each."""
        if self._options.only:
            return [[each] for each in self._options.only]
        rounds = catalogue_rounds(errors=self._options.errors, without=self._options.without)
        if self._options.errors or self._options.versions == "none":
            return rounds
        assert self._usual is not None
        offers = offer_rounds(self._apis, self._usual.log, each=self._options.versions == "each")
        left_out = self._options.without
        return [*rounds, *([each for each in one if each.variation.id not in left_out] for one in offers)]

    def _examine(self, selections: Sequence[VariationChoice]) -> None:
        """Try selections together; take out the causes of a different end one by one, until none is left."""
        assert self._search is not None
        outcomes = self.verdict.outcomes
        rest = [each for each in selections if each.variation.id not in outcomes]
        for each in rest:
            outcomes[each.variation.id] = VaryOutcome.NOT_RUN
        repeated = False
        while rest and not self._is_enough:
            self._report(f"run {self._number}: {_words(rest)}")
            end = self._attempt(rest)
            if not self._search.differs(end):
                met = {site.variation.id for site in end.log.sites}
                for each in rest:
                    name = each.variation.id
                    outcomes[name] = VaryOutcome.TAKEN if name in met else VaryOutcome.UNMET
                return
            guesses = guess_offers(rest, self._apis, self._usual.log, end.log) if self._usual else []
            cause = self._search.find(rest, end, guesses)
            if not cause.steady and len(cause.selections) > 1 and not repeated:
                repeated = True  # one stray end says nothing about any of them
                continue
            if len(cause.selections) > 1 and any(is_offer(each) for each in cause.selections):
                self._apart(cause.selections)
            else:
                self._settle(cause)
            gone = {each.variation.id for each in cause.selections}
            rest = [each for each in rest if each.variation.id not in gone]

    def _apart(self, selections: Sequence[VariationChoice]) -> None:
        """Try offers one by one, because a program need not work with several old versions at once."""
        assert self._search is not None
        for each in selections:
            end = self._attempt([each])
            if self._search.differs(end):
                self._settle(FoundCause((each,), end))
            else:
                self.verdict.outcomes[each.variation.id] = VaryOutcome.TAKEN

    def _settle(self, cause: FoundCause) -> None:
        """Record a cause: a finding, an unsteady run, or a version that the program does not speak."""
        assert self._search is not None
        assert self._usual is not None
        outcome = VaryOutcome.FOUND if cause.steady else VaryOutcome.UNSTEADY
        if cause.steady and len(cause.selections) == 1:
            outcome = judge_offer(cause.selections[0], self._apis, self._usual.log, cause.end.log)
        for each in cause.selections:
            self.verdict.outcomes[each.variation.id] = outcome
        if outcome is not VaryOutcome.FOUND:
            return
        names = " + ".join(each.variation.id for each in cause.selections)
        self._report(f"run {self._number}: the program does not take {names}; looking for the answer")
        cause = self._search.narrow(cause) if self._options.narrows else cause
        end = cause.end
        sites = [site for site in end.log.sites if site.variation == cause.selections[0].variation]
        finding = VaryFinding(
            cause.selections,
            _ending(self._usual, end, self._apis),
            _ending(end, self._usual, self._apis),
            sites[-1] if sites else None,
            end.errors,
            cause.narrowed,
        )
        self.verdict.findings.append(finding)
        self._failures += self._found(finding)

    @property
    def _is_enough(self) -> bool:
        return self._options.maxfail is not None and self._failures >= self._options.maxfail

    @property
    def _number(self) -> int:
        assert self._runs is not None
        return len(self._runs.ends) + 1

    def _attempt(self, selections: Sequence[VariationChoice]) -> ProgramEnd:
        """Run the program with these selections.

        Raises:
            BudgetOverError: there is no time left.
        """
        assert self._runs is not None
        limit_s = self._options.limit_s or _LIMIT_S + _LIMIT_TIMES * self.verdict.usual_s
        if self._options.budget_s is not None:
            left_s = self._options.budget_s - (time.monotonic() - self._began)
            if left_s < min(limit_s, 2 * self.verdict.usual_s):
                raise BudgetOverError
        return self._runs.run(selections, limit_s)

    def _count(self) -> None:
        verdict = self.verdict
        for end in self._runs.ends if self._runs else ():
            verdict.runs += 1
            verdict.connections += end.log.connections
            for (key, version), count in end.log.requests.items():
                name = self._apis.name(key)
                if name is not None:
                    verdict.spoken[name, version] += count


def catalogue_rounds(*, errors: bool, without: Collection[str] = ()) -> list[list[VariationChoice]]:
    """Return the variations of the catalogue as sets that go together: a slot has one variation in each.

    Args:
        errors: true for retriable errors in place of the other families.
        without: ids of variations to leave out.
    """
    rounds: list[list[VariationChoice]] = [[]]
    slots: dict[str, int] = {}
    for variation in CATALOGUE:
        if (variation.family is Family.ERRORS) != errors or variation.id in without:
            continue
        number = 0
        if variation.slot:
            number = slots[variation.slot] = slots.get(variation.slot, -1) + 1
        while len(rounds) <= number:
            rounds.append([])
        rounds[number].append(choice_of(variation))
    return rounds


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
