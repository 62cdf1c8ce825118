"""Verdicts on codec mutants in worker processes, with an oracle that needs no Java; and their summary."""

from functools import partial

from kafkawire.canonical import canonical
from kafkawire.schema import resolve
from tests.support.environments import small_environment
from tests.support.mutants import odd_operators
from tests.wireproof.power import small_mutant_pool
from wireproof.model import Cell
from wireproof.power import (
    CodecMutantPool,
    CodecMutationSummary,
    InapplicableOperator,
    KilledMutant,
    LostMutant,
    MutantDescription,
    MutantRecipe,
    SurvivingMutant,
)
from wireproof.power.mutants.generation import EquivalentSite
from wireproof.proof.run import ExitCode, WorkerBroken


def verdicts(*names: str, jobs: int = 1, make=small_mutant_pool.environment) -> list:
    with CodecMutantPool(make, odd_operators.small_operators, names, seed=0, jobs=jobs) as pool:
        return [verdict for verdict in pool.run() if verdict is not None]


def test_verdicts_come_in_order_and_a_dead_process_loses_one() -> None:
    """Each operator gets its verdict in order, whichever process judged it, even if a process died."""
    names = ("deadly", "empty-for-null", "stumbling", "the-original", "no-effect")
    found = verdicts(*names, jobs=2)

    assert [type(each) for each in found] == [
        LostMutant,
        KilledMutant,
        LostMutant,
        SurvivingMutant,
        InapplicableOperator,
    ]
    assert "ended with code -9" in found[0].reason
    assert "ZeroDivisionError" in found[2].reason


def test_a_killed_mutant_has_its_first_failed_case() -> None:
    """The verdict has the check, the case, and the number of cases up to and including it."""
    (found,) = verdicts("empty-for-null")

    assert found.check == "bytes"
    assert (found.cell.message, found.path) in [("PingRequest", "name"), ("RequestHeader", "clientId")]
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


DESCRIPTION = MutantDescription("f", "null", "says", "place", "compiled", False, 1, True, ())
KILLED = KilledMutant(
    DESCRIPTION, Cell("4.4.0", "clients", "FetchRequest", 12), "bytes", "enumerated/x", "", "", 4, 0.1
)


def summary(*found) -> CodecMutationSummary:
    whole = CodecMutationSummary(len(found))
    for verdict in found:
        whole.add(verdict)
    return whole


def test_exit_codes() -> None:
    """The code is 0 if all mutants are killed, 1 for a survivor, 7 for an operator without effect, 5 for a
    lost mutant."""
    survived, lost = SurvivingMutant(DESCRIPTION, 9, 0.1), LostMutant("f", "null", "died")
    nowhere = InapplicableOperator("f", "null", (EquivalentSite("place", "shown"),))

    assert summary(KILLED).exit_code is ExitCode.PROVEN
    assert summary(KILLED, survived).exit_code is ExitCode.DIVERGENCE
    assert summary(KILLED, nowhere).exit_code is ExitCode.BELOW_FLOOR
    assert summary(KILLED, InapplicableOperator("f", "null", ())).exit_code is ExitCode.PROVEN
    assert summary(nowhere, survived).exit_code is ExitCode.DIVERGENCE
    assert summary(survived, lost).exit_code is ExitCode.BROKEN
    assert summary().exit_code is ExitCode.NOTHING_RAN
    assert CodecMutationSummary(2, [KILLED]).exit_code is ExitCode.BELOW_FLOOR
    assert CodecMutationSummary(2, [survived], interrupted=True).exit_code is ExitCode.INTERRUPTED
    assert CodecMutationSummary(2, [], broken=ExitCode.MISSING).exit_code is ExitCode.MISSING


def test_the_median_counts_killed_mutants_only() -> None:
    """Survivors have no number of cases to detection."""
    assert summary(KILLED, SurvivingMutant(DESCRIPTION, 900, 0.1)).median_cases == 4
    assert summary(SurvivingMutant(DESCRIPTION, 900, 0.1)).median_cases is None
