"""Verdicts over processes, with an oracle that needs no Java; and what they come to."""

from functools import partial

import odd_flaws
import small_bench
import small_court
from kafkawire.canonical import canonical
from kafkawire.schema import resolve
from wireproof.model import Cell
from wireproof.power import (
    Broken,
    Convicted,
    Court,
    Lost,
    Nowhere,
    Planted,
    Replant,
    Summary,
    Survived,
)
from wireproof.power.mutant import Equal
from wireproof.run import ExitCode


def verdicts(*names: str, jobs: int = 1, make=small_court.bench) -> list:
    with Court(make, odd_flaws.small_flaws, names, seed=0, jobs=jobs) as court:
        return [verdict for verdict in court.run() if verdict is not None]


def test_verdicts_come_in_order_and_a_death_costs_one() -> None:
    """Each flaw gets its verdict in its turn, whichever process had it; the dead one's too."""
    names = ("deadly", "empty-for-null", "stumbling", "the-original", "no-effect")
    found = verdicts(*names, jobs=2)

    assert [type(each) for each in found] == [Lost, Convicted, Lost, Survived, Nowhere]
    assert "ended with code -9" in found[0].reason
    assert "ZeroDivisionError" in found[2].reason


def test_a_conviction_tells_the_first_case() -> None:
    """The check, the case, and how many cases there were up to it, itself included."""
    (found,) = verdicts("empty-for-null")

    assert found.check == "bytes"
    assert (found.cell.message, found.path) in [("PingRequest", "name"), ("RequestHeader", "clientId")]
    assert 1 <= found.cases <= 10
    assert not found.planted.symmetric


def test_a_survivor_went_through_the_whole_plan() -> None:
    """All phases of its cell were tried, random ones too; and it passes its own round trip."""
    (found,) = verdicts("the-original")

    assert found.cases > 50
    assert found.planted.symmetric


def test_a_mutant_is_planted_again_in_another_process() -> None:
    """What travels is the flaw's name and the seed: the limited process reads as wrongly as this one."""
    replant = Replant(odd_flaws.small_flaws, "read-empty", small_bench.schemas(), seed=0)
    cell = replant.mutant.cells[0]
    layout = resolve(small_bench.schemas().modules[cell.module][cell.message], cell.version)
    body = replant.codec(layout).encode(odd_flaws.filled(layout))
    limited = small_court.limit("limited", replant)
    try:
        (answer,) = limited.decode_all(layout, [body])
    finally:
        limited.close()

    assert answer.value == canonical(layout).to_binary(replant.codec(layout).decode(body))
    assert answer.value != canonical(layout).to_binary(odd_flaws.filled(layout))


def test_a_broken_oracle_ends_the_court() -> None:
    """No verdict is made up."""
    (found,) = verdicts("the-original", make=partial(small_court.bench, broken=True))

    assert isinstance(found, Broken)
    assert "broken on purpose" in found.message


PLANTED = Planted("f", "null", "says", "place", "compiled", False, 1, True, ())
CONVICTED = Convicted(
    PLANTED, Cell("4.4.0", "clients", "FetchRequest", 12), "bytes", "enumerated/x", "", "", 4, 0.1
)


def summary(*found) -> Summary:
    whole = Summary(len(found))
    for verdict in found:
        whole.add(verdict)
    return whole


def test_exit_codes() -> None:
    """0 where all are convicted, 1 for a survivor, 7 for a flaw that shows nowhere, 5 for a lost one."""
    survived, lost = Survived(PLANTED, 9, 0.1), Lost("f", "null", "died")
    nowhere = Nowhere("f", "null", (Equal("place", "shown"),))

    assert summary(CONVICTED).exit_code is ExitCode.PROVEN
    assert summary(CONVICTED, survived).exit_code is ExitCode.DIVERGENCE
    assert summary(CONVICTED, nowhere).exit_code is ExitCode.BELOW_FLOOR
    assert summary(CONVICTED, Nowhere("f", "null", ())).exit_code is ExitCode.PROVEN
    assert summary(nowhere, survived).exit_code is ExitCode.DIVERGENCE
    assert summary(survived, lost).exit_code is ExitCode.BROKEN
    assert summary().exit_code is ExitCode.NOTHING_RAN
    assert Summary(2, [CONVICTED]).exit_code is ExitCode.BELOW_FLOOR
    assert Summary(2, [survived], interrupted=True).exit_code is ExitCode.INTERRUPTED
    assert Summary(2, [], broken=ExitCode.MISSING).exit_code is ExitCode.MISSING


def test_the_median_is_of_the_convicted() -> None:
    """Survivors have no number of cases to conviction."""
    assert summary(CONVICTED, Survived(PLANTED, 900, 0.1)).median_cases == 4
    assert summary(Survived(PLANTED, 900, 0.1)).median_cases is None
