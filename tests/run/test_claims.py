"""The claims of a codec that a run tries, over real processes, with an oracle that needs no Java."""

from collections.abc import Sequence
from functools import partial

import pytest

from tests.support.codecs import claiming_codecs
from tests.support.environments import small_environment
from wireproof.base.exit_codes import ExitCode
from wireproof.model.cell import Phase
from wireproof.model.repertoire import ClaimProblem, CodecDirection
from wireproof.proof.run.core.cell_events import CellResult
from wireproof.proof.run.core.plan import RunOptions
from wireproof.proof.run.core.run_events import ClaimFinding, RunEvent, RunFooter

CELLS = [small_environment.cell("PingRequest", version) for version in range(4)]
OPTIONS = RunOptions(phases=(Phase.ENUMERATED,))
PROBLEM = ClaimProblem("claiming", "PingRequest", "3", "decode", "unclaimed", "it is there", "Claim it.")


def run(limit: str, options: RunOptions = OPTIONS, problems: Sequence[ClaimProblem] = ()) -> list[RunEvent]:
    make = partial(claiming_codecs.make, limit)
    return list(small_environment.engine(make, options, claims_audit=lambda: problems).run(CELLS))


def exercised(events: list[RunEvent]) -> list[tuple[CodecDirection, ...]]:
    return [event.exercised for event in events if isinstance(event, CellResult)]


def footer(events: list[RunEvent]) -> RunFooter:
    (last,) = (event for event in events if isinstance(event, RunFooter))
    return last


@pytest.mark.parametrize("phase", [Phase.ENUMERATED, Phase.ORACLE, Phase.BULK])
def test_every_claim_is_tried(phase: Phase) -> None:
    """Values that Kafka wrote too are encoded, and its bytes decoded, in each phase that has values."""
    events = run("", RunOptions(phases=(phase,), cases=20))

    assert exercised(events) == [(CodecDirection.ENCODE, CodecDirection.DECODE)] * 4
    totals = footer(events).totals
    assert (totals.claims, totals.claims_exercised) == (8, 8)
    assert footer(events).exit_code is ExitCode.PROVEN


def test_a_claim_without_a_value_was_not_tried() -> None:
    """A limit that covers every value of a direction leaves its claim untried: half of all is below the
    required share."""
    events = run("encode")

    assert exercised(events) == [(CodecDirection.DECODE,)] * 4
    assert footer(events).totals.claims_below_floor
    assert footer(events).exit_code is ExitCode.DIVERGENCE  # for the claim itself: no answer was right
    assert footer(run("encode", RunOptions(phases=(Phase.FRAME,)))).exit_code is ExitCode.PROVEN


def test_too_few_tried_claims_end_with_7() -> None:
    """Nothing failed, but less than 90 % of the claims were tried: the exit code is 7."""
    events = run("encode-quietly")

    assert footer(events).totals.failed_cases == 0
    assert footer(events).exit_code is ExitCode.BELOW_FLOOR


def test_a_fault_of_the_claims_is_a_divergence() -> None:
    """It is reported before the footer and counted, and the exit code is 1; a note does not count."""
    events = run("", problems=[PROBLEM])
    assert [event.problem for event in events if isinstance(event, ClaimFinding)] == [PROBLEM]
    assert footer(events).totals.claim_problems == 1
    assert footer(events).exit_code is ExitCode.DIVERGENCE

    works = ClaimProblem("claiming", "PingRequest", "3", "decode", "works", "it works", "Claim it.", False)
    assert footer(run("", problems=[works])).exit_code is ExitCode.PROVEN
