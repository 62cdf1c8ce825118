"""Coverage of a codec's claims: each gap is reported, with the advice that fills it."""

import json

from wireproof.model.repertoire import (
    BOTH_DIRECTIONS,
    ClaimProblem,
    CodecDirection,
    MessageVersion,
    Repertoire,
)
from wireproof.proof.checks.claims.claim_coverage import judge_repertoire, judge_tried, to_try

ENCODE, DECODE = frozenset({CodecDirection.ENCODE}), frozenset({CodecDirection.DECODE})
HERE = [("Fetch", version) for version in range(4)] + [("Ping", 0)]
ELSEWHERE = [("Old", 0)]


def places(
    message: str, versions: range, ways: frozenset[CodecDirection] = BOTH_DIRECTIONS
) -> dict[MessageVersion, frozenset[CodecDirection]]:
    return {(message, version): ways for version in versions}


def judged(codec: Repertoire) -> list[ClaimProblem]:
    nowhere = codec.claimed.keys() - {*HERE, *ELSEWHERE}
    return list(judge_repertoire("codec", codec, HERE, nowhere))


def test_a_codec_that_claims_all_that_it_has_has_no_problem() -> None:
    """No problem is reported, also where the release or the codec lacks a message."""
    has = places("Fetch", range(6))
    assert judged(Repertoire(has, True, places("Fetch", range(4)))) == []


def test_a_message_without_claim_and_reason_is_a_problem() -> None:
    """A message's versions are one problem, with the entry to add; once added, the problem is gone."""
    codec = Repertoire(places("Fetch", range(4)), True, places("Fetch", range(1)))
    (found,) = judged(codec)

    assert (found.fault, found.message, found.versions, found.ways) == (
        "unclaimed",
        "Fetch",
        "1-3",
        "encode and decode",
    )
    assert found.fails
    entry = json.loads(found.advice[found.advice.index("{") :])
    assert entry == {"reason": "why", "messages": {"Fetch": "1-3"}}
    reasons = {("Fetch", version): dict.fromkeys(BOTH_DIRECTIONS, "why") for version in (1, 2, 3)}
    assert judged(Repertoire(codec.has, True, codec.claimed, reasons)) == []


def test_each_direction_in_the_index_must_be_claimed() -> None:
    """If a message can be encoded and decoded, and only one direction is claimed, the other is missing."""
    (found,) = judged(Repertoire(places("Fetch", range(2)), True, places("Fetch", range(2), ENCODE)))

    assert (found.versions, found.ways) == ("0-1", "decode")
    assert '"way":"decode"' in found.advice


def test_one_direction_is_enough_with_a_registry_alone() -> None:
    """A registry does not say which directions the codec has."""
    registry = places("Fetch", range(2), frozenset())
    (found,) = judged(Repertoire(registry, False, places("Fetch", range(1), ENCODE)))

    assert (found.fault, found.versions, found.ways) == ("unclaimed", "1", "encode and decode")


def test_a_claim_outside_of_the_index_is_a_problem() -> None:
    """With an index, each claim must be in it; a registry alone is not an index."""
    claimed = {**places("Fetch", range(1)), **places("Ping", range(1))}
    (found,) = judged(Repertoire(places("Fetch", range(1)), True, claimed))
    assert (found.fault, found.message, found.versions) == ("not-in-index", "Ping", "0")

    assert judged(Repertoire(places("Fetch", range(1), frozenset()), False, claimed)) == []


def test_a_claim_of_a_message_that_no_release_has_is_a_problem() -> None:
    """Such a claim can never be tested, while one of a release outside of the run can be."""
    claimed = {**places("Old", range(1)), **places("Fetsh", range(2), DECODE)}
    (found,) = judged(Repertoire(claimed, True, claimed))

    assert (found.fault, found.message, found.versions, found.ways) == (
        "no-such-cell",
        "Fetsh",
        "0-1",
        "decode",
    )


def test_a_reason_for_a_claimed_message_is_a_problem() -> None:
    """Either the claim or the reason is wrong."""
    has = places("Fetch", range(2))
    (found,) = judged(Repertoire(has, True, has, {("Fetch", 1): {CodecDirection.DECODE: "broken"}}))

    assert (found.fault, found.versions, found.ways) == ("contradiction", "1", "decode")


def test_an_unclaimed_message_with_a_reason_is_tried() -> None:
    """The codec is tried in the directions that it has and does not claim; success is reported, and does not
    fail."""
    reasons = {("Fetch", version): dict.fromkeys(BOTH_DIRECTIONS, "not done") for version in range(4)}
    has = {**places("Fetch", range(2), ENCODE), **places("Fetch", range(2, 3))}
    codec = Repertoire(has, True, places("Fetch", range(2, 3), ENCODE), reasons)
    wanted = to_try(codec, HERE)

    assert wanted == {("Fetch", 0): ENCODE, ("Fetch", 1): ENCODE, ("Fetch", 2): DECODE}
    problems = judge_tried("codec", codec, {("Fetch", 1): ENCODE, ("Fetch", 2): frozenset()})
    assert [(each.fault, each.versions, each.ways, each.fails) for each in problems] == [
        ("works", "1", "encode", False)
    ]
    assert "not done" in problems[0].summary
