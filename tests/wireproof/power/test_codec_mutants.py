"""Verdicts on codec mutants in worker processes, with an oracle that needs no Java; and their summary."""

from functools import partial

from kafkawire.canonical import canonical
from kafkawire.schema import resolve
from tests.support.environments import small_environment
from tests.support.mutants import odd_operators
from tests.wireproof.power import small_mutant_pool
from wireproof.base.exit_codes import ExitCode
from wireproof.power.codec_judging import lost_mutant, make_codec_judge
from wireproof.power.mutant_pool import MutantPool
from wireproof.power.mutants.mutant_recipe import MutantRecipe
from wireproof.power.summary import MutantDescription, MutantOutcome, MutantVerdict, MutationSummary
from wireproof.proof.run.engine.worker_pool import WorkerBroken


def verdicts(*names: str, jobs: int = 1, make=small_mutant_pool.environment) -> list:
    operators = odd_operators.small_operators
    judge = partial(make_codec_judge, make, operators, 0)
    with MutantPool(judge, names, partial(lost_mutant, operators), jobs) as pool:
        return [verdict for verdict in pool.run() if verdict is not None]


def test_verdicts_come_in_order_and_a_dead_process_loses_one() -> None:
    """Each operator gets its verdict in order, whichever process judged it, even if a process died."""
    names = ("deadly", "empty-for-null", "stumbling", "the-original", "no-effect")
    found = verdicts(*names, jobs=2)

    assert [(each.mutant.operator, each.outcome) for each in found] == [
        ("deadly", MutantOutcome.LOST),
        ("empty-for-null", MutantOutcome.KILLED),
        ("stumbling", MutantOutcome.LOST),
        ("the-original", MutantOutcome.SURVIVED),
        ("no-effect", MutantOutcome.EQUIVALENT),
    ]
    assert "ended with code -9" in found[0].evidence
    assert "ZeroDivisionError" in found[2].evidence


def test_a_killed_mutant_has_its_first_failed_case() -> None:
    """The verdict has the check, the case, and the number of cases up to and including it."""
    (found,) = verdicts("empty-for-null")

    case = found.killed_by
    assert case.check == "bytes"
    assert (case.cell.message, case.path) in [("PingRequest", "name"), ("RequestHeader", "clientId")]
    assert 1 <= found.cases <= 10
    assert not found.mutant.symmetric


def test_a_survivor_passed_the_whole_plan() -> None:
    """All phases of its cell were tried, random ones too, and the mutant passes its own round trip."""
    (found,) = verdicts("the-original")

    assert found.cases > 50
    assert found.mutant.symmetric


def test_another_process_makes_the_same_mutant() -> None:
    """The recipe pickles an operator's name and the seed; the mutant of the other process decodes the same
    wrong value."""
    recipe = MutantRecipe(odd_operators.small_operators, "read-empty", small_environment.schemas(), seed=0)
    cell = recipe.mutant.cells[0]
    layout = resolve(small_environment.schemas().modules[cell.module][cell.message], cell.version)
    body = recipe.codec(layout).encode(odd_operators.filled(layout))
    limited = small_mutant_pool.limit("limited", recipe)
    try:
        (answer,) = limited.decode_all(layout, [body])
    finally:
        limited.close()

    assert answer.value == canonical(layout).to_binary(recipe.codec(layout).decode(body))
    assert answer.value != canonical(layout).to_binary(odd_operators.filled(layout))


def test_a_broken_oracle_ends_the_mutant_pool() -> None:
    """No verdict is invented."""
    (found,) = verdicts("the-original", make=partial(small_mutant_pool.environment, broken=True))

    assert isinstance(found, WorkerBroken)
    assert "broken on purpose" in found.message


def verdict(outcome: MutantOutcome, cases: int = 4) -> MutantVerdict:
    described = MutantDescription("kafkawire", "compiled", "f", "null", "description", "place", 1, True)
    return MutantVerdict(described, outcome, cases, 0.1)


KILLED, SURVIVED = verdict(MutantOutcome.KILLED), verdict(MutantOutcome.SURVIVED, 900)
LOST, NO_EFFECT, NO_SITE = (
    verdict(each) for each in (MutantOutcome.LOST, MutantOutcome.EQUIVALENT, MutantOutcome.NO_SITE)
)


def summary(*found: MutantVerdict) -> MutationSummary:
    whole = MutationSummary(len(found))
    for each in found:
        whole.add(each)
    return whole


def test_exit_codes() -> None:
    """The code is 0 if all mutants are killed, 1 for a survivor, 7 for an operator without effect, 5 for a
    lost mutant, 3 if no operator has a site."""
    assert summary(KILLED).exit_code is ExitCode.PROVEN
    assert summary(KILLED, SURVIVED).exit_code is ExitCode.DIVERGENCE
    assert summary(KILLED, NO_EFFECT).exit_code is ExitCode.BELOW_FLOOR
    assert summary(KILLED, NO_SITE).exit_code is ExitCode.PROVEN
    assert summary(NO_EFFECT).exit_code is ExitCode.BELOW_FLOOR
    assert summary(NO_EFFECT, SURVIVED).exit_code is ExitCode.DIVERGENCE
    assert summary(SURVIVED, LOST).exit_code is ExitCode.BROKEN
    assert summary(NO_SITE).exit_code is ExitCode.NOTHING_RAN
    assert summary().exit_code is ExitCode.NOTHING_RAN
    assert MutationSummary(2, [KILLED]).exit_code is ExitCode.BELOW_FLOOR
    assert MutationSummary(2, [SURVIVED], interrupted=True).exit_code is ExitCode.INTERRUPTED
    assert MutationSummary(2, [], broken=ExitCode.MISSING).exit_code is ExitCode.MISSING


def test_a_goal_below_one_takes_a_survivor_and_no_masked_mutant() -> None:
    """Of testees 97 % have to be killed; an operator without effect is no fault there."""
    many = [KILLED] * 97
    few = [SURVIVED] * 3

    assert MutationSummary(101, [*many, *few, NO_EFFECT], goal=0.97).exit_code is ExitCode.PROVEN
    assert MutationSummary(101, [*many, *few, SURVIVED], goal=0.97).exit_code is ExitCode.DIVERGENCE
    assert (
        MutationSummary(98, [*many, verdict(MutantOutcome.MASKED)], goal=0.97).exit_code
        is ExitCode.DIVERGENCE
    )


def test_the_median_counts_killed_mutants_only() -> None:
    """Survivors have no number of cases to detection."""
    assert summary(KILLED, SURVIVED).median_cases == 4
    assert summary(SURVIVED).median_cases is None
