"""What a codec says that it has and claims: every hole in it is told, and how to fill it."""

import json

from wireproof.checks import ClaimInventory, judge_repertoire, judge_tried, to_try
from wireproof.model import BOTH_DIRECTIONS, ClaimProblem, CodecDirection, MessageVersion, Repertoire

ENCODE, DECODE = frozenset({CodecDirection.ENCODE}), frozenset({CodecDirection.DECODE})
HERE = [("Fetch", version) for version in range(4)] + [("Ping", 0)]
INVENTORY = ClaimInventory(HERE, lambda place: place in HERE or place == ("Old", 0))


def places(
    message: str, versions: range, ways: frozenset[CodecDirection] = BOTH_DIRECTIONS
) -> dict[MessageVersion, frozenset[CodecDirection]]:
    return {(message, version): ways for version in versions}


def judged(codec: Repertoire) -> list[ClaimProblem]:
    return list(judge_repertoire("codec", codec, INVENTORY))


def test_all_that_it_has_is_claimed() -> None:
    """Nothing is said; nor of what the release lacks, or of what the codec lacks."""
    has = places("Fetch", range(6))
    assert judged(Repertoire(has, True, places("Fetch", range(4)))) == []


def test_what_is_neither_claimed_nor_explained() -> None:
    """One problem for a message's versions, with the entry to add; added, it is gone."""
    codec = Repertoire(places("Fetch", range(4)), True, places("Fetch", range(1)))
    (found,) = judged(codec)

    assert (found.fault, found.message, found.versions, found.ways) == (
        "unclaimed",
        "Fetch",
        "1-3",
        "encode and decode",
    )
    assert found.fails
    told = json.loads(found.advice[found.advice.index("{") :])
    assert told == {"reason": "why", "messages": {"Fetch": "1-3"}}
    reasons = {("Fetch", version): dict.fromkeys(BOTH_DIRECTIONS, "why") for version in (1, 2, 3)}
    assert judged(Repertoire(codec.has, True, codec.claimed, reasons)) == []


def test_each_way_is_owed_where_the_index_tells_it() -> None:
    """A message that is encoded and decoded, and claimed one way alone, lacks the other."""
    (found,) = judged(Repertoire(places("Fetch", range(2)), True, places("Fetch", range(2), ENCODE)))

    assert (found.versions, found.ways) == ("0-1", "decode")
    assert '"way":"decode"' in found.advice


def test_one_way_is_enough_where_a_registry_alone_tells() -> None:
    """It does not say which ways the codec has."""
    registry = places("Fetch", range(2), frozenset())
    (found,) = judged(Repertoire(registry, False, places("Fetch", range(1), ENCODE)))

    assert (found.fault, found.versions, found.ways) == ("unclaimed", "1", "encode and decode")


def test_a_claim_beside_the_index() -> None:
    """Where there is one, what is claimed is in it; a registry alone is none."""
    claimed = {**places("Fetch", range(1)), **places("Ping", range(1))}
    (found,) = judged(Repertoire(places("Fetch", range(1)), True, claimed))
    assert (found.fault, found.message, found.versions) == ("not-in-index", "Ping", "0")

    assert judged(Repertoire(places("Fetch", range(1), frozenset()), False, claimed)) == []


def test_a_claim_of_what_no_release_has() -> None:
    """It could never be tried; one of a release that is not in the run could be."""
    claimed = {**places("Old", range(1)), **places("Fetsh", range(2), DECODE)}
    (found,) = judged(Repertoire(claimed, True, claimed))

    assert (found.fault, found.message, found.versions, found.ways) == (
        "no-such-cell",
        "Fetsh",
        "0-1",
        "decode",
    )


def test_a_reason_for_what_is_claimed() -> None:
    """One of the two is wrong."""
    has = places("Fetch", range(2))
    (found,) = judged(Repertoire(has, True, has, {("Fetch", 1): {CodecDirection.DECODE: "broken"}}))

    assert (found.fault, found.versions, found.ways) == ("contradiction", "1", "decode")


def test_what_is_not_claimed_for_a_reason_is_tried() -> None:
    """In the ways that the codec has, and does not claim; what works is told, and does not fail."""
    reasons = {("Fetch", version): dict.fromkeys(BOTH_DIRECTIONS, "not done") for version in range(4)}
    has = {**places("Fetch", range(2), ENCODE), **places("Fetch", range(2, 3))}
    codec = Repertoire(has, True, places("Fetch", range(2, 3), ENCODE), reasons)
    wanted = to_try(codec, HERE)

    assert wanted == {("Fetch", 0): ENCODE, ("Fetch", 1): ENCODE, ("Fetch", 2): DECODE}
    told = judge_tried("codec", codec, {("Fetch", 1): ENCODE, ("Fetch", 2): frozenset()})
    assert [(each.fault, each.versions, each.ways, each.fails) for each in told] == [
        ("works", "1", "encode", False)
    ]
    assert "not done" in told[0].summary
